"""Legalization of operations to OpenVINO's operation sets.

Operations that no operation set has are expressed by those that exist. Each module of `operators/` has functions that register
themselves with `@legalizes(SomeOp)`. Such a function returns the values that replace the operation's results, or None if the
operation can stay and nothing was emitted:

>>> @legalizes(SqueezeOp)
... def squeeze(op: SqueezeOp, build: GraphBuilder, checks: Checks) -> Sequence[SSAValue] | None: …

The emitted operations are put on the worklist again.

OpenVINO has requirements of operands that operations of GRAPH do not have: it requires a scalar where any single number would do,
and an index type where any integer would do. An operand that does not comply is reshaped or converted in front of the operation,
which changes no number. A constant is replaced by another one.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern

from loomir.dialects.diagnostics import located
from loomir.dialects.element_types import (
    bf16,
    dtype_of,
    f16,
    f32,
    f64,
    i8,
    i32,
    i64,
    is_integer,
    ui8,
    ui32,
    ui64,
)
from loomir.dialects.families import families
from loomir.dialects.ov.base import OvOperation
from loomir.dialects.ov.facts import Fact
from loomir.dialects.ov.graph_builder import GraphBuilder, RewriteBuilder
from loomir.dialects.ov.layers.conversion import spell_out
from loomir.dialects.ov.operators.activation import HardSigmoidOp, SwishOp
from loomir.dialects.ov.operators.broadcasting import BroadcastOp, PadOp, RangeOp
from loomir.dialects.ov.operators.constant import ConstantOp, EyeOp, OneHotOp
from loomir.dialects.ov.operators.contraction import DFTOp, IDFTOp, IRDFTOp, RDFTOp
from loomir.dialects.ov.operators.conversion import ConvertOp, FakeConvertOp
from loomir.dialects.ov.operators.decoding import CTCGreedyDecoderSeqLenOp
from loomir.dialects.ov.operators.elementwise_binary import MaximumOp, MinimumOp
from loomir.dialects.ov.operators.gathering import (
    EmbeddingBagOffsetsOp,
    EmbeddingBagPackedOp,
    EmbeddingSegmentsSumOp,
    GatherElementsOp,
    GatherNDOp,
)
from loomir.dialects.ov.operators.interpolate import InterpolateOp
from loomir.dialects.ov.operators.joining import SplitOp, TileOp, VariadicSplitOp
from loomir.dialects.ov.operators.layout import ReverseOp, RollOp
from loomir.dialects.ov.operators.normalisation import LRNOp, MVNOp
from loomir.dialects.ov.operators.recurrent import GRUSequenceOp, LSTMSequenceOp, RNNSequenceOp
from loomir.dialects.ov.operators.reduction import CumSumOp
from loomir.dialects.ov.operators.reshape import ReshapeOp
from loomir.dialects.ov.operators.scattering import ScatterNDUpdateOp
from loomir.dialects.ov.operators.sorting import TopKOp, UniqueOp
from loomir.dialects.ov.operators.windows import Col2ImOp
from loomir.dialects.upstream.walking import walk
from loomir.errors import Error
from loomir.passes.graph.convert_ov_to_openvino.checks import Checks, require_expressible
from loomir.passes.graph.lib.decompositions import Size, Sizes, decomposition_of
from loomir.passes.graph.ov_decompose import decompose, with_types_of


@dataclass(frozen=True)
class Requirement:
    """Requirements of an operand: its rank (0 or 1) and element types.

    The first element type holds all numbers of the others.
    """

    rank: int | None = None
    elements: Sequence[Attribute] = ()
    within: tuple[str, int] | None = None
    """Axis of another operand whose extent is the greatest effective number.

    Numbers below 0 count as 0. Neither is an error here.
    """
    counts: bool = False
    """True if numbers below 0 count as 0."""


_INDEX = (i64, i32)
_SCALAR, _LIST = Requirement(0), Requirement(1)
_SCALAR_INDEX, _ANY_INDEX = Requirement(0, _INDEX), Requirement(None, _INDEX)
_FOURIER = {
    "data": Requirement(None, (f32, f16, bf16)),
    "axes": Requirement(1, _INDEX),
    "signal_size": Requirement(1, _INDEX),
}
_COUNT = Requirement(None, _INDEX, counts=True)
_SEQUENCE = {"sequence_lengths": Requirement(None, _INDEX, within=("x", 1))}

_REQUIREMENTS: Mapping[type[OvOperation], Mapping[str, Requirement]] = {
    HardSigmoidOp: {"alpha": _SCALAR, "beta": _SCALAR},
    SwishOp: {"beta": _SCALAR},
    BroadcastOp: {"axes_mapping": _LIST},
    MVNOp: {"axes": _LIST},
    LRNOp: {"axes": _LIST},
    RangeOp: {"start": _SCALAR, "stop": _SCALAR, "step": _SCALAR},
    PadOp: {"pad_value": _SCALAR},
    OneHotOp: {"depth": Requirement(0, counts=True), "on_value": _SCALAR, "off_value": _SCALAR},
    EyeOp: {"num_rows": _COUNT, "num_columns": _COUNT, "diagonal_index": _ANY_INDEX, "batch_shape": _COUNT},
    CumSumOp: {"axis": _SCALAR_INDEX},
    TopKOp: {"k": _SCALAR},
    SplitOp: {"axis": _SCALAR},
    VariadicSplitOp: {"axis": _SCALAR},
    FakeConvertOp: {"data": Requirement(None, (f32, f16, bf16))},
    TileOp: {"repeats": _LIST},
    ReverseOp: {"axes": _LIST},
    RollOp: {"shift": _ANY_INDEX, "axes": _ANY_INDEX},
    UniqueOp: {"axis": _ANY_INDEX},
    GatherElementsOp: {"indices": _ANY_INDEX},
    GatherNDOp: {"indices": _ANY_INDEX},
    ScatterNDUpdateOp: {"indices": _ANY_INDEX},
    Col2ImOp: {"output_size": Requirement(1, _INDEX), "kernel_size": Requirement(1, _INDEX)},
    InterpolateOp: {
        "data": Requirement(None, (f32, f16, bf16, f64, i8, ui8, i32, i64)),
        "target": Requirement(1, (i64, i32, ui32, f32, f16, bf16)),
        "axes": Requirement(1, (i64, i32, ui32)),
    },
    CTCGreedyDecoderSeqLenOp: {"sequence_length": Requirement(None, _INDEX, within=("data", 1)), "blank_index": _ANY_INDEX},
    EmbeddingBagOffsetsOp: {"indices": _ANY_INDEX, "offsets": _ANY_INDEX, "default_index": _SCALAR_INDEX},
    EmbeddingBagPackedOp: {"indices": _ANY_INDEX},
    EmbeddingSegmentsSumOp: {
        "indices": _ANY_INDEX, "segment_ids": _ANY_INDEX, "num_segments": _SCALAR_INDEX, "default_index": _SCALAR_INDEX,
    },
    DFTOp: _FOURIER,
    IDFTOp: _FOURIER,
    RDFTOp: _FOURIER,
    IRDFTOp: _FOURIER,
    LSTMSequenceOp: _SEQUENCE,
    GRUSequenceOp: _SEQUENCE,
    RNNSequenceOp: _SEQUENCE,
}  # fmt: skip

_OF_ONE_TYPE: Mapping[type[OvOperation], Sequence[str]] = {
    EmbeddingBagOffsetsOp: ("indices", "offsets", "default_index"),
    EmbeddingSegmentsSumOp: ("indices", "segment_ids", "num_segments", "default_index"),
}
"""Integer operands that must be of one type: i64 where they differ."""


def fit_operands(op: OvOperation, build: GraphBuilder, checks: Checks) -> None:
    """Convert the operands to those that OpenVINO requires.

    Error: `not-in-openvino` if that would change a number.
    """
    for name, asked in _REQUIREMENTS.get(type(op), {}).items():
        for value in _operands(op, name):
            _replace(op, value, _fitted(op, name, value, asked, build, checks))
    together = [value for name in _OF_ONE_TYPE.get(type(op), ()) for value in _operands(op, name)]
    if len({build.fact(value).element for value in together}) > 1:
        for value in together:
            _replace(op, value, _converted(value, i64, build))


def _operands(op: OvOperation, name: str) -> Sequence[SSAValue]:
    given = getattr(op, name)
    return () if given is None else [given] if isinstance(given, SSAValue) else given


def _replace(op: OvOperation, old: SSAValue, new: SSAValue) -> None:
    if new is not old:
        op.operands = [new if value is old else value for value in op.operands]


def _fitted(
    op: OvOperation, name: str, value: SSAValue, asked: Requirement, build: GraphBuilder, checks: Checks
) -> SSAValue:
    fact = checks.fact(value)
    if asked.elements and fact.element not in asked.elements:
        wanted = asked.elements[0]
        if not (is_integer(fact.element) and wanted == i64 and _fits(fact)):
            raise Error("not-in-openvino", f"{op.name} in OpenVINO has no {name} of {fact.element}")
        value = _converted(value, wanted, build)
    if asked.rank is not None and fact.rank != asked.rank:
        value = _reshaped(value, [] if asked.rank == 0 else [-1], build)
    if asked.within is not None or asked.counts:
        value = _limited(op, value, fact, asked, build, checks)
    return value


def _limited(
    op: OvOperation, value: SSAValue, fact: Fact, asked: Requirement, build: GraphBuilder, checks: Checks
) -> SSAValue:
    """Limit the numbers to the range from 0 to the extent.

    `fact` holds what was known of the numbers; a known bound is not enforced again.
    """
    most: Size | None = None
    low, high = (None, None) if fact.bounds is None else fact.bounds
    if asked.within is not None:
        name, axis = asked.within
        shape = checks.fact(getattr(op, name)).shape
        if shape is None:
            raise Error("not-in-openvino", f"{op.name} in OpenVINO needs {name} of a known rank")
        most = shape[axis].static
        if most is None:
            most = Sizes(build).of(getattr(op, name))[axis]
        least = shape[axis].lo
        fits = high is not None and bool((high <= least).all())
    else:
        fits = True
    element = build.fact(value).element
    if not (low is not None and bool((low >= 0).all())):
        value = _joined(MaximumOp, value, build.scalar(0, element), build)
    if not fits:
        assert most is not None
        limit = build.scalar(most, element) if isinstance(most, int) else _converted(most, element, build)
        value = _joined(MinimumOp, value, limit, build)
    return value


def _joined(
    op_class: type[MaximumOp | MinimumOp], value: SSAValue, limit: SSAValue, build: GraphBuilder
) -> SSAValue:
    known, other = build.fact(value).value, build.fact(limit).value
    if known is not None and other is not None:
        return build.constant(np.asarray((np.maximum if op_class is MaximumOp else np.minimum)(known, other)))
    return build.make(op_class, value, limit)


def _fits(fact: Fact) -> bool:
    """Return True if all possible elements of an integer tensor fit i64."""
    bounds = fact.bounds
    # (Of u64 beyond i64 the bounds are negative.)
    return fact.element != ui64 or (bounds is not None and bool((bounds[0] >= 0).all()))


def _converted(value: SSAValue, element: Attribute, build: GraphBuilder) -> SSAValue:
    known = build.fact(value)
    if known.element == element:
        return value
    if known.value is not None:
        return build.constant(known.value.astype(dtype_of(element)))
    return build.make(ConvertOp, value, attributes={"destination_type": element})


def _reshaped(value: SSAValue, shape: Sequence[int], build: GraphBuilder) -> SSAValue:
    known = build.fact(value).value
    if known is not None:
        return build.constant(np.asarray(known).reshape(tuple(shape)))
    return build.make(ReshapeOp, value, build.integers(shape))


Legalization = Callable[[Any, GraphBuilder, Checks], Sequence[SSAValue] | None]

_LEGALIZATIONS: dict[type[Operation], Legalization] = {}


def legalizes(*classes: type[Operation]) -> Callable[[Legalization], Legalization]:
    """Register a function as what becomes of these operations."""

    def register(function: Legalization) -> Legalization:
        for op_class in classes:
            assert op_class not in _LEGALIZATIONS, f"{op_class.name} is expressed twice"
            _LEGALIZATIONS[op_class] = function
        return function

    return register


@cache
def _legalizations() -> dict[type[Operation], Legalization]:
    list(families(__name__.rpartition(".")[0]))  # each registers its own
    return _LEGALIZATIONS


@dataclass(frozen=True)
class Legalize(RewritePattern):
    """Replace operations that no operation set has (see the pass).

    The operations that replace one are visited, too. Error: `not-in-openvino`, with the operation's place.
    """

    checks: Checks

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter) -> None:
        if isinstance(op, OvOperation) and not isinstance(op, ConstantOp):
            for new in _legalized(op, self.checks, rewriter):
                self.match_and_rewrite(new, rewriter)


def _legalized(op: OvOperation, checks: Checks, rewriter: PatternRewriter) -> list[Operation]:
    """Express an operation and return the operations that were emitted.

    They replace the operation or stand in front of it; operations inside them are included. The result is empty if the
    operation stays unchanged.
    """
    expression = _legalizations().get(type(op))
    build = RewriteBuilder.before(op, rewriter)
    try:
        values = None if expression is None else expression(op, build, checks)
        if values is not None:
            rewriter.replace(op, [], with_types_of(op, values, build))
            return _with_nested(build.emitted)
        assert not build.emitted, op.name
        require_expressible(op, checks)
        fit_operands(op, build, checks)
        spell_out(op)
    except Error as error:
        if error.identifier != "not-in-openvino" or decomposition_of(type(op)) is None:
            raise located(error, op) from None
        return _with_nested([*build.emitted, *decompose(op, rewriter=rewriter)])
    return _with_nested(build.emitted)


def _with_nested(operations: Sequence[Operation]) -> list[Operation]:
    return [inner for new in operations for inner in walk(new)]
