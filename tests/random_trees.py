"""Random robots and random motion: the one generator of all tests.

Every robot can exist, and nothing about it is convenient: full inertia tensors, centres of mass off the
origin, skew joint axes, odd placements. `python tests/random_trees.py` prints what the list is like.
"""

import math
from dataclasses import replace

import numpy as np

from freefloat.dynamics.samples import Samples
from freefloat.robot.carried import carried_inertia
from freefloat.robot.model import Robot
from freefloat.robot.parameters import inertia_about_com, parameters_from_pseudo_inertia
from freefloat.robot.parts import Body, Joint, Point, Wheel
from freefloat.robot.spring_section import spring_of_frequency
from freefloat.robot.transform import Transform, rotation_about, turn_about
from freefloat.robot.tree import RIGID

BASES = ("free", "planar", "fixed")
FEWEST, MOST = 2, 20
ODD = 0.1  # smallest component of a joint axis
QUARTERS = ((1.0, 0.0), (0.0, 1.0), (0.0, -1.0), (-1.0, 0.0))  # cosine and sine of quarter turns
UNEVEN = 0.01  # smallest product of inertia about the centre of mass over the largest moment


# ---------------------------------------------------------------------- robots


def random_robot(
    seed,
    *,
    bodies=None,
    base=None,
    gravity=False,
    wheels=0,
    prismatic=None,
    branched=None,
    fixed_bodies=False,
    passive=0,
    name=None,
):
    """A robot that can exist; what is None is drawn.

    bodies: all of them, base and those on fixed joints included.
    prismatic: whether any joint slides. branched: whether some body carries two that move on it.
    fixed_bodies: about a third of the bodies sit on fixed joints, every second of those `separate`.
    passive: how many of the joints that move are spring-held, anywhere in the tree; they have no limits.
    """
    rng = np.random.default_rng([seed, 7])
    fewest = 2 + (branched is True) + 2 * fixed_bodies
    count = int(rng.integers(max(FEWEST, fewest), MOST + 1)) if bodies is None else bodies
    if count < fewest:
        raise ValueError(f"{count} bodies are too few: at least {fewest} are needed")
    kinds = _kinds(rng, count, prismatic, fixed_bodies)
    parents = _parents(rng, kinds, branched)
    placed = [Body("base", parameters=random_parameters(rng, rng.uniform(30.0, 200.0), 0.8))]
    for index in range(1, count):
        phi = random_parameters(rng, rng.uniform(0.5, 15.0), 0.4)
        parent = placed[parents[index]].name
        joint = random_joint(rng, f"joint{index}", kinds[index])
        placed.append(Body(f"body{index}", parent, joint, random_placement(rng), phi))
    fixed = [body.name for body in placed if body.joint is not None and not body.joint.moves]
    robot = Robot(
        name or f"tree {seed}",
        tuple(placed),
        base=base or str(rng.choice(BASES)),
        gravity=9.81 * random_unit(rng) if gravity else np.zeros(3),
        wheels=_wheels(rng, placed[0], wheels),
        points=(Point("tool", placed[-1].name, rng.normal(size=3)),),
        separate=frozenset(fixed[::2]),
    )
    return with_passive(robot, seed, passive) if passive else robot


def with_passive(robot, seed, count):
    """The robot with so many of its joints on springs of 0.1 to 1.5 Hz and 0.5 to 5 % of critical damping."""
    rng = np.random.default_rng([seed, 37])
    chosen = set(rng.choice(robot.joint_names, count, replace=False).tolist())
    bodies = []
    for body in robot.bodies:
        joint = body.joint
        if joint is not None and joint.name in chosen:
            carried = carried_inertia(robot, joint.name)
            spring = spring_of_frequency(rng.uniform(0.1, 1.5), rng.uniform(0.005, 0.05), carried)
            joint = Joint(joint.name, joint.kind, joint.axis, passive=spring)
        bodies.append(replace(body, joint=joint))
    return replace(robot, bodies=tuple(bodies))


def many_armed(seed, arms, wheels):
    """A servicer of 100 to 400 kg whose arms of two or three turning joints all sit on the base."""
    rng = np.random.default_rng([seed, 11])
    placed = [Body("base", parameters=random_parameters(rng, rng.uniform(100.0, 400.0), 1.2))]
    for arm in range(1, arms + 1):
        parent = "base"
        for link in range(1, int(rng.integers(2, 4)) + 1):
            name = f"arm{arm}_link{link}"
            phi = random_parameters(rng, rng.uniform(5.0, 25.0), 0.8)
            joint = random_joint(rng, f"arm{arm}_joint{link}", "revolute")
            joint = replace(joint, rate=rng.uniform(0.3, 0.6), acceleration=rng.uniform(0.2, 0.4))
            placed.append(Body(name, parent, joint, random_placement(rng), phi))
            parent = name
    tool = Point("tool", placed[-1].name, rng.normal(size=3))
    return Robot(f"{arms} arms {seed}", tuple(placed), wheels=_wheels(rng, placed[0], wheels), points=(tool,))


def _kinds(rng, count, prismatic, fixed_bodies):
    """Joint kind of every body; None for the base."""
    turning = ["revolute", "continuous"]
    slides = rng.random() < 0.5 if prismatic is None else prismatic
    kinds = [None, *rng.choice([*turning, "prismatic"] if slides else turning, count - 1).tolist()]
    places = rng.permutation(np.arange(1, count)).tolist()
    if fixed_bodies:
        for _ in range(max(2, (count - 1) // 3)):
            kinds[places.pop()] = "fixed"
    if slides and "prismatic" not in kinds:
        kinds[places.pop()] = "prismatic"
    return kinds


def _parents(rng, kinds, branched):
    """Index of every body's parent; the order of bodies stays parents first."""
    moving = sum(kind not in (None, "fixed") for kind in kinds)
    wanted = moving > 1 and (rng.random() < 0.5 if branched is None else branched)
    while wanted:
        parents = [-1, *(int(rng.integers(index)) for index in range(1, len(kinds)))]
        if _forks(parents, [kind == "fixed" for kind in kinds]):
            return parents
    return [index - 1 for index in range(len(kinds))]


def _forks(parents, rigid):
    """Whether two moving bodies hang on the same piece, rigid bodies being one piece with their parent."""
    carriers = []
    for index in range(1, len(parents)):
        if not rigid[index]:
            carrier = parents[index]
            while carrier > 0 and rigid[carrier]:
                carrier = parents[carrier]
            carriers.append(carrier)
    return len(set(carriers)) < len(carriers)


def random_parameters(rng, mass, size):
    """A body that can exist, from its pseudo-inertia: no product of inertia near zero, nor any lever."""
    while True:
        axes = rotation_about(random_unit(rng), rng.uniform(-math.pi, math.pi))
        spread = axes @ np.diag(rng.uniform(0.1, 0.5, 3) * size) ** 2 @ axes.T  # second moments over mass
        com = rng.uniform(0.05, 0.5, 3) * rng.choice([-1.0, 1.0], 3) * size
        J = np.block([[spread + np.outer(com, com), com[:, None]], [com[None], np.ones((1, 1))]])
        phi = parameters_from_pseudo_inertia(mass * J)
        if _fullness(phi) > UNEVEN:
            return phi


def random_joint(rng, name, kind):
    """A joint about or along no coordinate axis; continuous ones without position limits."""
    axis = random_unit(rng)
    while np.abs(axis).min() < ODD:
        axis = random_unit(rng)
    if kind == "fixed":
        return Joint(name, kind)
    reach = {"revolute": math.pi, "prismatic": 1.0, "continuous": math.inf}[kind]
    limits = (-reach * rng.uniform(0.5, 1.0), reach * rng.uniform(0.5, 1.0))
    return Joint(name, kind, axis, limits, *rng.uniform(1.0, 5.0, 3))


def random_placement(rng):
    """Any turn, and a step of about half a metre."""
    return Transform(rotation_about(random_unit(rng), rng.uniform(-math.pi, math.pi)), 0.5 * rng.normal(size=3))


def straightened(robot, seed):
    """The robot with right angles only: axes along coordinate axes, placements by quarter turns, some steps zero."""
    rng = np.random.default_rng([seed, 31])
    bodies = [robot.bodies[0]]
    for body in robot.bodies[1:]:
        R = turn_about(0, *QUARTERS[rng.integers(4)]) @ turn_about(2, *QUARTERS[rng.integers(4)])
        placement = Transform(R, np.where(rng.random(3) < 0.4, 0.0, np.round(body.placement.p, 2)))
        joint = body.joint
        if joint.moves:
            joint = replace(joint, axis=np.eye(3)[2 if rng.random() < 0.6 else rng.integers(3)])
        bodies.append(replace(body, joint=joint, placement=placement))
    return replace(robot, bodies=tuple(bodies), name=f"straight {robot.name}")


def tilted(robot, angle, seed):
    """Every axis of the robot turned by this small angle about any direction, as calibration finds them."""
    rng = np.random.default_rng([seed, 29])
    bodies = [robot.bodies[0]]
    for body in robot.bodies[1:]:
        axis = rotation_about(random_unit(rng), angle) @ body.joint.axis
        bodies.append(replace(body, joint=replace(body.joint, axis=axis)) if body.joint.moves else body)
    return replace(robot, bodies=tuple(bodies))


def random_unit(rng):
    vector = rng.normal(size=3)
    return vector / np.linalg.norm(vector)


def _wheels(rng, base, count):
    """Wheels that fit into the base: half their spin inertias together are less than it has to give."""
    inertia = inertia_about_com(base.parameters)
    room = 0.5 * np.trace(inertia) - np.linalg.eigvalsh(inertia)[-1]
    largest = 2.0 * room / (count + 1)
    return tuple(
        Wheel(f"wheel{index}", random_unit(rng), largest * rng.uniform(0.2, 0.8), rng.uniform(100.0, 600.0))
        for index in range(count)
    )


# ---------------------------------------------------------------------- motion


def random_samples(robot, n, seed=0):
    """Unrelated states with every field: joints within limits, the base moving as its kind allows.

    torques and base_wrench are those that this motion needs.
    """
    from freefloat.dynamics.torque import inverse_dynamics

    rng = np.random.default_rng([seed, 11])
    joints, wheels = len(robot.joints), len(robot.wheels)
    turn = rng.normal(size=(n, 4))
    fields = {name: rng.normal(size=(n, 3)) for name in ("v", "w", "dv", "dw", "position")}
    fields |= {"q": _positions(rng, robot, n), "dq": rng.normal(size=(n, joints))}
    fields |= {"ddq": rng.normal(size=(n, joints)), "t": np.cumsum(rng.uniform(0.01, 0.1, n))}
    fields["wheel_rates"] = rng.uniform(-1.0, 1.0, (n, wheels)) * [wheel.max_rate for wheel in robot.wheels]
    fields["wheel_accelerations"] = 10.0 * rng.normal(size=(n, wheels))
    if robot.base == "planar":
        for name in ("v", "dv", "position"):
            fields[name][:, 2] = 0.0
        fields["w"][:, :2] = fields["dw"][:, :2] = turn[:, :2] = 0.0
    if robot.base == "fixed":
        for name in ("v", "w", "dv", "dw", "position"):
            fields[name][:] = 0.0
        turn[:] = 0.0, 0.0, 0.0, 1.0
    samples = Samples(**fields, attitude=turn / np.linalg.norm(turn, axis=1, keepdims=True))
    needed = inverse_dynamics(robot, samples)
    return replace(samples, base_wrench=needed[:, :6], torques=needed[:, 6:])


def _positions(rng, robot, n):
    limits = np.array([joint.position for joint in robot.joints])
    low, high = np.clip(limits, -math.pi, math.pi).T
    return rng.uniform(low, high, (n, len(robot.joints)))


# ---------------------------------------------------------------------- what they are like


def is_branched(robot):
    """Whether some body carries two that move on it."""
    arrays = robot.tree.arrays
    return _forks(arrays.parent.tolist(), (arrays.kind == RIGID).tolist())


def skewness(robot):
    """Smallest component of any joint axis."""
    return min(float(np.abs(joint.axis).min()) for joint in robot.joints)


def fullness(robot):
    """Smallest product of inertia of any body about its centre of mass, over its largest moment."""
    return min(_fullness(body.parameters) for body in robot.bodies)


def _fullness(phi):
    inertia = inertia_about_com(phi)
    return float(np.abs(inertia[[0, 0, 1], [1, 2, 2]]).min() / np.diag(inertia).max())


def traits(robots):
    """Which robots have what: a list of truths for each trait."""
    found = {f"{base} base": [robot.base == base for robot in robots] for base in BASES}
    found["branched"] = [is_branched(robot) for robot in robots]
    found["prismatic joints"] = [any(j.kind == "prismatic" for j in robot.joints) for robot in robots]
    found["skew axes"] = [skewness(robot) >= ODD for robot in robots]
    found["full inertia tensors"] = [fullness(robot) >= UNEVEN for robot in robots]
    found["gravity"] = [bool(robot.gravity.any()) for robot in robots]
    found["reaction wheels"] = [bool(robot.wheels) for robot in robots]
    found["bodies on fixed joints"] = [len(robot.bodies) > len(robot.joints) + 1 for robot in robots]
    found["separate bodies"] = [bool(robot.separate) for robot in robots]
    return found


def statistics(robots):
    """A table of what these robots are like."""
    lines = [f"{len(robots)} robots"]
    for what, counts in (
        ("bodies", [len(robot.bodies) for robot in robots]),
        ("joints", [len(robot.joints) for robot in robots]),
    ):
        lines.append(f"  {what:24s}{min(counts):3d} to {max(counts)}, median {np.median(counts):g}")
    for what, truths in traits(robots).items():
        lines.append(f"  {what:24s}{sum(truths):3d}  {100 * sum(truths) / len(robots):5.1f} %")
    return "\n".join(lines)


# ---------------------------------------------------------------------- the list


def _listed(index):
    """One of the list: every mixture of base, branching and sliding joints, 2 to 20 bodies."""
    branched, prismatic, fixed_bodies = index % 2 == 0, index // 2 % 2 == 0, index % 7 in (2, 5)
    fewest = max(FEWEST, 2 + branched + 2 * fixed_bodies)
    return random_robot(
        index,
        bodies=fewest + 5 * index % (MOST + 1 - fewest),
        base=BASES[index % 3],
        gravity=index % 5 == 1,
        wheels=1 + index % 4 if index % 7 in (3, 5) else 0,
        prismatic=prismatic,
        branched=branched,
        fixed_bodies=fixed_bodies,
        name=f"tree {index}",
    )


ROBOTS = [_listed(index) for index in range(66)]


if __name__ == "__main__":
    print(statistics(ROBOTS))
