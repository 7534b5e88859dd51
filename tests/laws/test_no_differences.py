"""No finite-difference step anywhere in the package: every derivative there is exact.

A crude scan of the sources for what difference schemes look like:

- libraries that differentiate by differences, by name, and `np.gradient`;
- scipy's minimisers and equation solvers without a derivative, for they then take differences themselves;
- a small number given to a name such as `eps`, `step` or `h`;
- the difference of two values of one function, divided by something.

One file is exempt: a study that measures the exact gradient against differences, as its publication does.
"""

import ast
from pathlib import Path

import pytest

import freefloat

PACKAGE = Path(freefloat.__file__).parent

EXEMPT = PACKAGE / "studies" / "ayusawa" / "differences.py"
FORBIDDEN = {"approx_fprime", "approx_derivative", "check_grad", "numdifftools"}
SOLVERS = {"minimize", "least_squares", "curve_fit", "root", "fsolve", "newton"}
DERIVATIVES = {"jac", "fprime"}
BY_DIFFERENCES = {"2-point", "3-point", "cs"}
WITHOUT_DERIVATIVES = {"Nelder-Mead", "Powell", "COBYLA", "COBYQA"}
STEPS = {"eps", "epsilon", "step", "h", "delta", "dx", "increment", "perturbation", "nudge"}


def differences_in(text):
    """(line, what) for everything in a source text that looks like a difference scheme."""
    module = ast.parse(text)
    optimises = "scipy.optimize" in text or "scipy import optimize" in text
    checks = [_forbidden_name, _small_step, _quotient] + ([_solver_without_derivative] if optimises else [])
    found = ((getattr(node, "lineno", 0), check(node)) for node in ast.walk(module) for check in checks)
    return [(line, what) for line, what in found if what]


def _forbidden_name(node):
    if isinstance(node, ast.Import | ast.ImportFrom):
        module = getattr(node, "module", None) or ""
        names = {part for alias in node.names for part in alias.name.split(".")} | set(module.split("."))
        return next(iter(names & (FORBIDDEN | ({"gradient"} if module == "numpy" else set()))), None)
    if isinstance(node, ast.Attribute):
        of_numpy = node.attr == "gradient" and ast.unparse(node.value) in ("np", "numpy")
        return node.attr if node.attr in FORBIDDEN or of_numpy else None
    return None


def _small_step(node):
    """The name that a number below a hundredth is given to, if it is the name of a step."""
    pairs = []
    if isinstance(node, ast.Assign | ast.AnnAssign):
        targets = node.targets if isinstance(node, ast.Assign) else [node.target]
        pairs = [(target.id, node.value) for target in targets if isinstance(target, ast.Name)]
    elif isinstance(node, ast.keyword) and node.arg:
        pairs = [(node.arg, node.value)]
    elif isinstance(node, ast.arguments):
        positional = [*node.posonlyargs, *node.args]
        given = [*zip(positional[::-1], node.defaults[::-1], strict=False)]
        pairs = [(a.arg, value) for a, value in [*given, *zip(node.kwonlyargs, node.kw_defaults, strict=True)]]
    return next((name for name, value in pairs if name.lower().strip("_") in STEPS and _is_small(value)), None)


def _is_small(value):
    return isinstance(value, ast.Constant) and isinstance(value.value, float) and 0.0 < value.value < 1e-2


def _quotient(node):
    """The function of (f(...) - f(...)) / something."""
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Div) and isinstance(node.left, ast.BinOp):
        one, other = node.left.left, node.left.right
        both_calls = isinstance(one, ast.Call) and isinstance(other, ast.Call)
        if isinstance(node.left.op, ast.Sub) and both_calls and ast.dump(one.func) == ast.dump(other.func):
            return f"difference quotient of {ast.unparse(one.func)}"
    return None


def _solver_without_derivative(node):
    if not isinstance(node, ast.Call):
        return None
    name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
    given = {keyword.arg: getattr(keyword.value, "value", True) for keyword in node.keywords}
    exact = any(given.get(key) not in (None, *BY_DIFFERENCES) for key in DERIVATIVES)
    if name in SOLVERS and not exact and given.get("method") not in WITHOUT_DERIVATIVES:
        return f"{name} without a derivative"
    return None


SOURCES = sorted(set(PACKAGE.rglob("*.py")) - {EXEMPT})


@pytest.mark.parametrize("file", SOURCES, ids=lambda file: str(file.relative_to(PACKAGE)))
def test_no_difference_scheme_in(file):
    assert differences_in(file.read_text(encoding="utf-8")) == []


def test_the_exempt_file_takes_differences_and_only_its_study_reads_it():
    assert differences_in(EXEMPT.read_text(encoding="utf-8"))
    readers = [file for file in SOURCES if "ayusawa.differences" in file.read_text(encoding="utf-8")]
    assert readers == [EXEMPT.with_name("study.py")]


def test_the_scan_reads_the_package():
    assert (PACKAGE / "dynamics" / "kernels.py") in set(PACKAGE.rglob("*.py"))


@pytest.mark.parametrize(
    "planted",
    [
        "from scipy.optimize import approx_fprime",
        "import numdifftools as nd",
        "from scipy.optimize._numdiff import approx_derivative",
        "import numpy as np\ng = np.gradient(y, t)",
        "from numpy import gradient",
        "import scipy\ng = scipy.optimize.approx_fprime(x, f)",
        "def f(x, eps=1e-6): return x",
        "def f(x, *, step=1e-4): return x",
        "h = 1e-7",
        "EPS: float = 1e-8",
        "g = jacobian(f, x, eps=1e-5)",
        "g = (f(x + d) - f(x)) / d",
        "g = (self.cost(x + d) - self.cost(x - d)) / (2 * d)",
        "from scipy.optimize import minimize\nminimize(f, x0)",
        "from scipy.optimize import least_squares\nleast_squares(f, x0, jac='2-point')",
        "from scipy import optimize\noptimize.minimize(f, x0, method='SLSQP')",
    ],
)
def test_the_scan_finds(planted):
    assert differences_in(planted)


@pytest.mark.parametrize(
    "honest",
    [
        "from scipy.optimize import minimize\nminimize(f, x0, jac=True)",
        "from scipy.optimize import least_squares\nleast_squares(f, x0, jac=exact)",
        "from scipy.optimize import minimize\nminimize(f, x0, method='Nelder-Mead')",
        "area = 0.5 * (y[1:] + y[:-1]) * np.diff(t)",
        "tolerance = 1e-9",
        "unit = axis if abs(length - 1.0) < 1e-15 else axis / length",
        "def design(step=0.05, h=0.1): return (f(x) - g(x)) / 2",
        "from freefloat.estimate import gradient\nslope = problem.gradient(x)",
    ],
)
def test_the_scan_lets_pass(honest):
    assert differences_in(honest) == []
