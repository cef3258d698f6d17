"""The operands and results of operations that have several variadic ones, without taking their attribute apart each time.

    %z = linalg.generic ins(%x, %y : …) outs(%o : …)      // operandSegmentSizes = array<i32: 2, 1>

Where a segment begins is in `operandSegmentSizes` (`resultSegmentSizes`), which a program has few of; xDSL decodes its bytes whenever an
operation is asked for its `inputs`, which took a thirtieth of a compilation. `with_quick_segments` gives a class accessors that remember
what such an attribute says, and otherwise do what xDSL's do. Importing this module gives them to the upstream operations that passes ask
most (docs/upstream.md).
"""

from __future__ import annotations

from itertools import accumulate
from typing import Any, NoReturn, TypeVar, cast

from xdsl.dialects import memref, tensor
from xdsl.dialects.builtin import DenseArrayBase, IntegerType
from xdsl.dialects.linalg import ops as linalg
from xdsl.ir import Attribute, Operation
from xdsl.irdl import IRDLOperation
from xdsl.irdl.operations import (
    BaseAttrAccessor,
    OptionalAttrAccessor,
    SingleAttrAccessor,
    VariadicAttrAccessor,
    get_op_constructs,
)

OpT = TypeVar("OpT", bound=IRDLOperation)

MAX_ATTRIBUTES = 4096
"""Attributes of which is kept what they say."""

_STARTS: dict[int, tuple[Attribute, tuple[int, ...]]] = {}
"""Where the segments of an attribute begin, and the last one ends, by its `id`. (Each is held here, so that no other gets its `id`.)"""


def _starts(attribute: Attribute) -> tuple[int, ...]:
    known = _STARTS.get(id(attribute))
    if known is None:
        if len(_STARTS) >= MAX_ATTRIBUTES:
            _STARTS.clear()
        sizes = cast("DenseArrayBase[IntegerType]", attribute)
        starts = tuple(accumulate(sizes.get_values(), initial=0))
        known = _STARTS[id(attribute)] = attribute, starts
    return known[1]


class _Segment:
    """One declared operand or result of a class, in place of xDSL's accessor."""

    def __init__(self, accessor: BaseAttrAccessor) -> None:
        self._accessor = accessor
        self._construct = accessor.construct
        self._name = accessor.option.attribute_name
        self._of_properties = accessor.option.as_property
        self._index = accessor.idx
        self._variadic = isinstance(accessor, VariadicAttrAccessor)
        self._optional = isinstance(accessor, OptionalAttrAccessor)

    def __get__(self, op: Operation, owner: type | None = None) -> Any:
        sizes = (op.properties if self._of_properties else op.attributes)[self._name]
        starts = _starts(sizes)
        start, end = starts[self._index], starts[self._index + 1]
        values = get_op_constructs(op, self._construct)
        if self._variadic:
            return values[start:end]
        return None if self._optional and start == end else values[start]

    def __set__(self, op: Operation, value: object) -> NoReturn:
        self._accessor.__set__(op, value)


def with_quick_segments(op_class: type[OpT]) -> type[OpT]:
    """The class, whose operands and results by segments are found by what their attribute said before."""
    for name, accessor in [*vars(op_class).items()]:
        if isinstance(accessor, VariadicAttrAccessor | OptionalAttrAccessor | SingleAttrAccessor):
            setattr(op_class, name, _Segment(accessor))
    return op_class


for _class in (
    linalg.GenericOp,
    linalg.FillOp,
    linalg.CopyOp,
    memref.AllocOp,
    memref.SubviewOp,
    tensor.ExtractSliceOp,
    tensor.InsertSliceOp,
    tensor.PadOp,
):
    with_quick_segments(_class)
