"""Concatenation of a loop's output from its iterations, and its checks.

The checks compare the file's declarations with the actual parts.

TensorIterator-1: the parts are concatenated along the `axis`, in the order of the iterations, or backwards if the
`stride` is negative. So `start` and `end` have no effect (`format` warns of other values than the usual ones), and
`part_size` and the absolute value of `stride` only repeat the length of a part.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from lxml import etree
from xdsl.dialects.builtin import ModuleOp

from loomir.compiler.frontends.openvino.elements import element_text, integer_of, line_of
from loomir.compiler.frontends.openvino.network import Layer
from loomir.dialects.ov.loop_slices import Slicing
from loomir.dialects.ov.operators.control_flow import LoopOp
from loomir.errors import Error
from loomir.passes.analysis.inference import infer


@dataclass(frozen=True)
class Join:
    """Contents of the `<output>` of a port map.

    The element is `text` in a `line` of the file; `part_size` is None if it is not specified.
    """

    text: str
    line: int
    axis: int
    backwards: bool
    part_size: int | None

    @property
    def slicing(self) -> Slicing:
        """The same in GRAPH."""
        size = self.part_size or 1
        if self.backwards:
            return Slicing(self.axis, -1, 0, -size, size)
        return Slicing(self.axis, 0, -1, size, size)


def read_join(element: etree._Element) -> Join | None:
    """Return how an output is joined, or None without an `axis`.

    Errors: `ir-structure`, `loop-stride`, `loop-part-size`.
    """
    if element.get("axis") is None:
        return None
    text, line = element_text(element), line_of(element)
    stride = integer_of(element, "stride", 1)
    if stride == 0:
        raise Error("loop-stride", f"{text}: the stride of a concatenated output is 0", hint=_STRIDES).at(
            line=line
        )
    size = None if element.get("part_size") is None else integer_of(element, "part_size")
    if size is not None and element.get("stride") is not None and size != abs(stride):
        raise Error(
            "loop-part-size", f"{text}: part_size {size} differs from the stride {stride}", hint=_STRIDES
        ).at(line=line)
    if size is not None and size < 1:
        raise Error(
            "loop-part-size",
            f"{text}: part_size {size} is none",
            hint="leave it out, or write how long a part is",
        ).at(line=line)
    for attribute in ("start", "end"):
        integer_of(element, attribute, 0)
    return Join(text, line, integer_of(element, "axis"), stride < 0, size)


_STRIDES = (
    "write stride and part_size as long as a part is on the axis, the stride negative to join backwards"
)


@dataclass(frozen=True)
class Joined:
    """Concatenated output of a loop, and its description in the file."""

    layer: Layer
    loop: LoopOp
    index: int
    join: Join


def check_joins(module: ModuleOp, joined: Iterable[Joined]) -> None:
    """Reject a `part_size` that differs from the inferred length of the parts.

    Parts of unknown length are not checked. Error: `loop-part-size`.
    """
    said = [j for j in joined if j.join.part_size is not None]
    if not said:
        return
    try:
        inference = infer(module)
    except Error:
        # The shapes that the file declares forbid something. `ov-infer` says so, if the user gives no other ones.
        return
    for each in said:
        fact = inference.facts.get(each.loop.next.concat[each.index])
        if fact is None or fact.shape is None:
            continue
        axis = each.join.axis
        size = fact.shape[axis].static if -len(fact.shape) <= axis < len(fact.shape) else None
        if size not in (None, each.join.part_size):
            raise Error(
                "loop-part-size",
                f"{each.join.text}: part_size {each.join.part_size}, but a part is {size} long on axis {axis}",
                layer=each.layer.name,
                op=each.layer.type,
                hint=_STRIDES,
            ).at(line=each.join.line)
