"""Fast accessors for operands, results and regions of operations by name.

    %s = arith.addi %a, %b                                // op.lhs is operand 0
    %z = linalg.generic ins(%x, %y : …) outs(%o : …)      // op.outputs is operand 2: operandSegmentSizes = array<i32: 2, 1>

The class determines which operand `op.lhs` is; an attribute, of which a program has few distinct ones, determines where a
segment begins. xDSL creates a view of all operands to take one, and decodes an attribute's bytes each time; together
this took a twentieth of a compilation. `with_quick_accessors` adds accessors to a class that remember both, and return
the same as those of xDSL. Importing this module adds them to the upstream dialects that programs consist of
(docs/upstream.md).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from itertools import accumulate
from operator import attrgetter
from typing import Any, TypeVar, cast

from xdsl.dialects import arith, cf, func, linalg, math, memref, scf, tensor, vector
from xdsl.dialects.builtin import DenseArrayBase, IntegerType
from xdsl.ir import Attribute, Operation, SSAValue, SSAValues
from xdsl.irdl import IRDLOperation
from xdsl.irdl.operations import (
    BaseAccessor,
    BaseAttrAccessor,
    BeforeVariadicSingleAccessor,
    OptionalAttrAccessor,
    UniqueVariadicAccessor,
    VariadicAttrAccessor,
    VarIRConstruct,
)

OpT = TypeVar("OpT", bound=IRDLOperation)
Getter = Callable[[Any], Any]
Values = Callable[[Operation], SSAValues]

_VALUES: Mapping[VarIRConstruct, Values] = {
    VarIRConstruct.OPERAND: attrgetter("_operands"),
    VarIRConstruct.RESULT: attrgetter("results"),
}

DIALECTS = (
    arith.Arith,
    cf.Cf,
    func.Func,
    linalg.Linalg,
    math.Math,
    memref.MemRef,
    scf.Scf,
    tensor.Tensor,
    vector.Vector,
)
"""Of upstream, those whose operations have quick accessors."""

MAX_ATTRIBUTES = 4096
"""Attributes of which is kept what they say."""

_STARTS: dict[int, tuple[Attribute, tuple[int, ...]]] = {}
"""Segment starts of an attribute, and the last end, by its `id`.

(The attribute is kept alive here, so that no other one gets its `id`.)
"""

_ALL_TOGETHER = re.compile(r"(?<![$\w])(operands|results)\b")
"""The directives of an assembly format that stand for all of them."""

_item = tuple.__getitem__
"""Item access for `SSAValues` without its own dispatch.

The function of `SSAValues` first tests whether an item or a slice is requested.
"""


def _starts(attribute: Attribute) -> tuple[int, ...]:
    known = _STARTS.get(id(attribute))
    if known is None:
        if len(_STARTS) >= MAX_ATTRIBUTES:
            _STARTS.clear()
        sizes = cast("DenseArrayBase[IntegerType]", attribute)
        starts = tuple(accumulate(sizes.get_values(), initial=0))
        known = _STARTS[id(attribute)] = attribute, starts
    return known[1]


def _part(values: SSAValues, start: int, end: int) -> SSAValues:
    return values if start == 0 and end == len(values) else SSAValues(_item(values, slice(start, end)))


def _one(construct: VarIRConstruct, index: int) -> Getter:
    """In front of anything variadic."""
    if construct is VarIRConstruct.OPERAND:
        return lambda op: _item(op._operands, index)
    if construct is VarIRConstruct.RESULT:
        return lambda op: _item(op.results, index)
    return lambda op: op.regions[index]


def _all_but(values_of: Values, start: int, others: int) -> Getter:
    """Return a getter for the only variadic group among several.

    The group is what the `others` leave, `start` of which precede it.
    """

    def part(op: Operation) -> SSAValues:
        values = values_of(op)
        return _part(values, start, start + len(values) - others)

    return part


def _of_segments(values_of: Values, accessor: BaseAttrAccessor) -> Getter:
    """Return a getter for a group whose position an attribute determines."""
    name, index = accessor.option.attribute_name, accessor.idx
    attributes_of = attrgetter("properties" if accessor.option.as_property else "attributes")

    def several(op: Operation) -> SSAValues:
        starts = _starts(attributes_of(op)[name])
        return _part(values_of(op), starts[index], starts[index + 1])

    def perhaps(op: Operation) -> SSAValue | None:
        starts = _starts(attributes_of(op)[name])
        start = starts[index]
        return None if start == starts[index + 1] else _item(values_of(op), start)

    def one(op: Operation) -> SSAValue:
        return _item(values_of(op), _starts(attributes_of(op)[name])[index])

    if isinstance(accessor, VariadicAttrAccessor):
        return several
    return perhaps if isinstance(accessor, OptionalAttrAccessor) else one


def _getter(accessor: object) -> Getter | None:
    """Return a getter equivalent to xDSL's accessor, or None.

    None stands for kinds of accessors that few classes have.
    """
    if not isinstance(accessor, BaseAccessor | BaseAttrAccessor):
        return None
    construct = accessor.construct
    if isinstance(accessor, BeforeVariadicSingleAccessor) and construct is not VarIRConstruct.SUCCESSOR:
        return _one(construct, accessor.idx)
    if construct not in _VALUES:
        return None
    if isinstance(accessor, UniqueVariadicAccessor):
        return _all_but(_VALUES[construct], accessor.idx, accessor.num_defs - 1)
    return _of_segments(_VALUES[construct], accessor) if isinstance(accessor, BaseAttrAccessor) else None


def with_quick_accessors(op_class: type[OpT]) -> type[OpT]:
    """The class, whose operands, results and regions are found without detours.

    A class whose format prints all its operands or results together keeps xDSL's accessors: the parser asks these where segments begin.
    """
    if _ALL_TOGETHER.search(op_class.get_irdl_definition().assembly_format or ""):
        return op_class
    for name, accessor in [*vars(op_class).items()]:
        if (getter := _getter(accessor)) is not None:
            setattr(op_class, name, property(getter, accessor.__set__))
    return op_class


for _dialect in DIALECTS:
    for _class in _dialect.operations:
        if issubclass(_class, IRDLOperation):
            with_quick_accessors(_class)
