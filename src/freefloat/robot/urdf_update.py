"""Identified inertias and friction back into the user's own URDF, and nothing else touched.

Only the values of `mass`, `inertia`, the `xyz` of the inertial origin and `dynamics` are replaced, byte for byte in
place; comments, order, spacing and everything of other programs stay. The rpy of an inertial origin is
kept, and the inertia given in those axes. What is missing is added in the indentation of the file.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, NamedTuple
from xml.etree.ElementTree import Element
from xml.parsers.expat import ParserCreate

import numpy as np

from freefloat.arrays import Array
from freefloat.errors import FileError, InvalidRobot
from freefloat.files import FilePath, read_bytes, write_bytes
from freefloat.robot.model import Robot
from freefloat.robot.parameters import com_of, inertia_about_com
from freefloat.robot.parts import Body, Joint
from freefloat.robot.urdf_elements import Inertial, inertial_of
from freefloat.robot.urdf_read import encoding_of, parse_urdf, robot_of
from freefloat.robot.urdf_write import body_elements, full_precision, rubbing

_START_TAG = re.compile(rb"""<([^\s/>]+)(?:\s+[^\s=]+\s*=\s*(?:"[^"]*"|'[^']*'))*\s*/?>""")
_ATTRIBUTE = re.compile(rb"""\s([^\s=]+)\s*=\s*("[^"]*"|'[^']*')""")
_ENTRIES = {"ixx": (0, 0), "ixy": (0, 1), "ixz": (0, 2), "iyy": (1, 1), "iyz": (1, 2), "izz": (2, 2)}
_SAME_GEOMETRY = 1e-9  # [m] and rotation entries; a robot may have gone through a file with fewer digits

Attributes = dict[str, str]
Lacking = Literal["refuse", "leave-out", "add"]


class _Edit(NamedTuple):
    """Bytes from `start` to `stop` give way to `text`."""

    start: int
    stop: int
    text: bytes


@dataclass(eq=False)
class _Element:
    """Where an element stands: its start tag from `start` to `stop`, its end tag at `end`.

    An element without content, <a/>, has its end at `stop`. Of children with the same tag, the first counts.
    """

    start: int
    stop: int
    end: int = -1
    children: dict[str, _Element] = field(default_factory=dict)


def update_urdf(
    source_path: FilePath, robot: Robot, target_path: FilePath, lacking: Lacking = "refuse"
) -> tuple[str, ...]:
    """Write `source_path` with the inertias and the friction of `robot` to `target_path` (which may be the same file).

    The robot must have the bodies and the geometry of the file. Bodies whose parameters are what the file
    says stay as they are, so an unchanged robot gives the same bytes. So do joints for which the robot has no drive.
    lacking: what becomes of bodies that are not in the file and are fixed to others, such as a load; "add": a link and
    a joint at the end. Their names are returned.
    """
    data = read_bytes(source_path)
    root = parse_urdf(data, source_path)
    _refuse_wide_text(data, source_path)
    before = robot_of(root, source_path, robot.base)
    try:
        more = () if lacking == "refuse" else _more(before, robot)
        _refuse_other_robot(before, [body for body in robot.bodies if body not in more])
        edits = _edits(data, root, _changed(before, robot), _redriven(before, robot))
        if lacking == "add" and more:
            edits.append(_added(data, more))
    except InvalidRobot as error:
        raise FileError(source_path, str(error)) from error
    write_bytes(target_path, _edited(data, edits))
    return tuple(body.name for body in more)


def _refuse_wide_text(data: bytes, path: FilePath) -> None:
    """Numbers are put in as ASCII, so the file must be text that contains ASCII as it is."""
    encoding = "utf-16" if b"\x00" in data else encoding_of(data)  # no other XML text holds a zero byte
    if encoding not in (None, "utf-8", "ascii", "iso8859-1"):
        raise FileError(path, f"its text is {encoding}; save it as utf-8 before inertias are written into it")


# ---------------------------------------------------------------------- what changes


def _more(file: Robot, robot: Robot) -> tuple[Body, ...]:
    """Bodies that are not in the file, and do not move on those they hang on."""
    known = {body.name for body in file.bodies}
    return tuple(
        body for body in robot.bodies if body.name not in known and body.joint is not None and not body.joint.moves
    )


def _refuse_other_robot(file: Robot, bodies: Sequence[Body]) -> None:
    in_file, in_robot = ({body.name: body for body in one} for one in (file.bodies, bodies))
    for name in in_file:
        if name not in in_robot:
            raise InvalidRobot(f"link {name!r}", "is not in the robot, which must have the bodies of this file")
    for name, body in in_robot.items():
        if name not in in_file:
            raise InvalidRobot(f"body {name!r}", "is not in this file, which must describe the same robot")
        if not _same_geometry(in_file[name], body):
            raise InvalidRobot(f"link {name!r}", "its parent, axis or placement is not that of the robot")


def _same_geometry(one: Body, other: Body) -> bool:
    if one.joint is None or other.joint is None:
        return one.joint is other.joint
    kinds = {"continuous": "revolute"}  # the same motion; only the limits differ
    same_kind = kinds.get(one.joint.kind, one.joint.kind) == kinds.get(other.joint.kind, other.joint.kind)
    pairs = [(one.placement.R, other.placement.R), (one.placement.p, other.placement.p)]
    if one.joint.moves:
        pairs.append((one.joint.axis, other.joint.axis))
    close = all(np.allclose(a, b, rtol=0.0, atol=_SAME_GEOMETRY) for a, b in pairs)
    return one.parent == other.parent and same_kind and close


def _changed(file: Robot, robot: Robot) -> dict[str, Array]:
    """Parameters of the bodies that differ from the file, each of shape (10,)."""
    in_file = {body.name: body.parameters for body in file.bodies}
    shared = [body for body in robot.bodies if body.name in in_file]
    return {body.name: body.parameters for body in shared if not np.array_equal(body.parameters, in_file[body.name])}


def _redriven(file: Robot, robot: Robot) -> dict[str, tuple[Joint, Joint]]:
    """The joints whose friction differs, in the file and of the robot."""
    said = any(
        joint.drive.has_any or joint.passive for joint in robot.joints
    )  # else nothing was found, and none changes
    pairs = {joint.name: (file.joint(joint.name), joint) for joint in robot.joints if said}
    return {name: (old, new) for name, (old, new) in pairs.items() if rubbing(old) != rubbing(new)}


def _friction(joint: Joint) -> Attributes:
    viscous, coulomb = rubbing(joint)
    return {"damping": full_precision(viscous), "friction": full_precision(coulomb)}


def _after(where: str, before: Inertial, phi: Array) -> Inertial:
    """The file's values for these parameters; its own where they differ by no more than rounding."""
    if phi[0] == 0.0 and phi[1:4].any():
        raise InvalidRobot(where, "has first moments but no mass, which a URDF cannot say")
    com = before.com if phi[0] == 0.0 else com_of(phi)
    inertia = before.axes.T @ inertia_about_com(phi) @ before.axes
    return Inertial(
        phi[0],
        _settled(com, before.com, np.abs(com).max()),
        before.axes,
        _settled(inertia, before.inertia, np.abs(phi[4:]).max()),
    )


def _settled(new: Array, old: Array, scale: float) -> Array:
    # An entry that was 0 in the file should not become 1e-19 because its body changed elsewhere.
    return np.where(np.abs(new - old) <= 4.0 * np.finfo(float).eps * scale, old, new)


def _attributes(inertial: Inertial) -> dict[str, Attributes]:
    """Attribute texts of the elements in <inertial>, in the order in which missing ones are added."""
    entries = {name: full_precision(inertial.inertia[place]) for name, place in _ENTRIES.items()}
    return {
        "origin": {"xyz": full_precision(inertial.com)},
        "mass": {"value": full_precision(inertial.mass)},
        "inertia": entries,
    }


# ---------------------------------------------------------------------- where it stands


class _Layout:
    """The bytes of a file, where its elements stand, and how it is indented."""

    def __init__(self, data: bytes) -> None:
        self.data = data
        self.newline = b"\r\n" if b"\r\n" in data else b"\n"
        self.links: dict[str, _Element] = {}
        self.joints: dict[str, _Element] = {}
        self.unit = b"  "
        self.root = self._scan()
        for place in (self.root, *self.links.values()):
            outer, inner = self.margin(place.start), self.inner(place)
            if outer is not None and inner is not None and inner.startswith(outer) and inner != outer:
                self.unit = inner[len(outer) :]
                break

    def _scan(self) -> _Element:
        """Find every element; the outermost is returned, its links and joints are kept by name."""
        parser = ParserCreate("utf-8" if encoding_of(self.data) == "utf-8" else None, "}")
        whole = _Element(0, 0)
        above, namespace = [whole], ""

        def start(name: str, attributes: Mapping[str, str]) -> None:
            nonlocal namespace
            if len(above) == 1:
                namespace = name.removesuffix("robot")
            tag, position = name.removeprefix(namespace), parser.CurrentByteIndex
            place = _Element(position, position + len(_start_tag(self.data, position)[0]))
            above[-1].children.setdefault(tag, place)
            if len(above) == 2 and tag in ("link", "joint"):
                (self.links if tag == "link" else self.joints)[attributes["name"]] = place
            above.append(place)

        def end(_: str) -> None:
            above.pop().end = parser.CurrentByteIndex

        parser.StartElementHandler, parser.EndElementHandler = start, end
        parser.Parse(self.data, True)
        return whole.children["robot"]

    def margin(self, position: int) -> bytes | None:
        """The blanks before a place in its line; None if anything else stands there."""
        before = self.data[self.line(position) : position]
        return None if before.strip() else before

    def line(self, position: int) -> int:
        """Where the line of a place begins."""
        return self.data.rfind(b"\n", 0, position) + 1

    def inner(self, place: _Element) -> bytes | None:
        """The blanks before the children of an element; None if they share its line."""
        if place.children:
            return self.margin(next(iter(place.children.values())).start)
        outer = self.margin(place.start)
        return None if outer is None else outer + self.unit


def _start_tag(data: bytes, position: int) -> re.Match[bytes]:
    found = _START_TAG.match(data, position)
    assert found is not None, "the XML library found an element here"
    return found


# ---------------------------------------------------------------------- edits


def _edits(
    data: bytes, root: Element, changed: Mapping[str, Array], redriven: Mapping[str, tuple[Joint, Joint]]
) -> list[_Edit]:
    if not changed and not redriven:
        return []
    layout, edits = _Layout(data), list[_Edit]()
    for link in root.findall("link"):
        name = link.get("name", "")
        if name in changed:
            before = inertial_of(link)
            after = _after(f"link {name!r}", before, changed[name])
            edits.extend(_link_edits(layout, layout.links[name], before, after))
    for name, (old, new) in redriven.items():
        edits.extend(_joint_edits(layout, layout.joints[name], _friction(old), _friction(new)))
    return edits


def _added(data: bytes, bodies: Sequence[Body]) -> _Edit:
    """Bodies as the last children of the file's robot."""
    layout = _Layout(data)
    if b":" in _start_tag(data, layout.root.start)[1]:
        raise InvalidRobot("robot", "has a prefix of a namespace, to which no links are added")
    lines = [line.encode("ascii", "xmlcharrefreplace") for body in bodies for line in body_elements(body)]
    return _insertion(layout, layout.root, lines)


def _link_edits(layout: _Layout, link: _Element, before: Inertial, after: Inertial) -> Iterator[_Edit]:
    old, new = _attributes(before), _attributes(after)
    prefix = _start_tag(layout.data, link.start)[1].removesuffix(b"link")
    inertial, missing = link.children.get("inertial"), list[bytes]()
    for tag, values in new.items():
        if inertial is not None and tag in inertial.children:
            differing = {name: text for name, text in values.items() if text != old[tag][name]}
            yield from _attribute_edits(layout.data, inertial.children[tag], differing)
        elif values != old[tag] or inertial is None:
            missing.append(_element(prefix + tag.encode(), values))
    if inertial is None:
        name = prefix + b"inertial"
        inside = [layout.unit + line for line in missing]
        yield _insertion(layout, link, [b"<" + name + b">", *inside, b"</" + name + b">"])
    elif missing:
        yield _insertion(layout, inertial, missing)


def _joint_edits(layout: _Layout, joint: _Element, old: Attributes, new: Attributes) -> Iterator[_Edit]:
    dynamics = joint.children.get("dynamics")
    if dynamics is not None:
        yield from _attribute_edits(layout.data, dynamics, {name: new[name] for name in new if new[name] != old[name]})
    else:
        prefix = _start_tag(layout.data, joint.start)[1].removesuffix(b"joint")
        yield _insertion(layout, joint, [_element(prefix + b"dynamics", new)])


def _element(name: bytes, values: Attributes) -> bytes:
    return b"<" + name + b"".join(_attribute(*pair) for pair in values.items()) + b"/>"


def _attribute(name: str, text: str) -> bytes:
    return f' {name}="{text}"'.encode("ascii")


def _attribute_edits(data: bytes, place: _Element, values: Attributes) -> Iterator[_Edit]:
    """New values between the quotes that are there; attributes that are not there after the last one."""
    tag = _start_tag(data, place.start)
    present = {found[1]: found for found in _ATTRIBUTE.finditer(data, tag.end(1), tag.end())}
    last = max((found.end() for found in present.values()), default=tag.end(1))
    for name, text in values.items():
        found = present.get(name.encode())
        if found is not None:
            yield _Edit(found.start(2) + 1, found.end(2) - 1, text.encode("ascii"))
        else:
            yield _Edit(last, last, _attribute(name, text))


def _insertion(layout: _Layout, place: _Element, lines: Sequence[bytes]) -> _Edit:
    """Lines as the last children of an element: on lines of their own if its end tag is on one."""
    data, newline = layout.data, layout.newline
    empty = data[place.stop - 2 : place.stop] == b"/>"
    outer, inner = layout.margin(place.start if empty else place.end), layout.inner(place)
    inline = outer is None or inner is None
    block = b"".join(line.strip() if inline else (inner or b"") + line + newline for line in lines)
    if empty:
        name = _start_tag(data, place.start)[1]
        slash = len(data[: place.stop - 2].rstrip())
        opening = b">" if inline else b">" + newline
        return _Edit(slash, place.stop, opening + block + (outer or b"") + b"</" + name + b">")
    at = place.end if inline else layout.line(place.end)
    return _Edit(at, at, block)


def _edited(data: bytes, edits: Iterable[_Edit]) -> bytes:
    pieces, done = list[bytes](), 0
    for edit in sorted(edits, key=lambda edit: edit.start):
        pieces += [data[done : edit.start], edit.text]
        done = edit.stop
    return b"".join([*pieces, data[done:]])
