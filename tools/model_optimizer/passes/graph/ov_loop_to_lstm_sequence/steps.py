"""Cells that are written out as separate operations.

LSTM    c' = f ⊙ c + i ⊙ g              h' = o ⊙ tanh(c')        f, i, o = sigmoid(…)    g = tanh(…)
GRU     h' = (1 - z) ⊙ n + z ⊙ h        n = tanh(…, r ⊙ h)       z, r = sigmoid(…)
RNN     h' = tanh(…)

Gates are told apart by their function. Their inputs are sums of products with matrices (`gates.py`), of x and h; n has r ⊙ h for h.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from xdsl.ir import Operation, SSAValue

from loomir.dialects.ov.operators.elementwise_binary import AddOp, MultiplyOp, SubtractOp
from loomir.dialects.ov.operators.elementwise_unary import SigmoidOp, TanhOp
from loomir.tools.model_optimizer.passes.graph.ov_loop_to_lstm_sequence.body import (
    LoopBody,
    Matrix,
    Unmatched,
)
from loomir.tools.model_optimizer.passes.graph.ov_loop_to_lstm_sequence.gates import (
    Gates,
    GateTerms,
    Products,
    Range,
    cut_from,
)


@dataclass(frozen=True)
class _Step:
    """Single step of a cell.

    `h` is the state before it, a matrix of these extents.
    """

    body: LoopBody
    x: SSAValue
    h: SSAValue
    extents: Matrix

    @property
    def inputs(self) -> Mapping[SSAValue, str]:
        """The values that gates multiply."""
        return {self.x: "x", self.h: "h"}

    def factors(self, value: SSAValue, what: str) -> tuple[SSAValue, SSAValue]:
        """Return the factors of a product of two values."""
        if not isinstance(product := self.owner(value), MultiplyOp):
            raise Unmatched(f"{what} is not a product")
        one, other = product.operands
        return one, other

    def is_active(self, value: SSAValue, function: type[Operation]) -> bool:
        """Return True if a gate has an activation function."""
        return isinstance(self.activation(value)[0], function)

    def activation(self, value: SSAValue) -> tuple[Operation | None, Range]:
        """Return a gate's activation function and the gate's columns of its result.

        The function may stand before or behind the slicing of the gates.
        """
        made, columns = cut_from(self.body, value, Range(0, self.extents[1]))
        return self.body.owner(made), columns

    def terms(
        self,
        inputs: Mapping[SSAValue, str],
        name: str,
        value: SSAValue,
        function: type[SigmoidOp] | type[TanhOp],
    ) -> GateTerms:
        """Return the terms of a gate with this activation function."""
        if not self.body.alike(self.body.matrix(value), self.extents):
            raise Unmatched(f"gate {name} has another shape than the states")
        op, columns = self.activation(value)
        if not isinstance(op, function):
            made = "a value from elsewhere" if op is None else op.name
            raise Unmatched(f"gate {name} is computed by {made}, not {function.name}")
        return Products(self.body, inputs).terms(op.data, columns)

    def owner(self, value: SSAValue) -> Operation | None:
        """The operation that makes a value of the states' extents."""
        op = self.body.owner(value)
        if op is not None and not self.body.alike(self.body.matrix(value), self.extents):
            raise Unmatched("an operand of a state has another shape than the states")
        return op

    def is_h(self, value: SSAValue) -> bool:
        """Return True if a value is the state before."""
        return self.body.root(value) is self.h


@dataclass(frozen=True)
class _LstmStep(_Step):
    """Single step of an LSTM; `c` is its other state."""

    c: SSAValue

    def gates(self, new_h: SSAValue, new_c: SSAValue) -> Gates:
        """Return the gates f, i, g and o of the step.

        `Unmatched` if the new states are not those of such a cell.
        """
        total = self.owner(new_c)
        assert isinstance(total, AddOp)
        f, rest = self._forgotten(total)
        one, other = self.factors(rest, "i ⊙ g")
        in_order = self.is_active(one, SigmoidOp) or self.is_active(other, TanhOp)
        i, g = (one, other) if in_order else (other, one)
        one, other = self.factors(new_h, "o ⊙ tanh(c)")
        o, shown = (one, other) if self._is_shown(other, new_c) else (other, one)
        if not self._is_shown(shown, new_c):
            raise Unmatched("the next h is not o ⊙ tanh(c)")
        terms = [
            self.terms(self.inputs, name, value, active)
            for name, value, active in (
                ("f", f, SigmoidOp),
                ("i", i, SigmoidOp),
                ("g", g, TanhOp),
                ("o", o, SigmoidOp),
            )
        ]
        return Gates(tuple(terms))

    def _forgotten(self, total: AddOp) -> tuple[SSAValue, SSAValue]:
        """f, and the term that is not f ⊙ c."""
        for kept, rest in (total.operands, reversed(total.operands)):
            if isinstance(product := self.owner(kept), MultiplyOp):
                for f, c in (product.operands, reversed(product.operands)):
                    if self.body.root(c) is self.c:
                        return f, rest
        raise Unmatched("no part of the next c is f ⊙ c")

    def _is_shown(self, value: SSAValue, new_c: SSAValue) -> bool:
        op = self.owner(value)
        return isinstance(op, TanhOp) and self.body.root(op.data) is self.body.root(new_c)


@dataclass(frozen=True)
class _GruStep(_Step):
    """Single step of a GRU that resets h before the product."""

    def gates(self, new_h: SSAValue) -> Gates:
        """Return the gates z, r and n of the step.

        `Unmatched` if it is another step.
        """
        total = self.owner(new_h)
        assert isinstance(total, AddOp)
        z, n = self._updated(total)
        reset, of_n = self._reset_of(n)
        r = next(v for v in self.factors(reset, "r ⊙ h") if not self.is_h(v))
        of_n.products[self.h] = of_n.products.pop(reset, [])
        terms = (self.terms(self.inputs, name, value, SigmoidOp) for name, value in (("z", z), ("r", r)))
        return Gates((*terms, of_n))

    def _updated(self, total: AddOp) -> tuple[SSAValue, SSAValue]:
        """The gates z and n of the next h."""
        for kept, rest in (total.operands, reversed(total.operands)):
            one, other = self.factors(kept, "z ⊙ h")
            for z, h in ((one, other), (other, one)):
                if not self.is_h(h):
                    continue
                for left, n in self._both_ways(rest):
                    if self._is_one_less(left, z):
                        return z, n
        raise Unmatched("the next h is not (1 - z) ⊙ n + z ⊙ h")

    def _both_ways(self, value: SSAValue) -> tuple[tuple[SSAValue, SSAValue], tuple[SSAValue, SSAValue]]:
        one, other = self.factors(value, "(1 - z) ⊙ n")
        return (one, other), (other, one)

    def _is_one_less(self, value: SSAValue, z: SSAValue) -> bool:
        op = self.owner(value)
        if not isinstance(op, SubtractOp) or self.body.root(op.b) is not self.body.root(z):
            return False
        one = self.body.known(op.a)
        return one is not None and bool((one == 1).all())

    def _reset_of(self, n: SSAValue) -> tuple[SSAValue, GateTerms]:
        """r ⊙ h, and the terms of n."""
        why = Unmatched("n reads no r ⊙ h")
        for op in self.body.loop.body.block.ops:
            if isinstance(op, MultiplyOp) and any(map(self.is_h, op.operands)):
                try:
                    return op.output, self.terms({self.x: "x", op.output: "r ⊙ h"}, "n", n, TanhOp)
                except Unmatched as unmatched:
                    why = unmatched
        raise why


def _extents_of(body: LoopBody, x: SSAValue, states: tuple[SSAValue, ...]) -> Matrix:
    """Return the extents that all states have. `Unmatched` if they may differ."""
    extents, of_x = body.matrix(states[0]), body.matrix(x)
    alike = all(body.alike(body.matrix(value), extents) for value in states)
    if extents is None or of_x is None or not alike or not body.same_batch(extents[0], of_x[0]):
        raise Unmatched("its states and parts are not known to have the same batch")
    return extents


def lstm_gates(
    body: LoopBody, x: SSAValue, old: tuple[SSAValue, SSAValue], new: tuple[SSAValue, SSAValue]
) -> Gates:
    """Return the gates of an LSTM's step from `old` to `new`.

    `old` are h and c; `new` are a product and a sum. `Unmatched` if it is another step.
    """
    h, c = old
    return _LstmStep(body, x, h, _extents_of(body, x, (*old, *new)), c).gates(*new)


def gru_gates(body: LoopBody, x: SSAValue, old: SSAValue, new: SSAValue) -> Gates:
    """Return the gates of a GRU's step. `new` is a sum.

    `Unmatched` if it is another step.
    """
    return _GruStep(body, x, old, _extents_of(body, x, (old, new))).gates(new)


def rnn_gates(body: LoopBody, x: SSAValue, old: SSAValue, new: SSAValue) -> Gates:
    """Return the gate of the step of a simple recurrent net.

    `new` is a hyperbolic tangent. `Unmatched` if it is another step.
    """
    step = _Step(body, x, old, _extents_of(body, x, (old, new)))
    return Gates((step.terms(step.inputs, "h", new, TanhOp),))
