"""Loops with simultaneous iterations, as numpy operations.

The arrays have one axis per lane loop.

Uniform values stay Python numbers and are computed by `ScalarEmitter`; an index that is linear in the lanes is kept as
such (`Lane`), so that a load is one strided view. If lanes disagree on a condition or a trip count, both sides run
under a mask: loads outside of it are moved into bounds, stores outside of it leave memory unchanged.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace

import numpy as np
from xdsl.dialects import arith, cf, memref, scf, tensor
from xdsl.dialects.builtin import IndexType
from xdsl.dialects.linalg import ops as linalg
from xdsl.ir import Operation, Region, SSAValue

from loomir.compiler.engines import InterpreterError, LoomirInterpreter, place, runtime_error
from loomir.compiler.engines.codegen import source
from loomir.compiler.engines.codegen.lanes import LanePlan, plan_lanes
from loomir.compiler.engines.codegen.scalar import ScalarEmitter
from loomir.compiler.engines.computations import elementwise, is_elementwise
from loomir.dialects.element_types import dtype_of
from loomir.dialects.scalars.row import constant_integer


@dataclass(frozen=True)
class Lane:
    """An index: `base + Σ coefficients[axis] · lane number on that axis`; the base is a uniform text."""

    base: str
    coefficients: tuple[int, ...]


@dataclass(frozen=True)
class Scope:
    """Position of code in a nest: lane counts and mask.

    The count of each lane axis is a text; a mask of None means all lanes.

    `entry` is the position in `lines` where the innermost lanes begin, and `depth` the indentation there: values that are
    invariant while the lanes run are computed there.
    """

    rank: int
    counts: tuple[str, ...] = ()
    mask: str | None = None
    entry: int = 0
    depth: int = 0


class VectorEmitter(ScalarEmitter):
    """Writes scalar code, and lanes where `plan_lanes` says so."""

    def __init__(self, interpreter: LoomirInterpreter) -> None:
        super().__init__(interpreter)
        self.scope: Scope | None = None
        self.lanes: dict[SSAValue, Lane] = {}
        self.varying: set[SSAValue] = set()
        self.written: set[SSAValue] = set()
        self.lane_loops: set[scf.ForOp] = set()
        self._numbers: dict[tuple[tuple[str, ...], int], str] = {}
        for helper in (source.gather, source.scatter, source.active, source.span, source.total_trips):
            self.namespace[helper.__name__] = helper
        self.namespace |= {
            "Access": source.Access,
            "lane_numbers": source.lane_numbers,
            "disjoint": source.disjoint,
        }
        self.namespace |= {"where": np.where, "copyto": np.copyto}

    # ----- nests ----------------------------------------------------------------------------------------

    def emit_for(self, op: scf.ForOp) -> None:
        """Emit a loop as lanes if possible.

        The scalar loop is emitted beside it, for overlapping memory.
        """
        if self.scope is not None:
            self._emit_for_in_lanes(op)
            return
        plan = plan_lanes(op, self.forms)
        if plan is None:
            super().emit_for(op)
            return
        # What both versions use is named before either of them.
        for value in (op.lb, op.ub, op.step):
            self.use(value)
        pairs = ", ".join(f"({self.use(a)}, {self.use(b)})" for a, b in plan.pairs)
        self.line(f"if disjoint(({pairs}{',' if pairs else ''})):")
        self.depth += 1
        self.emit_nest(op, plan)
        self.depth -= 1
        self.line("else:")
        self.depth += 1
        super().emit_for(op)
        self.depth -= 1

    def emit_nest(self, op: scf.ForOp, plan: LanePlan) -> None:
        """The nest of a loop as lanes."""
        saved = dict(self.names)
        self.varying, self.written, self.lane_loops = plan.varying, plan.written, plan.loops
        self.scope = Scope(_rank(op, plan.loops))
        self._emit_lanes(op)
        self.scope = None
        self.lanes.clear()
        # Names defined here mean nothing to the code after it; arguments do.
        self.names = saved | {v: self.names[v] for v in self.arguments}

    def _emit_lanes(self, op: scf.ForOp) -> None:
        assert self.scope is not None
        lower, upper, step = self.use(op.lb), self.use(op.ub), constant_integer(op.step)
        assert step is not None
        count = self.fresh()
        self.line(f"{count} = trip_count({lower}, {upper}, {step})")
        outer = self.scope
        self.spend(f"{count} * {self._active()}")
        self.line(f"if {count}:")
        self.depth += 1
        axis = len(outer.counts)
        self.enter_lanes((count,))
        coefficients = tuple(step if a == axis else 0 for a in range(outer.rank))
        self.lanes[op.body.block.args[0]] = Lane(lower, coefficients)
        self.emit_block(op.body.block)
        self.line("pass")
        self.depth -= 1
        self.scope = outer

    def enter_lanes(self, counts: Sequence[str]) -> None:
        """Code from here on runs in more lanes."""
        assert self.scope is not None
        self.scope = replace(
            self.scope, counts=(*self.scope.counts, *counts), entry=len(self.lines), depth=self.depth
        )

    def _at_entry(self, text: str) -> str:
        """Compute something where the innermost lanes begin, and give its name."""
        assert self.scope is not None
        name = self.fresh()
        self.lines.insert(self.scope.entry, "    " * self.scope.depth + f"{name} = {text}")
        self.scope = replace(self.scope, entry=self.scope.entry + 1)
        return name

    def _counts(self) -> str:
        """The shape of all lanes, as far as they are nested here."""
        assert self.scope is not None
        padded = [*self.scope.counts, *["1"] * (self.scope.rank - len(self.scope.counts))]
        return f"({', '.join(padded)},)" if padded else "()"

    def _active(self) -> str:
        assert self.scope is not None
        if self.scope.mask is not None:
            return f"active({self.scope.mask}, {self._counts()})"
        return " * ".join(self.scope.counts) or "1"

    @contextmanager
    def masked(self, mask: str):
        """Restrict the code in this context to the lanes of a mask.

        The mask is a text that already includes the outer mask.
        """
        assert self.scope is not None
        outer = self.scope.mask
        self.scope = replace(self.scope, mask=mask)
        yield
        self.scope = replace(self.scope, mask=outer)

    def _both(self, condition: str) -> str:
        """A new mask: the outer one and a condition."""
        assert self.scope is not None
        name = self.fresh()
        outer = self.scope.mask
        self.line(f"{name} = {condition}" if outer is None else f"{name} = ({condition}) & {outer}")
        return name

    # ----- values ---------------------------------------------------------------------------------------

    def is_varying(self, value: SSAValue) -> bool:
        return self.scope is not None and value in self.varying

    def array(self, value: SSAValue) -> str:
        """Return the text of a value as an operand of numpy.

        It is an array, or a numpy scalar of exactly its type.
        """
        if value in self.lanes:
            return self._materialised(self.lanes[value])
        text = self.use(value)
        return text if value in self.varying else f"{self.constant(dtype_of(value.type).type)}({text})"

    def _materialised(self, lane: Lane) -> str:
        assert self.scope is not None
        parts = [lane.base] if lane.base != "0" else []
        for axis, coefficient in enumerate(lane.coefficients):
            if coefficient:
                key = (self.scope.counts, axis)
                numbers = self._numbers.get(key)
                if numbers is None:
                    text = f"lane_numbers({self.scope.counts[axis]}, {axis}, {self.scope.rank})"
                    numbers = self._numbers[key] = self._at_entry(text)
                parts.append(numbers if coefficient == 1 else f"{coefficient} * {numbers}")
        if not any(lane.coefficients):
            return f"{self.constant(np.int64)}({lane.base})"
        return f"({' + '.join(parts)})" if len(parts) > 1 else parts[0]

    def _as_lane(self, value: SSAValue) -> Lane | None:
        """Return an index as a linear form of the lanes, or None.

        The result is None if it is not known to be one.
        """
        if value in self.lanes:
            return self.lanes[value]
        if value in self.varying:
            return None
        assert self.scope is not None
        return Lane(self.use(value), (0,) * self.scope.rank)

    def emit(self, op: Operation) -> None:
        """Write one operation, for all lanes where it differs between them."""
        if self.scope is None or isinstance(op, arith.ConstantOp | scf.ForOp | scf.IfOp):
            super().emit(op)
        elif isinstance(op, memref.StoreOp):
            self.store_lanes(self.use(op.memref), list(map(self._index_of, op.indices)), self.array(op.value))
        elif not any(v in self.varying for v in op.operands):
            super().emit(op)
        elif isinstance(op, memref.LoadOp):
            self.load_lanes(
                op.res, self.use(op.memref), list(map(self._index_of, op.indices)), op.memref in self.written
            )
        elif isinstance(op, tensor.ExtractOp):
            self.load_lanes(op.result, self.use(op.tensor), list(map(self._index_of, op.indices)), False)
        elif isinstance(op, cf.AssertOp):
            self._assert_lanes(op)
        elif isinstance(op, linalg.IndexOp):
            raise InterpreterError(f"{place(op)}: outside of the body that it belongs to")
        elif is_elementwise(op):
            self._elementwise_lanes(op)
        else:
            raise InterpreterError(f"{place(op)}: cannot run in lanes")

    def _elementwise_lanes(self, op: Operation) -> None:
        if isinstance(op, arith.AddiOp | arith.SubiOp | arith.MuliOp) and isinstance(
            op.result.type, IndexType
        ):
            lane = self._linear(op)
            if lane is not None:
                self.lanes[op.result] = lane
                return
        operands = ", ".join([self.array(v) for v in op.operands])
        text = f"{self.constant(elementwise(op))}({operands})"
        self.line(f"{', '.join([self.define(r) for r in op.results])} = {text}")

    def _linear(self, op: arith.AddiOp | arith.SubiOp | arith.MuliOp) -> Lane | None:
        a, b = self._as_lane(op.lhs), self._as_lane(op.rhs)
        if a is None or b is None:
            return None
        if isinstance(op, arith.MuliOp):
            for lane, factor in ((a, constant_integer(op.rhs)), (b, constant_integer(op.lhs))):
                if factor is not None:
                    base = "0" if lane.base == "0" else f"({lane.base} * {factor})"
                    return Lane(base, tuple(c * factor for c in lane.coefficients))
            return None
        sign = 1 if isinstance(op, arith.AddiOp) else -1
        base = f"({a.base} {'+' if sign > 0 else '-'} {b.base})"
        if b.base == "0":
            base = a.base
        elif a.base == "0" and sign > 0:
            base = b.base
        return Lane(base, tuple(x + sign * y for x, y in zip(a.coefficients, b.coefficients)))

    # ----- memory ---------------------------------------------------------------------------------------

    def _index_of(self, value: SSAValue) -> Lane | str:
        """An index for `load_lanes`: linear, or the text of an array."""
        lane = self._as_lane(value)
        return self.array(value) if lane is None else lane

    def _access(self, array: str, index: Sequence[Lane]) -> str:
        assert self.scope is not None
        # repr: in a rank without dimensions a row is the empty tuple, which "(,)" is not.
        rows = tuple(tuple(lane.coefficients) for lane in index)
        return self._at_entry(f"Access({array}, {rows!r}, {self._counts()})")

    def load_lanes(self, result: SSAValue, array: str, index: Sequence[Lane | str], copy: bool) -> None:
        """Load one element per lane.

        `copy` is set if a view would observe later stores.
        """
        assert self.scope is not None
        mask = self.scope.mask
        linear = [i for i in index if isinstance(i, Lane)]
        if len(linear) == len(index):
            access = self._access(array, linear)
            bases = ", ".join(lane.base for lane in linear)
            text = f"{access}.view({bases})" + (".copy()" if copy else "")
            if mask is not None:
                everywhere = self._index_arrays(index)
                text = f"{text} if {access}.inside({bases}) else gather({array}, {mask}, {everywhere})"
        else:
            text = f"gather({array}, {mask}, {self._index_arrays(index)})"
        self.line(f"{self.define(result)} = {text}")

    def _index_arrays(self, index: Sequence[Lane | str]) -> str:
        texts = [i if isinstance(i, str) else self._materialised(i) for i in index]
        return f"({', '.join(texts)},)" if texts else "()"

    def store_lanes(self, array: str, index: Sequence[Lane | str], value: str) -> None:
        """Write one element per lane; no two lanes write the same."""
        assert self.scope is not None
        mask = self.scope.mask
        linear = [i for i in index if isinstance(i, Lane)]
        if len(linear) == len(index):
            access = self._access(array, linear)
            bases = ", ".join(lane.base for lane in linear)
            if mask is None:
                self.line(f"{access}.target({bases})[...] = {value}")
                return
            self.line(f"if {access}.inside({bases}): copyto({access}.target({bases}), {value}, where={mask})")
            self.line("else:")
            self.line(f"    scatter({array}, {mask}, {self._index_arrays(index)}, {value}, {self._counts()})")
            return
        self.line(f"scatter({array}, {mask}, {self._index_arrays(index)}, {value}, {self._counts()})")

    # ----- control flow in lanes ------------------------------------------------------------------------

    def _assert_lanes(self, op: cf.AssertOp) -> None:
        assert self.scope is not None
        error = self.constant(lambda: runtime_error(op.msg.data, op))
        mask = self.scope.mask
        holds = self.array(op.arg) if mask is None else f"({self.array(op.arg)} | ~{mask})"
        self.line(f"if not {holds}.all(): raise {error}()")

    def _text(self, value: SSAValue, varies: bool) -> str:
        return self.array(value) if varies else self.use(value)

    def emit_if(self, op: scf.IfOp) -> None:
        """Emit an `scf.if`, as a Python `if` for a uniform condition.

        For a varying condition both branches run under their masks and `where` selects the results.
        """
        if self.scope is None:
            super().emit_if(op)
            return
        results = [self.define(r) for r in op.output]
        if op.cond not in self.varying:
            self.line(f"if {self.use(op.cond)}:")
            self._emit_side(op.true_region, op, results)
            if op.false_region.blocks:
                self.line("else:")
                self._emit_side(op.false_region, op, results)
            return
        condition = self.array(op.cond)
        sides: list[list[str]] = []
        for region, test in ((op.true_region, condition), (op.false_region, f"~{condition}")):
            if not region.blocks:
                continue
            names = [self.fresh() for _ in results]
            sides.append(names)
            mask = self._both(test)
            for name, result in zip(names, op.output):
                self.line(f"{name} = {self.constant(dtype_of(result.type).type)}(0)")
            self.line(f"if {mask}.any():")
            with self.masked(mask):
                self._emit_side(region, op, names)
        for name, a, b in zip(results, *sides):
            self.line(f"{name} = where({condition}, {a}, {b})")

    def _emit_side(self, region: Region, op: scf.IfOp, targets: Sequence[str]) -> None:
        self.depth += 1
        values = self._emit_inner(region)
        self.assign(targets, [self._text(v, r in self.varying) for v, r in zip(values, op.output)])
        self.line("pass")
        self.depth -= 1

    def _emit_inner(self, region: Region) -> list[SSAValue]:
        """The operations of a region; the values that it yields."""
        op = region.block.first_op
        assert op is not None
        while op.next_op is not None:
            self.emit(op)
            op = op.next_op
        return list(op.operands)

    def _emit_for_in_lanes(self, op: scf.ForOp) -> None:
        if op in self.lane_loops:
            self._emit_lanes(op)
            return
        assert self.scope is not None
        body = op.body.block
        initial = [self._text(v, a in self.varying) for v, a in zip(op.iter_args, body.args[1:])]
        carried = [self.define(a) for a in body.args[1:]]
        self.assign(carried, initial)
        masked = op.lb in self.varying or op.ub in self.varying
        lower, upper = self.fresh(), self.fresh()
        self.line(f"{lower} = {self._text(op.lb, op.lb in self.varying)}")
        self.line(f"{upper} = {self._text(op.ub, op.ub in self.varying)}")
        variable = self.define(body.args[0])
        if masked:
            mask = self.scope.mask
            self.spend(f"total_trips({lower}, {upper}, {mask}, {self._counts()})")
            self.line(f"for {variable} in range(*span({lower}, {upper}, {mask})):")
        else:
            step = self.use(op.step)
            self.spend(f"trip_count({lower}, {upper}, {step}) * {self._active()}")
            self.line(f"for {variable} in range({lower}, {upper}, {step}):")
        self.depth += 1
        if masked:
            inside = self._both(f"({lower} <= {variable}) & ({variable} < {upper})")
            self.line(f"if not {inside}.any(): continue")
            with self.masked(inside):
                values = self._emit_inner(op.body)
                texts = [self.array(v) for v in values]
            texts = [f"where({inside}, {text}, {name})" for text, name in zip(texts, carried)]
        else:
            values = self._emit_inner(op.body)
            texts = [self._text(v, a in self.varying) for v, a in zip(values, body.args[1:])]
        self.assign(carried, texts)
        self.line("pass")
        self.depth -= 1
        self.names.update(zip(op.res, carried))


def _rank(op: scf.ForOp, loops: set[scf.ForOp]) -> int:
    """How many lane loops nest at most."""
    deepest = 0
    stack: list[tuple[Operation, int]] = [(op, 0)]
    while stack:
        inner, depth = stack.pop()
        depth += inner in loops
        deepest = max(deepest, depth)
        stack += [(o, depth) for region in inner.regions for block in region.blocks for o in block.ops]
    return deepest
