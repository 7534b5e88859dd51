"""URDF files in.

Real files are full of small defects, and most of them do no harm: no <limit>, no <inertial>, no <origin>,
zero inertias, namespaces declared and never used, elements of other programs. All of that is read.
What would change the robot if it were guessed is refused, with the file, the element and the reason:
macros, mimic joints, closed loops, values that are not numbers.

URDF has no word for how the base moves: see `read_urdf`. What single elements say is read in `urdf_elements.py`.
"""

from __future__ import annotations

import codecs
import math
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple
from xml.etree.ElementTree import Element, ParseError
from xml.parsers.expat import ErrorString

import numpy as np
from defusedxml import DefusedXmlException
from defusedxml.ElementTree import DefusedXMLParser

from freefloat.errors import FileError, InvalidRobot
from freefloat.files import FilePath, read_bytes
from freefloat.robot.model import Robot
from freefloat.robot.parts import BaseKind, Body, JointKind
from freefloat.robot.transform import Transform
from freefloat.robot.urdf_elements import joint_of, parameters_of, placement_of, shapes_of, three_numbers

_DECLARATION = re.compile(rb"""(?:\xef\xbb\xbf)?<\?xml\s[^>]*?encoding\s*=\s*["']([A-Za-z0-9._-]+)["']""")
_KINDS: dict[str, JointKind] = {
    "revolute": "revolute",
    "continuous": "continuous",
    "prismatic": "prismatic",
    "fixed": "fixed",
}
_BASE_JOINTS: dict[str, BaseKind] = {"floating": "free", "planar": "planar"}


class _Edge(NamedTuple):
    """A <joint> and the two links it connects."""

    name: str
    kind: str
    parent: str
    child: str
    element: Element


def read_urdf(path: FilePath, base: BaseKind | None = None) -> Robot:
    """The robot of a URDF file.

    base: how its base moves. Left out, a massless root says it: on a `floating` joint its only child is a
        free base, on a `planar` joint a planar one, and a root named `world` is a fixed base. Every other
        root is the base itself, and free.
    """
    return robot_of(parse_urdf(read_bytes(path), path), path, base)


def parse_urdf(data: bytes, path: FilePath) -> Element:
    """The <robot> element of a URDF given as bytes; `path` names it in messages."""
    # Only utf-8 is forced: it is often spelled utf8, which the XML library takes for something else.
    encoding = "utf-8" if encoding_of(data) == "utf-8" else None
    try:
        parser = DefusedXMLParser(encoding=encoding, forbid_dtd=True)
        parser.feed(data)
        root: Element = parser.close()
    except ParseError as error:
        line, column = error.position
        place = f"line {line}, column {column + 1}"
        raise FileError(path, f"not well-formed XML at {place}: {ErrorString(error.code)}") from error
    except DefusedXmlException as error:
        raise FileError(
            path,
            "declares a document type or entities, which can hide other files or endless text; remove them",
        ) from error
    except (ValueError, LookupError) as error:
        raise FileError(path, f"its text encoding cannot be read ({error})") from error
    try:
        _plain_tags(root, path)
    except RecursionError as error:
        raise FileError(path, "its elements are nested too deeply to be a robot") from error
    return root


def encoding_of(data: bytes) -> str | None:
    """Python's name of the text encoding that an XML file declares; None where it declares none."""
    declared = _DECLARATION.match(data)
    if declared is None:
        return None
    name = declared[1].decode("ascii")
    try:
        return codecs.lookup(name).name
    except LookupError:
        return name


def robot_of(root: Element, path: FilePath, base: BaseKind | None = None) -> Robot:
    """The robot of a <robot> element; `path` names it in messages, `base` is as in `read_urdf`."""
    try:
        # Numbers near the largest a computer holds become infinite on the way, and are then refused.
        with np.errstate(over="ignore", invalid="ignore"):
            return _robot(root, root.get("name") or Path(path).stem, base)
    except InvalidRobot as error:
        raise FileError(path, str(error)) from error


# ---------------------------------------------------------------------- the tree


def _plain_tags(root: Element, path: FilePath) -> None:
    """Drop the root's namespace from the tags; elements of other namespaces then match nothing."""
    namespace = _split(root.tag)[0]
    for element in root.iter():
        space, tag = _split(element.tag)
        if "xacro" in space:
            raise FileError(path, f"<xacro:{tag}>: macros are not expanded here; run xacro on the file first")
        if space == namespace:
            element.tag = tag
    if root.tag != "robot":
        raise FileError(path, f"<{root.tag}>: not a URDF, whose outermost element is <robot>")


def _split(tag: str) -> tuple[str, str]:
    namespace, _, name = tag.rpartition("}")
    return namespace, name


def _robot(root: Element, name: str, base: BaseKind | None) -> Robot:
    links, joints = _named(root, "link"), _named(root, "joint")
    if not links:
        raise InvalidRobot("<robot>", "holds no <link>; a robot needs at least one")
    edges = _edges(links, joints)
    base_link, kind, edges = _base(_root(links, edges), links, edges)
    carried = [_body(links[edge.child], edge.parent, edge) for edge in edges]
    return Robot(name, (_body(links[base_link]), *carried), base=base or kind)


def _named(root: Element, tag: str) -> dict[str, Element]:
    found: dict[str, Element] = {}
    for element in root.findall(tag):
        name = element.get("name")
        if not name:
            raise InvalidRobot(f"<{tag}>", "has no name; every link and joint needs one")
        if name in found:
            raise InvalidRobot(f"{tag} {name!r}", "this name is given twice; names must differ")
        found[name] = element
    return found


def _edges(links: Mapping[str, Element], joints: Mapping[str, Element]) -> list[_Edge]:
    edges: dict[str, _Edge] = {}
    for name, joint in joints.items():
        where, kind = f"joint {name!r}", joint.get("type", "")
        if kind not in _KINDS and kind not in _BASE_JOINTS:
            raise InvalidRobot(where, f"type is {kind!r}; allowed: {', '.join((*_KINDS, *_BASE_JOINTS))}")
        if joint.find("mimic") is not None:
            raise InvalidRobot(where, "has <mimic>; joints that follow other joints are not supported")
        parent, child = _end(where, joint, "parent", links), _end(where, joint, "child", links)
        if child in edges:
            both = f"{edges[child].name!r} and {name!r}"
            raise InvalidRobot(f"link {child!r}", f"joints {both} both carry it; closed loops are not supported")
        edges[child] = _Edge(name, kind, parent, child, joint)
    return list(edges.values())


def _end(where: str, joint: Element, tag: str, links: Mapping[str, Element]) -> str:
    element = joint.find(tag)
    name = None if element is None else element.get("link")
    if name is None:
        raise InvalidRobot(where, f"has no <{tag} link>; a joint needs a parent and a child")
    if name not in links:
        raise InvalidRobot(where, f"its {tag} {name!r} is not a link of this file")
    return name


def _root(links: Mapping[str, Element], edges: Sequence[_Edge]) -> str:
    children = {edge.child for edge in edges}
    roots = [name for name in links if name not in children]
    if not roots:
        raise InvalidRobot("<robot>", "every link is the child of a joint, so the joints form a cycle")
    if len(roots) > 1:
        listed = ", ".join(repr(name) for name in roots)
        raise InvalidRobot("<robot>", f"exactly one link must be no joint's child; found: {listed}")
    return roots[0]


def _base(root: str, links: Mapping[str, Element], edges: list[_Edge]) -> tuple[str, BaseKind, list[_Edge]]:
    """The link that is the base, how it moves, and the joints that are left."""
    leaving = [edge for edge in edges if edge.parent == root]
    kind: BaseKind = "free"
    if leaving and not parameters_of(links[root]).any():
        first = leaving[0]
        if len(leaving) == 1 and first.kind in _BASE_JOINTS:
            _refuse_tilted_plane(first)
            edges = [edge for edge in edges if edge is not first]
            root, kind = first.child, _BASE_JOINTS[first.kind]
        elif root == "world":
            kind = "fixed"
    for edge in edges:
        if edge.kind in _BASE_JOINTS:
            raise InvalidRobot(
                f"joint {edge.name!r}",
                f"type is {edge.kind!r}; allowed only from a massless root to its one child, the base",
            )
    return root, kind, edges


def _refuse_tilted_plane(edge: _Edge) -> None:
    """A planar base turns about its z axis. Without <axis> that is what loaders take, whatever URDF says."""
    axis = edge.element.find("axis")
    if edge.kind != "planar" or axis is None:
        return
    x, y, z = three_numbers(f"joint {edge.name!r}", axis, "xyz", (0.0, 0.0, 1.0))
    if math.hypot(x, y) > 1e-9 * abs(z):
        raise InvalidRobot(f"joint {edge.name!r}", "a planar base moves in x and y; its axis must be 0 0 1")


def _body(link: Element, parent: str | None = None, edge: _Edge | None = None) -> Body:
    return Body(
        link.get("name", ""),
        parent,
        None if edge is None else joint_of(edge.element, edge.name, _KINDS[edge.kind]),
        Transform() if edge is None else placement_of(f"joint {edge.name!r}", edge.element),
        parameters_of(link),
        shapes_of(link),
    )
