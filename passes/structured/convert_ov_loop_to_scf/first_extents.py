"""Extents of a loop's first iteration, computed in front of the loop.

They are the extents of the loop's results after no iteration.

The operations that lead to a value are copied there. A copy is *needed for its extents* (`loomir.extents_only`):
`convert-ov-to-linalg` keeps the arithmetic on its extents and nothing else, neither its computation nor its checks. If
extents depend on contents (the shape of a Reshape), the operations that compute these are copied unchanged, if they are
small and certainly fail for no operands.

An extent that depends on anything else (elements of a part, results of an inner loop) is 0.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from xdsl.dialects.builtin import DYNAMIC_INDEX, TensorType, UnitAttr
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.rewriter import Rewriter

from loomir.dialects.attributes import with_bounds
from loomir.dialects.interface import EXTENTS_ONLY
from loomir.dialects.ov.base import OvOperation
from loomir.dialects.ov.facts import Dim, Fact, fact_of, is_tracked
from loomir.dialects.ov.operators.constant import ConstantOp
from loomir.dialects.ov.operators.control_flow import LoopOp
from loomir.dialects.ov.operators.internal import CheckBoundsOp, FailOp, RequireOp
from loomir.dialects.ov.operators.reshape import ShapeOfOp
from loomir.dialects.region_flow import owning_block
from loomir.dialects.speculation import MayFail, speculatable
from loomir.errors import Error
from loomir.passes.analysis.lowering_requirements import complete_bounds
from loomir.passes.structured.convert_ov_loop_to_scf.boundary import Boundaries, ranked
from loomir.passes.structured.convert_ov_loop_to_scf.slices import SlicedInput
from loomir.passes.structured.lib.builder import Extent


@dataclass
class _Known:
    """Value in front of the loop that represents a body value.

    `dims` tells for which dimensions it has the extents of the first iteration; `contents` tells whether it holds the
    elements, too.
    """

    value: SSAValue
    dims: tuple[bool, ...]
    contents: bool


class FirstExtents:
    """Extents of some values of a loop's body in its first iteration.

    The cursor is before the loop, which is not converted yet.
    """

    def __init__(
        self, low: Boundaries, op: LoopOp, slices: Sequence[SlicedInput], values: Sequence[SSAValue]
    ) -> None:
        self._low, self._op, self._slices = low, op, slices
        self._known: dict[SSAValue, _Known | None] = {}
        self._made: list[Operation] = []
        open_ = [v for v in values if DYNAMIC_INDEX in ranked(v).get_shape()]
        contents: set[SSAValue] = set()
        for inner in self._leading_to(open_, contents):
            self._copy(inner, contents)
        self._extents = {v: self._extents_of(v) for v in open_}
        for made in reversed(self._made):
            if all(r.first_use is None for r in made.results):
                Rewriter.erase_op(made)

    def of(self, value: SSAValue) -> list[Extent]:
        """Return the extents of a value.

        For a value that was not requested, return the extents of its type, and 0 for unknown ones.
        """
        found = self._extents.get(value)
        return [max(d, 0) for d in ranked(value).get_shape()] if found is None else list(found)

    def _extents_of(self, value: SSAValue) -> list[Extent]:
        shape, found = ranked(value).get_shape(), self._stands_for(value)
        dims: Sequence[Extent] = shape
        if found is not None and any(found.dims):
            dims = self._low.dims(found.value)
        return [
            extent if extent != DYNAMIC_INDEX else dims[k] if found is not None and found.dims[k] else 0
            for k, extent in enumerate(shape)
        ]

    def _leading_to(self, values: Sequence[SSAValue], contents: set[SSAValue]) -> list[Operation]:
        """Return the operations of the body that values depend on, in order.

        `contents` becomes the set of the values whose elements are needed.
        """
        needed = set(values)
        found: list[Operation] = []
        for inner in reversed(self._op.body.block.ops):
            if needed.isdisjoint(inner.results) or not _is_copied(inner):
                continue
            found.append(inner)
            needed.update(inner.operands)
            if not contents.isdisjoint(inner.results) and not isinstance(inner, ShapeOfOp):
                contents.update(inner.operands)
            elif isinstance(trait := inner.get_trait(MayFail), MayFail):
                given = (getattr(inner, name) for name in trait.parameters)
                contents.update(v for v in given if isinstance(v, SSAValue))
        return found[::-1]

    def _copy(self, inner: Operation, contents: set[SSAValue]) -> None:
        """Copy an operation in front of the loop.

        Record what is known of its results.
        """
        operands = [self._stands_for(operand) for operand in inner.operands]
        if isinstance(inner, CheckBoundsOp | RequireOp):
            self._known[inner.results[0]] = operands[0]
            return
        given = [k for k in operands if k is not None]
        if len(given) < len(operands):
            return
        copy = inner.create(
            operands=[k.value for k in given],
            result_types=[_with_noted_bounds(r) for r in inner.results],
            properties=inner.properties,
            attributes=inner.attributes,
            location=inner.location,
        )
        assert isinstance(copy, OvOperation)
        if isinstance(copy, ShapeOfOp):
            computes = all(given[0].dims)
        else:
            computes = all(k.contents for k in given) and speculatable(copy)
        small = all(is_tracked(_static(r)) for r in copy.results)
        holds = computes and small and not contents.isdisjoint(inner.results)
        if not isinstance(copy, ConstantOp) and not holds:
            copy.attributes[EXTENTS_ONLY] = UnitAttr()
        dims = self._dims_known(copy, given)
        if dims is None or any(self._low.known_bounds(r) is None for r in copy.results):
            # (It is in no block, and yet a use of its operands.)
            copy.erase()
            return
        self._low.insert(copy)
        self._made.append(copy)
        for old, new, known in zip(inner.results, copy.results, dims):
            self._known[old] = _Known(new, known, holds or isinstance(copy, ConstantOp))

    def _dims_known(self, copy: OvOperation, given: Sequence[_Known]) -> list[tuple[bool, ...]] | None:
        """Return the result extents that follow from known operand extents.

        Return None if the shapes are incompatible.

        The extents are tested with extents that the operands may have: a result extent that is then a number follows from them.
        """
        facts: list[Fact] = []
        for operand, known in zip(copy.operands, given):
            fact = fact_of(operand)
            if fact.shape is None:
                return None
            if fact.static is None:
                bounds = self._low.known_bounds(operand)
                if bounds is None:
                    return None
                fact = Fact(fact.element, tuple(
                    d if d.static is not None else Dim(b, b) if k else Dim(d.lo, b)
                    for d, b, k in zip(fact.shape, bounds, known.dims)
                ))  # fmt: skip
            facts.append(fact)
        try:
            results = copy.results_of(facts)
        except Error:
            return None
        trait = copy.get_trait(MayFail)
        names = trait.parameters if isinstance(trait, MayFail) else ()
        parameters = [v for name in names if isinstance(v := getattr(copy, name), SSAValue)]
        told = bool(parameters) and all(
            known.contents for value, known in zip(copy.operands, given) if value in parameters
        )
        whole = told and all(all(known.dims) for known in given)
        return [
            () if r.shape is None else tuple(whole or d.static is not None for d in r.shape) for r in results
        ]

    def _stands_for(self, value: SSAValue) -> _Known | None:
        """Return the representative of a value that the body reads, or None.

        None means that nothing is known of the value.
        """
        if value not in self._known:
            self._known[value] = self._of_argument(value)
        return self._known[value]

    def _of_argument(self, value: SSAValue) -> _Known | None:
        op, low = self._op, self._low
        if owning_block(value) is not op.body.block:
            return self._whole(value)
        if value is op.iteration:
            zero = ConstantOp.of(np.zeros((), np.int64))
            self._made.append(low.insert(zero))
            return _Known(zero.output, (), True)
        carried = dict(zip(op.carried_arguments, op.carried))
        if value in carried:
            return self._whole(carried[value])
        if value in op.part_arguments:
            cut = self._slices[op.part_arguments.index(value)]
            exact = [cut.cut.part_size if k == cut.axis else d for k, d in enumerate(cut.dims)]
            whole = low.bounds(op.sliced[op.part_arguments.index(value)])
            bounds = [cut.cut.part_size if k == cut.axis else b for k, b in enumerate(whole)]
            part = low.undefined(ranked(value).element_type, exact, bounds)
            return _Known(part, (True,) * len(exact), False)
        # What an inner loop or branch gives: what its type says.
        shape, bounds = ranked(value).get_shape(), low.known_bounds(value)
        if bounds is None:
            return None
        dims = [0 if d == DYNAMIC_INDEX else d for d in shape]
        some = low.undefined(
            ranked(value).element_type, [low.index(d) if s != d else d for s, d in zip(shape, dims)], bounds
        )
        return _Known(some, tuple(d != DYNAMIC_INDEX for d in shape), False)

    @staticmethod
    def _whole(value: SSAValue) -> _Known | None:
        if not isinstance(value.type, TensorType):
            return None
        return _Known(value, (True,) * len(value.type.get_shape()), is_tracked(_static(value)))


def _with_noted_bounds(value: SSAValue) -> Attribute:
    """Return a value's type with the bounds that its checks note.

    The copy of the value has no such checks.
    """
    noted = complete_bounds(value)
    return value.type if noted is None else with_bounds(ranked(value), noted)


def _is_copied(op: Operation) -> bool:
    """Return True if a body operation's extents follow from its operands' extents."""
    return isinstance(op, OvOperation) and not op.regions and not isinstance(op, FailOp)


def _static(value: SSAValue) -> tuple[int, ...] | None:
    """The extents, where the type says all."""
    type_ = value.type
    return type_.get_shape() if isinstance(type_, TensorType) and type_.has_static_shape() else None
