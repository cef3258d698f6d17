"""Recurrent cells and sequences: LSTM, GRU, RNN.

All are composite: `ov-decompose` decomposes gates into matrix products and elementwise operations, and a sequence becomes
an `ov.loop` for each direction.

Symbols: N batch, T sequence length, I input size, H hidden size, D directions (2 where bidirectional), G
gates.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from typing import ClassVar

from xdsl.dialects.builtin import (
    ArrayAttr,
    BoolAttr,
    DenseArrayBase,
    Float64Type,
    FloatAttr,
    IntegerAttr,
    StringAttr,
    f64,
)
from xdsl.ir import Attribute
from xdsl.irdl import (
    irdl_op_definition,
    operand_def,
    opt_operand_def,
    opt_prop_def,
    prop_def,
    result_def,
    traits_def,
)
from xdsl.traits import NoMemoryEffect

from loomir.dialects.element_types import TENSOR, is_float
from loomir.dialects.ov.attributes import choice, to_bool, to_float, to_int
from loomir.dialects.ov.base import OvOperation
from loomir.dialects.ov.facts import Dim, Fact, Shape, dim
from loomir.dialects.ov.interfaces import NamedExtents, NamedOperand, Sources
from loomir.dialects.ov.shape_rules import check_element, check_integer, check_rank, same_element
from loomir.dialects.speculation import FailsOnShapes
from loomir.errors import Error

DIRECTIONS = ("forward", "reverse", "bidirectional")

ACTIVATIONS: dict[str, tuple[float | None, float | None]] = {
    "sigmoid": (None, None),
    "tanh": (None, None),
    "relu": (None, None),
    "affine": (1.0, 0.0),
    "leakyrelu": (0.01, None),
    "thresholdedrelu": (1.0, None),
    "scaledtanh": (1.0, 1.0),
    "hardsigmoid": (0.2, 0.5),
    "elu": (1.0, None),
    "softsign": (None, None),
    "softplus": (None, None),
}
"""Activation functions, with the defaults of alpha and beta.

The functions are by lower-case name; None means that a function has no such parameter. OpenVINO has the first three and
hardsigmoid; the others are ONNX's.
"""


def float_list(values: Sequence[float]) -> DenseArrayBase:
    """The attribute that `activations_alpha` and `activations_beta` take."""
    return DenseArrayBase.from_list(f64, [float(v) for v in values])


class RecurrentOperation(OvOperation):
    """Common base of recurrent cells and sequences.

    Gate `g` is `act(clip(x·Wᵀ + h·Rᵀ + b))` with the activation functions in the order of the attribute
    `activations`; `clip` (absent: none) limits the input of an activation to [-clip, clip].
    `activations_alpha`, `activations_beta` are lists of f64 whose numbers belong, in order, to those
    activation functions that take one (missing ones are the defaults).
    """

    COMPOSITE: ClassVar[bool] = True
    GATES: ClassVar[int]
    DEFAULT_ACTIVATIONS: ClassVar[tuple[str, ...]]

    hidden_size = prop_def(IntegerAttr)
    activations = opt_prop_def(ArrayAttr)
    activations_alpha = opt_prop_def(DenseArrayBase.constr(f64))
    activations_beta = opt_prop_def(DenseArrayBase.constr(f64))
    clip = opt_prop_def(FloatAttr)

    @property
    def hidden(self) -> int:
        """H. `Error("attribute-value")` unless positive."""
        size = to_int(self.hidden_size)
        if size < 1:
            raise Error("attribute-value", f"hidden_size must be positive, not {size}")
        return size

    @property
    def clip_limit(self) -> float | None:
        """Clip limit, or None if nothing is clipped (absent, 0, infinite).

        Raises `Error("attribute-value")` if it is negative.
        """
        limit = to_float(self.clip, 0.0)
        if limit < 0 or limit != limit:
            raise Error("attribute-value", f"clip must be positive, not {limit}")
        return None if limit in (0.0, float("inf")) else limit

    def activation_functions(self, directions: int = 1) -> list[tuple[str, float | None, float | None]]:
        """Return name, alpha and beta of every activation function, direction by direction.

        One direction's worth of names serves all directions. `Error("rnn-activation")`.
        """
        names = list(self.DEFAULT_ACTIVATIONS)
        if self.activations is not None and self.activations.data:
            names = [a.data.lower() for a in self.activations.data if isinstance(a, StringAttr)]
        alphas, betas = _floats(self.activations_alpha, "alpha"), _floats(self.activations_beta, "beta")
        wanted = len(self.DEFAULT_ACTIVATIONS)
        if len(names) == wanted:
            names = names * directions
        if len(names) != wanted * directions:
            raise Error("rnn-activation", f"{wanted} activation functions are wanted, there are {len(names)}")
        found: list[tuple[str, float | None, float | None]] = []
        next_alpha, next_beta = iter(alphas), iter(betas)
        for name in names:
            if name not in ACTIVATIONS:
                raise Error(
                    "rnn-activation",
                    f"unknown activation function '{name}'",
                    hint=f"known: {', '.join(ACTIVATIONS)}",
                )
            alpha, beta = ACTIVATIONS[name]
            found.append(
                (
                    name,
                    None if alpha is None else next(next_alpha, alpha),
                    None if beta is None else next(next_beta, beta),
                )
            )
        return found

    @abstractmethod
    def directions(self) -> int:
        """How many directions there are."""

    def bias_gates(self) -> int:
        """How many gates' worth of biases there are."""
        return self.GATES

    def _named(self, facts: Sequence[Fact], names: Sequence[tuple[str, Sequence[str]]]) -> NamedExtents:
        """Return the present operands, each with the names of its extents.

        `names` lists all operands that there may be.
        """
        h = dim(self.hidden)
        known = {"H": h, "D": dim(self.directions())}
        known |= {"GH": h * self.GATES, "BH": h * self.bias_gates(), "PH": h * 3}
        operands = [NamedOperand(index, *named) for index, named in enumerate(names[: len(facts)])]
        return NamedExtents("rnn-shape", operands, known)

    def _agreed(self, facts: Sequence[Fact]) -> dict[str, Dim]:
        """The extents by name. Errors: `operand-rank`, `rnn-shape`."""
        named = self.named_extents(facts)
        assert named is not None
        for operand in named.operands:
            check_rank(facts[operand.index], operand.what, len(operand.names))
        return self.agreed_extents(facts)

    def _check(self, facts: Sequence[Fact], lengths: int | None = None) -> None:
        """`lengths`: which operand is that of the sequences' lengths."""
        self.activation_functions(self.directions())
        _ = self.clip_limit
        check_element(facts[0], "x", is_float, "a float")
        same_element([fact for index, fact in enumerate(facts) if index != lengths])
        if lengths is not None:
            check_integer(facts[lengths], "sequence_lengths")


def _floats(attribute: Attribute | None, which: str) -> list[float]:
    if attribute is None:
        return []
    assert isinstance(attribute, DenseArrayBase), attribute
    if not len(attribute):
        return []
    if not isinstance(attribute.elt_type, Float64Type):
        raise Error("attribute-value", f"activations_{which} must be an array<f64>")
    return [float(v) for v in attribute.get_values()]


class CellOperation(RecurrentOperation):
    """One step of a recurrent network.

    x [N, I], states [N, H], w [G·H, I], r [G·H, H], b [G·H] → new states [N, H].
    """

    STATES: ClassVar[int] = 1

    def directions(self) -> int:
        return 1

    def infer(self, facts: Sequence[Fact]) -> Sequence[Fact]:
        self._check(facts)
        known = self._agreed(facts)
        return [Fact(facts[0].element, (known.get("N", Dim()), dim(self.hidden)))] * self.STATES

    def named_extents(self, facts: Sequence[Fact]) -> NamedExtents:
        states = [("the initial state", "NH")] * self.STATES
        weights = [("w", ("GH", "I")), ("r", ("GH", "H")), ("b", ("BH",)), ("p", ("PH",))]
        return self._named(facts, [("x", "NI"), *states, *weights])


class SequenceOperation(RecurrentOperation):
    """Sequence of recurrent cells.

    x [N, T, I], states [N, D, H], sequence_lengths [N], w [D, G·H, I], r [D, G·H, H],
    b [D, G·H] → y [N, D, T, H], final states [N, D, H].

    `direction`: `"forward"`, `"reverse"` (from the last valid element to the first) or `"bidirectional"`
    (both; D = 2). From `sequence_lengths[n]` on, y is zero and the states keep their values; a length beyond
    T is T, a negative one 0.
    """

    STATES: ClassVar[int] = 1

    direction = prop_def(StringAttr)

    def directions(self) -> int:
        return 2 if self.direction_name == "bidirectional" else 1

    @property
    def direction_name(self) -> str:
        """The direction, checked."""
        return choice(self.direction, "direction", DIRECTIONS, "forward")

    def infer(self, facts: Sequence[Fact]) -> Sequence[Fact]:
        self._check(facts, 1 + self.STATES)
        known = self._agreed(facts)
        n, t = known.get("N", Dim()), known.get("T", Dim())
        h, d = dim(self.hidden), dim(self.directions())
        y: Shape = (n, d, t, h)
        element = facts[0].element
        return [Fact(element, y)] + [Fact(element, (n, d, h))] * self.STATES

    def named_extents(self, facts: Sequence[Fact]) -> NamedExtents:
        states = [("the initial state", "NDH")] * self.STATES
        weights = [("w", ("D", "GH", "I")), ("r", ("D", "GH", "H")), ("b", ("D", "BH")), ("p", ("D", "PH"))]
        return self._named(facts, [("x", "NTI"), *states, ("sequence_lengths", "N"), *weights])


@irdl_op_definition
class LSTMCellOp(CellOperation):
    """One LSTM step. OpenVINO LSTMCell-4 (and 0).

    Gates are in the order f, i, c, o; b is the sum of both biases.

    ```
    i = f(x·Wiᵀ + h·Riᵀ + Pi ⊙ c + bi)      f = f(x·Wfᵀ + h·Rfᵀ + Pf ⊙ c + bf)
    c' = f ⊙ c + i ⊙ g(x·Wcᵀ + h·Rcᵀ + bc)  o = f(x·Woᵀ + h·Roᵀ + Po ⊙ c' + bo)    h' = o ⊙ h(c')
    ```
    `p` [3·H] (optional; LSTMCell-0, ONNX) are peepholes in the order i, o, f. `input_forget`: f = 1 - i.
    Errors (all of this file): `rnn-shape`, `rnn-activation`, `attribute-value`, `element-type`,
    `operand-rank`.
    """

    name = "ov.lstm_cell"
    SOURCES: ClassVar = Sources(
        openvino=("LSTMCell", 0, 4), older=("input_forget",), unused=("weights_format",)
    )
    GATES: ClassVar[int] = 4
    STATES: ClassVar[int] = 2
    DEFAULT_ACTIVATIONS: ClassVar[tuple[str, ...]] = ("sigmoid", "tanh", "tanh")

    x = operand_def(TENSOR)
    initial_hidden_state = operand_def(TENSOR)
    initial_cell_state = operand_def(TENSOR)
    w = operand_def(TENSOR)
    r = operand_def(TENSOR)
    b = operand_def(TENSOR)
    p = opt_operand_def(TENSOR)
    input_forget = opt_prop_def(BoolAttr)
    ho = result_def(TENSOR)
    co = result_def(TENSOR)
    traits = traits_def(FailsOnShapes())


@irdl_op_definition
class LSTMSequenceOp(SequenceOperation):
    """Sequence of LSTM cells. OpenVINO LSTMSequence-5 (and 0); ONNX LSTM.

    See `LSTMCellOp`, `SequenceOperation`.

    `p` [D, 3·H] (optional; ONNX) are peepholes in the order i, o, f.
    """

    name = "ov.lstm_sequence"
    SOURCES: ClassVar = Sources(openvino=("LSTMSequence", 5), older=("input_forget",))
    GATES: ClassVar[int] = 4
    STATES: ClassVar[int] = 2
    DEFAULT_ACTIVATIONS: ClassVar[tuple[str, ...]] = ("sigmoid", "tanh", "tanh")

    x = operand_def(TENSOR)
    initial_hidden_state = operand_def(TENSOR)
    initial_cell_state = operand_def(TENSOR)
    sequence_lengths = operand_def(TENSOR)
    w = operand_def(TENSOR)
    r = operand_def(TENSOR)
    b = operand_def(TENSOR)
    p = opt_operand_def(TENSOR)
    input_forget = opt_prop_def(BoolAttr)
    y = result_def(TENSOR)
    ho = result_def(TENSOR)
    co = result_def(TENSOR)
    traits = traits_def(NoMemoryEffect())


@irdl_op_definition
class GRUCellOp(CellOperation):
    """One GRU step: OpenVINO GRUCell-3. Gates in the order z, r, h.

    ```
    z = f(x·Wzᵀ + h·Rzᵀ + bz)    r = f(x·Wrᵀ + h·Rrᵀ + br)
    n = g(x·Whᵀ + (r ⊙ h)·Rhᵀ + bh)            or, where linear_before_reset,
    n = g(x·Whᵀ + bwh + r ⊙ (h·Rhᵀ + brh))     with b = [bz, br, bwh, brh], 4·H numbers
    h' = (1 - z) ⊙ n + z ⊙ h
    ```
    """

    name = "ov.gru_cell"
    SOURCES: ClassVar = Sources(openvino=("GRUCell", 3))
    GATES: ClassVar[int] = 3
    DEFAULT_ACTIVATIONS: ClassVar[tuple[str, ...]] = ("sigmoid", "tanh")

    x = operand_def(TENSOR)
    initial_hidden_state = operand_def(TENSOR)
    w = operand_def(TENSOR)
    r = operand_def(TENSOR)
    b = operand_def(TENSOR)
    linear_before_reset = opt_prop_def(BoolAttr)
    ho = result_def(TENSOR)
    traits = traits_def(FailsOnShapes())

    def bias_gates(self) -> int:
        return 4 if to_bool(self.linear_before_reset, False) else 3


@irdl_op_definition
class GRUSequenceOp(SequenceOperation):
    """A sequence of GRU cells: OpenVINO GRUSequence-5; ONNX GRU. See `GRUCellOp`, `SequenceOperation`."""

    name = "ov.gru_sequence"
    SOURCES: ClassVar = Sources(openvino=("GRUSequence", 5))
    GATES: ClassVar[int] = 3
    DEFAULT_ACTIVATIONS: ClassVar[tuple[str, ...]] = ("sigmoid", "tanh")

    x = operand_def(TENSOR)
    initial_hidden_state = operand_def(TENSOR)
    sequence_lengths = operand_def(TENSOR)
    w = operand_def(TENSOR)
    r = operand_def(TENSOR)
    b = operand_def(TENSOR)
    linear_before_reset = opt_prop_def(BoolAttr)
    y = result_def(TENSOR)
    ho = result_def(TENSOR)
    traits = traits_def(NoMemoryEffect())

    def bias_gates(self) -> int:
        return 4 if to_bool(self.linear_before_reset, False) else 3


@irdl_op_definition
class RNNCellOp(CellOperation):
    """One step of a simple recurrent net: OpenVINO RNNCell-0. `h' = f(x·Wᵀ + h·Rᵀ + b)`."""

    name = "ov.rnn_cell"
    SOURCES: ClassVar = Sources(openvino=("RNNCell", 0))
    GATES: ClassVar[int] = 1
    DEFAULT_ACTIVATIONS: ClassVar[tuple[str, ...]] = ("tanh",)

    x = operand_def(TENSOR)
    initial_hidden_state = operand_def(TENSOR)
    w = operand_def(TENSOR)
    r = operand_def(TENSOR)
    b = operand_def(TENSOR)
    ho = result_def(TENSOR)
    traits = traits_def(FailsOnShapes())


@irdl_op_definition
class RNNSequenceOp(SequenceOperation):
    """Sequence of simple recurrent cells. OpenVINO RNNSequence-5; ONNX RNN.

    See `RNNCellOp`, `SequenceOperation`.
    """

    name = "ov.rnn_sequence"
    SOURCES: ClassVar = Sources(openvino=("RNNSequence", 5))
    GATES: ClassVar[int] = 1
    DEFAULT_ACTIVATIONS: ClassVar[tuple[str, ...]] = ("tanh",)

    x = operand_def(TENSOR)
    initial_hidden_state = operand_def(TENSOR)
    sequence_lengths = operand_def(TENSOR)
    w = operand_def(TENSOR)
    r = operand_def(TENSOR)
    b = operand_def(TENSOR)
    y = result_def(TENSOR)
    ho = result_def(TENSOR)
    traits = traits_def(NoMemoryEffect())
