"""The report in a real browser: no errors, nothing blank, nothing too wide, and a slider that moves the robot.

The page is looked at as it is, its policy included, in a frame of each width; what the browser says on its console is
read from its log.
"""

import json
import queue
import re
import shutil
import subprocess
import threading
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer

import pytest
from report.small_run import shared_run
from skips import NO_BROWSER

BROWSER = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--enable-unsafe-swiftshader",
    "--use-angle=swiftshader",
    "--window-size=1400,1000",
    "--no-first-run",
    "--enable-logging=stderr",
    "--remote-debugging-port=0",  # without it there is nothing to stay open for
)
HEARD, FAILED = "the console is heard", "the picture is not drawn"
WIDTHS = (1280, 390)
OUTER = """<!DOCTYPE html><meta charset="utf-8"><body><script>
const sleep = (ms) => new Promise((done) => setTimeout(done, ms));
async function until(holds, most = 60000) {
  for (const start = performance.now(); performance.now() - start < most; await sleep(50)) if (holds()) return true;
  return false;
}
function picture(canvas) {
  const copy = document.createElement("canvas");
  [copy.width, copy.height] = [320, 240];
  const context = copy.getContext("2d");
  context.drawImage(canvas, 0, 0, 320, 240);
  return Array.from(new Uint32Array(context.getImageData(0, 0, 320, 240).data.buffer));
}
// Until what was asked for has been drawn: it is drawn in the next frame.
async function frames(inside, count = 2) {
  for (let k = 0; k < count; k++) await new Promise((done) => inside.requestAnimationFrame(done));
}
async function opened(name, width) {
  const frame = document.createElement("iframe");
  [frame.width, frame.height] = [width, 900]; // a window cannot be as narrow as that
  frame.src = name;
  document.body.replaceChildren(frame);
  await new Promise((done) => { frame.onload = done; });
  const [page, inside] = [frame.contentDocument, frame.contentWindow];
  const plots = [...page.querySelectorAll(".plot")];
  const drawn = await until(() => plots.every((each) => each.querySelector(".trace, .points path")));
  return { page, inside, plots, drawn };
}
const differing = (a, b) => a.filter((pixel, k) => pixel !== b[k]).length;

// How many loops run after a quick pause: steps of the film for each frame.
async function ticking(inside, play) {
  const own = inside.requestAnimationFrame.bind(inside);
  let steps = 0;
  inside.requestAnimationFrame = (step) => own((now) => { steps += step.name === "tick"; step(now); });
  if (play.textContent === "Play") play.click();
  play.click();
  play.click();
  await new Promise((done) => own(done));
  steps = 0;
  for (let k = 0; k < 10; k++) await new Promise((done) => own(done));
  inside.requestAnimationFrame = own;
  return steps;
}
// A page whose picture fails, and one of whose joints is called like a colour.
async function spoilt() {
  const { page, plots, drawn } = await opened("broken.html", 1280);
  const names = [...page.querySelectorAll("#joint-positions .legendtext")].map((each) => each.textContent);
  return { drawn, names, plots: plots.length, blank: page.getElementById("stage").classList.contains("blank") };
}
async function look(width) {
  const { page, inside, plots, drawn } = await opened("report.html", width);
  const [canvas, slider, play] = ["robot", "time", "play"].map((id) => page.getElementById(id));
  const started = Number(slider.value);
  slider.focus();
  const focused = page.activeElement === slider;
  const go = async (place) => {
    slider.value = place;
    slider.dispatchEvent(new inside.Event("input"));
    await frames(inside);
    return picture(canvas);
  };
  const first = await go(0);
  const second = await go(Math.round(slider.max / 2));
  const now = page.getElementById("now").textContent;
  play.click();
  const moves = await until(() => Number(slider.value) !== Math.round(slider.max / 2));
  const ticks = await ticking(inside, play);
  const stopped = await go(Math.round(slider.max / 2));
  const box = page.querySelector('[data-group="inertia"]');
  box.click();
  await frames(inside);
  const glass = picture(canvas);
  box.click();
  const wide = [...page.body.querySelectorAll("*")].filter(
    (each) => !each.closest(".scroll, pre, .view, .plot, .skip") && each.getBoundingClientRect().right > width + 1);
  const style = () => ({
    paper: inside.getComputedStyle(page.body).backgroundColor,
    ink: plots[0]._fullLayout.font.color,
    theme: page.documentElement.dataset.theme,
  });
  const before = style();
  page.getElementById("theme").click();
  await frames(inside);
  const after = style();
  page.getElementById("theme").click();
  inside.dispatchEvent(new inside.Event("beforeprint"));
  await frames(inside);
  const printed = {
    theme: page.documentElement.dataset.theme,
    folded: page.querySelectorAll("details:not([open]):not(.formula)").length,
    widest: Math.max(...plots.map((each) => each._fullLayout.width)),
  };
  inside.dispatchEvent(new inside.Event("afterprint"));
  await frames(inside);
  return {
    drawn, started, focused, now, moves, ticks, before, after, printed,
    colours: new Set(first).size,
    moved: differing(first, second),
    again: differing(second, stopped),
    glass: differing(second, glass),
    plots: plots.length,
    unlabelled: [...page.querySelectorAll("canvas, .plot")].filter((each) => !each.getAttribute("aria-label")).length,
    broad: plots.filter((each) => each._fullLayout.width > width).map((each) => each.id),
    uneven: plots.filter((each) => new Set([...each.querySelectorAll(".xtick text, .ytick text")].map(
      (text) => inside.getComputedStyle(text).fontSize)).size > 1).map((each) => each.id),
    wide: wide.map((each) => each.tagName + "." + each.className),
    scroll: page.documentElement.scrollWidth - width,
    restored: page.documentElement.dataset.theme === before.theme,
  };
}
(async () => {
  console.error("HEARD");
  const seen = {};
  for (const width of WIDTHS) seen[width] = await look(width);
  seen.broken = await spoilt();
  await fetch("/seen", { method: "POST", body: JSON.stringify(seen) });
})().catch((fault) => fetch("/seen", { method: "POST", body: JSON.stringify({ fault: String(fault.stack) }) }));
</script></body>"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    if BROWSER is None:
        pytest.skip(NO_BROWSER)
    place = tmp_path_factory.mktemp("looked_at")
    page = shared_run()[0].report.read_text()
    (place / "report.html").write_text(page)
    (place / "broken.html").write_text(broken(page))
    (place / "outer.html").write_text(OUTER.replace("HEARD", HEARD).replace("WIDTHS", str(list(WIDTHS))))
    return place


@pytest.fixture(scope="module", params=["light", "dark"])
def looked(folder, request):
    """What a browser says of the page in one colour scheme, and the scheme."""
    return looked_at(folder, request.param), request.param


def test_the_console_stays_empty(looked):
    (_, said), _ = looked
    assert any(HEARD in line for line in said)
    others = [line for line in said if HEARD not in line and "GL Driver Message" not in line]
    assert len(others) == 1, others
    assert FAILED in others[0], "of the page whose picture is spoilt"


def test_figures_are_drawn_where_the_picture_fails(looked):
    seen = looked[0][0]["broken"]
    assert seen["blank"]
    assert seen["drawn"]
    assert seen["plots"] >= 8
    assert "--c1" in seen["names"], "a joint keeps its name"


@pytest.mark.parametrize("width", WIDTHS)
def test_the_robot_is_drawn_and_moves(looked, width):
    seen = looked[0][0][str(width)]
    assert seen["colours"] > 50, "the canvas is not blank"
    assert seen["started"] > 0, "it starts at an instant that shows something"
    assert seen["moved"] > 500, "the slider moves it"
    assert seen["again"] == 0, "the same instant is the same picture"
    assert seen["glass"] > 200, "ellipsoids can be switched on"
    assert seen["moves"], "it plays"
    assert 7 <= seen["ticks"] <= 13, "in one loop"
    assert seen["focused"], "the slider is reached by keys"
    assert "base turned by" in seen["now"]


@pytest.mark.parametrize("width", WIDTHS)
def test_figures_are_drawn_and_nothing_is_too_wide(looked, width):
    seen = looked[0][0][str(width)]
    assert seen["drawn"]
    assert seen["plots"] >= 8
    assert seen["broad"] == seen["wide"] == seen["uneven"] == []
    assert seen["scroll"] <= 0
    assert seen["unlabelled"] == 0


@pytest.mark.parametrize("width", WIDTHS)
def test_light_dark_and_paper(looked, width):
    (pages, _), scheme = looked
    seen, other = pages[str(width)], {"light": "dark", "dark": "light"}
    assert _theme(seen["before"]) == scheme
    assert _theme(seen["after"]) == other[scheme], "the switch"
    assert seen["printed"]["theme"] == "light"
    assert seen["printed"]["folded"] == 0
    assert seen["printed"]["widest"] <= 680, "as wide as a sheet"
    assert seen["restored"]


def broken(page):
    """The page without a scene, its first joint called like a colour."""
    spoilt, scenes = re.subn(r'(id="scene">).*?(</script>)', r"\1{}\2", page, count=1, flags=re.S)
    spoilt, names = re.subn(r'"name":"j1"', '"name":"--c1"', spoilt)
    assert scenes == 1
    assert names
    return spoilt


def looked_at(folder, scheme):
    """What the outer page found, by width, and the lines of the browser's console."""
    found = queue.Queue()
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Answering, found, directory=folder))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    settings = ["--blink-settings=preferredColorScheme=0"] if scheme == "dark" else []
    address = f"http://127.0.0.1:{server.server_port}/outer.html"
    log = folder / f"{scheme}.log"
    command = [BROWSER, *FLAGS, *settings, f"--user-data-dir={folder / scheme}", address]
    with log.open("wb") as lines:
        browser = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=lines)
        try:
            seen = json.loads(found.get(timeout=300))
        finally:
            browser.terminate()
            browser.wait(timeout=30)
            server.shutdown()
            server.server_close()
    assert "fault" not in seen, seen
    return seen, [line for line in log.read_text(errors="replace").splitlines() if ":CONSOLE" in line]


class Answering(SimpleHTTPRequestHandler):
    """Serves a folder and keeps what is posted."""

    def __init__(self, found, *arguments, **more):
        self.found = found
        super().__init__(*arguments, **more)

    def do_POST(self):
        self.found.put(self.rfile.read(int(self.headers["Content-Length"])))
        self.send_response(204)
        self.end_headers()

    def log_message(self, *words):
        """Nothing."""


def _theme(style):
    """light or dark by the colours that are shown, not by name; they must agree."""
    paper, ink = (_sum(style[name]) for name in ("paper", "ink"))
    shown = "light" if paper > 600 and ink < 200 else "dark" if paper < 100 and ink > 600 else "neither"
    assert shown == style["theme"]
    return shown


def _sum(text):
    """Of the components of a colour like #1d2227 or rgb(29, 34, 39)."""
    if text.startswith("#"):
        return sum(int(text[k : k + 2], 16) for k in (1, 3, 5))
    return sum(map(int, re.findall(r"\d+", text)[:3]))
