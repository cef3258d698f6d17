"""RNN, GRU and LSTM as OpenVINO's sequences.

The layout and the order of the gates differ, and there is one bias instead of two.

| | ONNX, layout 0 | layout 1 | here |
|---|---|---|---|
| X | [T, N, I] | [N, T, I] | [N, T, I] |
| states | [D, N, H] | [N, D, H] | [N, D, H] |
| Y | [T, D, N, H] | [N, T, D, H] | [N, D, T, H] |
| LSTM's gates | i o f c | | f i c o |
| bias | [D, 2·G·H], of input and of state | | [D, G·H], their sum |
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from xdsl.ir import SSAValue

from loomir.dialects.element_types import dtype_of, i64
from loomir.dialects.numerics import claim
from loomir.dialects.ov.base import AttrValue
from loomir.dialects.ov.operators.broadcasting import BroadcastOp
from loomir.dialects.ov.operators.constant import ConstantOp
from loomir.dialects.ov.operators.conversion import ConvertOp
from loomir.dialects.ov.operators.elementwise_binary import AddOp
from loomir.dialects.ov.operators.gathering import GatherOp
from loomir.dialects.ov.operators.joining import ConcatOp, SplitOp
from loomir.dialects.ov.operators.recurrent import (
    GRUSequenceOp,
    LSTMSequenceOp,
    RNNSequenceOp,
    SequenceOperation,
    float_list,
)
from loomir.dialects.ov.operators.reshape import ShapeOfOp, TransposeOp
from loomir.errors import Error
from loomir.passes.front.convert_onnx_to_ov.node import SET_SHAPES, Node
from loomir.passes.front.convert_onnx_to_ov.registry import Results, translates

LSTM_ORDER = (2, 0, 3, 1)
"""LSTM gate order: OpenVINO's f i c o as positions in ONNX's.

ONNX's order is i o f c.
"""


@translates("LSTM", 1, 7, 14, 22)
def lstm(node: Node) -> Results:
    """Inputs X W R B sequence_lens initial_h initial_c P."""
    cell = _Sequence(node, LSTMSequenceOp)
    weights = [cell.reorder(node.input(i), LSTM_ORDER) for i in (1, 2)]
    bias = cell.reorder(cell.add_biases(cell.biases()), LSTM_ORDER)
    states = [cell.state(5), cell.state(6)]
    return cell.build(*states, cell.lengths(), *weights, bias, node.optional(7))


@translates("GRU", 1, 3, 7, 14, 22)
def gru(node: Node) -> Results:
    """Translate GRU.

    Inputs X W R B sequence_lens initial_h; gates z r h in both ONNX and OpenVINO.

    With `linear_before_reset` the biases of the gate h are not added up: the reset gate comes between them.
    """
    cell = _Sequence(node, GRUSequenceOp)
    input_bias, state_bias = cell.biases()
    bias = cell.add_biases((input_bias, state_bias))
    if node.int("linear_before_reset", 0):
        z, r, _ = cell.gates(bias)
        bias = node.op(ConcatOp, [z, r, cell.gates(input_bias)[2], cell.gates(state_bias)[2]], axis=1)
        cell.attributes["linear_before_reset"] = True
    return cell.build(cell.state(5), cell.lengths(), node.input(1), node.input(2), bias)


@translates("RNN", 1, 7, 14, 22)
def rnn(node: Node) -> Results:
    """Inputs X W R B sequence_lens initial_h; one gate."""
    cell = _Sequence(node, RNNSequenceOp)
    bias = cell.add_biases(cell.biases())
    return cell.build(cell.state(5), cell.lengths(), node.input(1), node.input(2), bias)


class _Sequence:
    """Common translation of RNN, GRU and LSTM."""

    def __init__(self, node: Node, op_class: type[SequenceOperation]) -> None:
        self.node = node
        self.op_class = op_class
        self.batch_first = bool(node.int("layout", 0))
        direction = node.string("direction", "forward")
        if direction not in ("forward", "reverse", "bidirectional"):
            raise Error("invalid-onnx", f"direction '{direction}' does not exist")
        self.directions = 2 if direction == "bidirectional" else 1
        self.hidden = self._hidden_size()
        self.attributes: dict[str, AttrValue] = {"hidden_size": self.hidden, "direction": direction}
        if node.has("clip"):
            self.attributes["clip"] = node.float("clip")
        if node.has("activations"):
            self.attributes["activations"] = [name.lower() for name in node.strings("activations")]
        for name in ("activation_alpha", "activation_beta"):
            if node.has(name):
                self.attributes[name.replace("activation", "activations")] = float_list(node.floats(name))
        if node.int("input_forget", 0):
            self.attributes["input_forget"] = True
        self.x = (
            node.input(0) if self.batch_first else node.op(TransposeOp, node.input(0), node.vector([1, 0, 2]))
        )

    def _hidden_size(self) -> int:
        """Return the hidden size from the attribute or R's last extent.

        `Error("unknown-shape")` if neither determines it.
        """
        shape = self.node.shape(self.node.input(2))
        known = shape[-1] if shape else -1
        size = self.node.int("hidden_size", known)
        if size < 1:
            raise Error("unknown-shape", "the hidden size is not known", hint=SET_SHAPES)
        return size

    def batch(self) -> SSAValue:
        """The batch size, `tensor<1xi64>`."""
        return self._extent(0)

    def _extent(self, axis: int) -> SSAValue:
        shape = self.node.shape(self.x)
        if shape is not None and shape[axis] >= 0:
            return self.node.vector([shape[axis]])
        zero = self.node.constant(np.array(0, np.int64))
        return self.node.op(GatherOp, self.node.op(ShapeOfOp, self.x), self.node.vector([axis]), zero)

    def lengths(self) -> SSAValue:
        """Return the lengths of the sequences, [N].

        If they are omitted, all are T.
        """
        given = self.node.optional(4)
        if given is not None:
            return self.node.op(ConvertOp, given, destination_type=i64)
        return self.node.op(BroadcastOp, self._extent(1), self.batch())

    def state(self, index: int) -> SSAValue:
        """Return an initial state as [N, D, H].

        It is zero if omitted.
        """
        given = self.node.optional(index)
        if given is not None:
            return (
                given if self.batch_first else self.node.op(TransposeOp, given, self.node.vector([1, 0, 2]))
            )
        shape = self.node.op(
            ConcatOp, [self.batch(), self.node.vector([self.directions, self.hidden])], axis=0
        )
        return self.node.op(BroadcastOp, self.node.number(0, self.x), shape)

    def biases(self) -> tuple[SSAValue, SSAValue]:
        """Return the biases of input and of state, each [D, G·H].

        They are zero if omitted.
        """
        given = self.node.optional(3)
        if given is None:
            dtype = dtype_of(self.node.element(self.x))
            shape = (self.directions, self.op_class.GATES * self.hidden)
            claim(shape, dtype)
            value = self.node.constant(np.zeros(shape, dtype))
            return value, value
        first, second = _split(self.node, given, 2)
        return first, second

    def add_biases(self, biases: tuple[SSAValue, SSAValue]) -> SSAValue:
        """Their sum."""
        a, b = (_constant(v) for v in biases)
        if a is not None and b is not None and a.shape == b.shape:
            return self.node.constant(a + b)
        return self.node.op(AddOp, *biases)

    def gates(self, value: SSAValue) -> Sequence[SSAValue]:
        """The parts of weights or biases that belong to each gate."""
        return _split(self.node, value, self.op_class.GATES)

    def reorder(self, value: SSAValue, order: Sequence[int]) -> SSAValue:
        """Reorder the gates of weights or biases.

        A constant is reordered immediately.
        """
        array = _constant(value)
        if array is not None and array.ndim >= 2 and array.shape[1] == len(order) * self.hidden:
            parts = np.split(array, len(order), axis=1)
            return self.node.constant(np.concatenate([parts[i] for i in order], axis=1))
        parts = self.gates(value)
        return self.node.op(ConcatOp, [parts[i] for i in order], axis=1)

    def build(self, *operands: SSAValue | None) -> Results:
        """The sequence, and its results in ONNX's layout."""
        node = self.node
        y, *states = node.emit(self.op_class, self.x, *operands, attributes=self.attributes).results
        y = node.op(TransposeOp, y, node.vector([0, 2, 1, 3] if self.batch_first else [2, 1, 0, 3]))
        if not self.batch_first:
            states = [node.op(TransposeOp, state, node.vector([1, 0, 2])) for state in states]
        return [y, *states]


def _split(node: Node, value: SSAValue, count: int) -> Sequence[SSAValue]:
    """Equal parts along dimension 1; of a constant at once. Error: `invalid-onnx`."""
    array = _constant(value)
    if array is not None and (array.ndim < 2 or array.shape[1] % count):
        raise Error(
            "invalid-onnx", f"weights or biases of shape {list(array.shape)} do not have {count} parts"
        )
    if array is not None:
        return [node.constant(part) for part in np.split(array, count, axis=1)]
    return node.emit(
        SplitOp, value, node.constant(np.array(1, np.int64)), attributes={"num_splits": count}, results=count
    ).results


def _constant(value: SSAValue) -> np.ndarray | None:
    return value.owner.array if isinstance(value.owner, ConstantOp) else None
