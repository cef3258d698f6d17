"""Gates of an LSTM cell written out as separate operations.

They are told apart by their function.

c' = f ⊙ c + i ⊙ g        h' = o ⊙ tanh(c')        f, i, o = sigmoid(…)    g = tanh(…)
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.ir import Operation, SSAValue

from loomir.dialects.ov.operators.elementwise_binary import AddOp, MultiplyOp
from loomir.dialects.ov.operators.elementwise_unary import SigmoidOp, TanhOp
from loomir.passes.graph.ov_loop_to_lstm_sequence.body import Body, Matrix, Unmatched
from loomir.passes.graph.ov_loop_to_lstm_sequence.products import Products, Range, Terms, cut_from


@dataclass(frozen=True)
class Gates:
    """Inputs of each gate, in OpenVINO's order."""

    f: Terms
    i: Terms
    c: Terms
    o: Terms

    @property
    def all(self) -> tuple[Terms, Terms, Terms, Terms]:
        return self.f, self.i, self.c, self.o


@dataclass(frozen=True)
class _Step:
    """Single step of an LSTM.

    `h` and `c` are the states before it, matrices of these extents.
    """

    body: Body
    x: SSAValue
    h: SSAValue
    c: SSAValue
    extents: Matrix

    def gates(self, new_h: SSAValue, new_c: SSAValue) -> Gates:
        """Return the gates that compute the new states.

        `Unmatched` if the new states are not those of such a cell.
        """
        total = self._owner(new_c)
        assert isinstance(total, AddOp)
        f, rest = self._forgotten(total)
        one, other = self._factors(rest, "i ⊙ g")
        in_order = self._is_active(one, SigmoidOp) or self._is_active(other, TanhOp)
        i, g = (one, other) if in_order else (other, one)
        one, other = self._factors(new_h, "o ⊙ tanh(c)")
        o, shown = (one, other) if self._is_shown(other, new_c) else (other, one)
        if not self._is_shown(shown, new_c):
            raise Unmatched("the next h is not o ⊙ tanh(c)")
        products = Products(self.body, {self.x: "x", self.h: "h"})
        terms = [
            self._terms(products, name, value, active)
            for name, value, active in (
                ("f", f, SigmoidOp),
                ("i", i, SigmoidOp),
                ("g", g, TanhOp),
                ("o", o, SigmoidOp),
            )
        ]
        return Gates(*terms)

    def _forgotten(self, total: AddOp) -> tuple[SSAValue, SSAValue]:
        """f, and the term that is not f ⊙ c."""
        for kept, rest in (total.operands, reversed(total.operands)):
            if isinstance(product := self._owner(kept), MultiplyOp):
                for f, c in (product.operands, reversed(product.operands)):
                    if self.body.root(c) is self.c:
                        return f, rest
        raise Unmatched("no part of the next c is f ⊙ c")

    def _factors(self, value: SSAValue, what: str) -> tuple[SSAValue, SSAValue]:
        if not isinstance(product := self._owner(value), MultiplyOp):
            raise Unmatched(f"{what} is no product")
        one, other = product.operands
        return one, other

    def _is_shown(self, value: SSAValue, new_c: SSAValue) -> bool:
        op = self._owner(value)
        return isinstance(op, TanhOp) and self.body.root(op.data) is self.body.root(new_c)

    def _is_active(self, value: SSAValue, function: type[Operation]) -> bool:
        return isinstance(self._activation(value)[0], function)

    def _activation(self, value: SSAValue) -> tuple[Operation | None, Range]:
        """Return a gate's activation function and the gate's columns of its result.

        The function may stand before or behind the slicing of the gates.
        """
        made, columns = cut_from(self.body, value, Range(0, self.extents[1]))
        return self.body.owner(made), columns

    def _terms(
        self, products: Products, name: str, value: SSAValue, function: type[SigmoidOp] | type[TanhOp]
    ) -> Terms:
        if not self.body.alike(self.body.matrix(value), self.extents):
            raise Unmatched(f"gate {name} has another shape than the states")
        op, columns = self._activation(value)
        if not isinstance(op, function):
            made = "a value from elsewhere" if op is None else op.name
            raise Unmatched(f"gate {name} is made by {made}, not {function.name}")
        return products.terms(op.data, columns)

    def _owner(self, value: SSAValue) -> Operation | None:
        """The operation that makes a value of the states' extents."""
        op = self.body.owner(value)
        if op is not None and not self.body.alike(self.body.matrix(value), self.extents):
            raise Unmatched("an operand of a state has another shape than the states")
        return op


def gates_of(
    body: Body, x: SSAValue, old: tuple[SSAValue, SSAValue], new: tuple[SSAValue, SSAValue]
) -> Gates:
    """Return the gates of the step from `old` to `new`.

    `old` are h and c; `new` are a product and a sum. `Unmatched` if it is another step.
    """
    extents, of_x = body.matrix(old[0]), body.matrix(x)
    alike = all(body.alike(body.matrix(value), extents) for value in (*old, *new))
    if extents is None or of_x is None or not alike or not body.same_batch(extents[0], of_x[0]):
        raise Unmatched("its states and parts are not known to have the same batch")
    return _Step(body, x, *old, extents).gates(*new)
