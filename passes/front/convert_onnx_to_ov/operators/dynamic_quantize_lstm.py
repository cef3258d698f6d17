"""DynamicQuantizeLSTM of the domain `com.microsoft`.

ONNX Runtime's quantiser generates it from an LSTM, with integer weights.

The input, and in each step the state, is quantised to 8 bits by its least and greatest number and multiplied by integers:

    x̂, ŝ, ẑ = DynamicQuantizeLinear(X)                         all steps at once
    in each step    ĥ, s, z = DynamicQuantizeLinear(H)             the whole batch at once
                    i o f c = (x̂ − ẑ) · (W − w_zero) · ŝ · w_scale + (ĥ − z) · (R − r_zero) · s · r_scale + Wb + Rb
                    C = σ(f + p_f ∘ C) ∘ C + σ(i + p_i ∘ C) ∘ tanh(c);   H = σ(o + p_o ∘ C) ∘ tanh(C)

Source: ContribOperators.md of ONNX Runtime 1.20, which does not specify how much is quantised by one scale. This is the
behaviour of ONNX Runtime with one thread; several threads divide a batch among them and quantise each part by its own scale. For
sequences of several lengths the input has as many steps as the longest, all begin with the first iteration, backwards ones too,
and the state that is quantised is 0 in the step after a sequence's last. The operator is translated as a function of ONNX's
operators, with a Scan for each direction.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, TypeAlias

import numpy as np
from onnx import FunctionProto, GraphProto, NodeProto, TensorProto, helper, numpy_helper

from loomir.dialects.onnx.graphs import function_of, opset_versions
from loomir.dialects.onnx.nodes import Contents
from loomir.errors import Error
from loomir.passes.front.convert_onnx_to_ov.node import Node
from loomir.passes.front.convert_onnx_to_ov.registry import Results, translates
from loomir.passes.front.convert_onnx_to_ov.translate import inline

DOMAIN = "com.microsoft"
_OPSET = 18
"""The first in which Split says into how many parts."""

_INPUTS = (
    "X",
    "W",
    "R",
    "B",
    "sequence_lens",
    "initial_h",
    "initial_c",
    "P",
    "W_scale",
    "W_zero",
    "R_scale",
    "R_zero",
)
_NEEDED = ("X", "W", "R", "W_scale", "W_zero", "R_scale", "R_zero")
_OUTPUTS = ("Y", "Y_h", "Y_c")
_GATES = 4
_Names: TypeAlias = Callable[[str], str]
"""The names of a direction's own values."""
_USUAL = ["sigmoid", "tanh", "tanh"]


@partial(translates, domain=DOMAIN)("DynamicQuantizeLSTM", 1)
def dynamic_quantize_lstm(node: Node) -> Results:
    """Translate DynamicQuantizeLSTM.

    Inputs X [T, N, I], W [D, I, 4·H], R [D, H, 4·H], B [D, 8·H], sequence_lens [N], initial_h and initial_c [D, N, H], P [D, 3·H],
    then scale and zero point of W and of R, [D] or [D, 4·H]; gates in the order i o f c. Outputs Y [T, D, N, H], Y_h, Y_c [D, N, H].

    Errors: `invalid-onnx` if an input or the hidden size is missing, `unsupported-attribute` for other activations than the usual
    ones, and for `input_forget`.
    """
    given = {name for index, name in enumerate(_INPUTS) if node.optional(index) is not None}
    if missing := [name for name in _NEEDED if name not in given]:
        raise Error("invalid-onnx", f"DynamicQuantizeLSTM without {', '.join(missing)}")
    if node.int("input_forget", 0):
        raise Error("unsupported-attribute", "input_forget of DynamicQuantizeLSTM is not supported")
    direction = node.string("direction", "forward")
    backwards = {"forward": [False], "reverse": [True], "bidirectional": [False, True]}.get(direction)
    if backwards is None:
        raise Error("invalid-onnx", f"direction '{direction}' does not exist")
    if node.has("activations"):
        names = [name.lower() for name in node.strings("activations")]
        if names != _USUAL * len(backwards):
            raise Error(
                "unsupported-attribute",
                f"activations {', '.join(names)} of DynamicQuantizeLSTM are not supported",
            )
    shape = node.shape(node.input(2))
    size = node.int("hidden_size", shape[1] if shape is not None and len(shape) == 3 else -1)
    if size < 1:
        raise Error("invalid-onnx", "DynamicQuantizeLSTM without a hidden size")
    for place, name in ((1, "W"), (2, "R")):
        extents = node.shape(node.input(place))
        if extents is not None and (len(extents) != 3 or extents[2] not in (-1, _GATES * size)):
            raise Error("invalid-onnx", f"{name} of shape {list(extents)} for a hidden size of {size}")
    clip = node.float("clip") if node.has("clip") else 0.0
    function = _Function(given, size, clip).of(backwards)
    versions = opset_versions(function.opset_import)
    key = node.source.key
    return list(inline(node.scope, node.source, key, function_of(function, versions, Contents(), key)))


@dataclass
class _Function:
    """Writes the nodes of the function, where these inputs are given."""

    given: set[str]
    size: int
    clip: float
    nodes: list[NodeProto] = field(default_factory=list)

    def of(self, backwards: Sequence[bool]) -> FunctionProto:
        """The whole; a direction each."""
        self._constant("0", [0])
        self._constant("1", [1])
        x = self._longest() if self.masked else "X"
        self._node("DynamicQuantizeLinear", [x], "x̂", "ŝ", "ẑ")
        found = [self._direction(index, backward) for index, backward in enumerate(backwards)]
        for place, output in enumerate(_OUTPUTS):
            self._node("Concat", [results[place] for results in found], output, axis=0 if place else 1)
        opset = helper.make_opsetid("", _OPSET)
        return helper.make_function(DOMAIN, "DynamicQuantizeLSTM", _INPUTS, _OUTPUTS, self.nodes, [opset])

    def _node(self, operator: str, inputs: Sequence[str], *outputs: str, **attributes: Any) -> str:
        self.nodes.append(helper.make_node(operator, list(inputs), list(outputs), **attributes))
        return outputs[0]

    def _constant(self, name: str, value: object) -> str:
        array = np.asarray(value, np.int64)
        return self._node("Constant", [], name, value=numpy_helper.from_array(array, name))

    @property
    def masked(self) -> bool:
        """True if sequences have lengths of their own."""
        return "sequence_lens" in self.given

    def _longest(self) -> str:
        """Return X with as many steps as the longest sequence.

        Also emits `mask` [T, N, 1], which states the steps that belong to each sequence.
        """
        self._node("Cast", ["sequence_lens"], "lengths", to=TensorProto.INT64)
        most = self._node("ReduceMax", ["lengths", "0"], "most", keepdims=1)
        self._constant("first", 0)
        self._constant("step", 1)
        self._node("Range", ["first", self._node("Squeeze", [most], "end"), "step"], "times")
        self._node("Less", [self._node("Unsqueeze", ["times", "1"], "column"), "lengths"], "runs")
        self._constant("2", [2])
        self._node("Unsqueeze", ["runs", "2"], "mask")
        left = self._node("Sub", [self._node("Shape", ["X"], "steps", start=0, end=1), most], "left")
        self._constant("before", [0, 0, 0])
        self._constant("others", [0, 0])
        self._node("Concat", ["before", left, "others"], "pads", axis=0)
        return self._node("Slice", ["X", "0", most, "0"], "longest")

    def _direction(self, index: int, backward: bool) -> list[str]:
        """Y [T, 1, N, H], Y_h and Y_c [1, N, H]."""

        def own(name: str) -> str:
            return f"{name}.{index}"

        self._constant(own("direction"), index)
        for name in self.given - {"X", "sequence_lens"}:
            self._node("Gather", [name, own("direction")], own(name), axis=0)
        terms = self._node(
            "Mul",
            [
                self._node(
                    "Cast",
                    [self._node("MatMulInteger", ["x̂", own("W"), "ẑ", own("W_zero")], own("products"))],
                    own("numbers"),
                    to=TensorProto.FLOAT,
                ),
                self._node("Mul", ["ŝ", own("W_scale")], own("scale")),
            ],
            own("of_x"),
        )
        if "B" in self.given:
            self._node("Split", [own("B")], own("Wb"), own("Rb"), axis=0, num_outputs=2)
            terms = self._node(
                "Add", [terms, self._node("Add", [own("Wb"), own("Rb")], own("bias"))], own("biased")
            )
        peepholes = None
        if "P" in self.given:
            peepholes = [own(f"P_{gate}") for gate in "iof"]
            self._node("Split", [own("P")], *peepholes, axis=0, num_outputs=3)
        if backward and self.masked:
            terms = self._node(
                "ReverseSequence", [terms, "lengths"], own("turned"), time_axis=0, batch_axis=1
            )
        states = [self._initial("initial_h", own), self._initial("initial_c", own)]
        scanned, h, c, y = [terms], own("H_end"), own("C_end"), own("Y_all")
        results = [h, c, y]
        if self.masked:
            states, scanned, results = [states[0], *states], [terms, "mask"], [own("H_last"), *results]
        way = int(backward and not self.masked)
        self._node(
            "Scan",
            [*states, *scanned],
            *results,
            body=_Body(own, self.clip, peepholes, masked=self.masked).graph(),
            num_scan_inputs=len(scanned),
            scan_input_directions=[way] * len(scanned),
            scan_output_directions=[way],
        )
        if self.masked:
            if backward:
                y = self._node("ReverseSequence", [y, "lengths"], own("Y_turned"), time_axis=0, batch_axis=1)
            y = self._node("Pad", [y, "pads"], own("Y_padded"))
        return [
            self._node("Unsqueeze", [value, axis], own(name))
            for value, axis, name in ((y, "1", "Y"), (h, "0", "Y_h"), (c, "0", "Y_c"))
        ]

    def _initial(self, name: str, own: _Names) -> str:
        """Return a state before the first step, [N, H].

        It is zero if omitted.
        """
        if name in self.given:
            return own(name)
        batch = self._node("Shape", ["X"], own(f"{name}_batch"), start=1, end=2)
        size = self._constant(own(f"{name}_size"), [self.size])
        return self._node(
            "ConstantOfShape",
            [self._node("Concat", [batch, size], own(f"{name}_shape"), axis=0)],
            own(f"{name}_zeros"),
        )


class _Body(_Function):
    """Builder of one step of the recurrence.

    Its inputs are h, c and the contribution of X to the gates. If sequences have lengths, h is 0 after their last steps; further
    inputs are the last h of each sequence and a mask of the steps within it.
    """

    def __init__(self, own: _Names, clip: float, peepholes: Sequence[str] | None, *, masked: bool) -> None:
        super().__init__({"sequence_lens"} if masked else set(), 0, clip)
        self.own = own
        self.peepholes = peepholes

    def graph(self) -> GraphProto:
        """The body of a Scan."""
        own = self.own
        self._node("DynamicQuantizeLinear", ["h"], "ĥ", "s", "z")
        self._node("MatMulInteger", ["ĥ", own("R"), "z", own("R_zero")], "products")
        self._node("Cast", ["products"], "numbers", to=TensorProto.FLOAT)
        self._node("Mul", ["s", own("R_scale")], "scale")
        self._node("Mul", ["numbers", "scale"], "of_h")
        self._node("Add", ["x", "of_h"], "all")
        self._node("Split", ["all"], "i", "o", "f", "c'", axis=1, num_outputs=_GATES)
        gates = {gate: self._activated("Sigmoid", gate, "c") for gate in "if"}
        self._node("Mul", [gates["f"], "c"], "kept")
        self._node("Mul", [gates["i"], self._activated("Tanh", "c'")], "new")
        self._node("Add", ["kept", "new"], "c_next")
        self._node(
            "Mul", [self._activated("Sigmoid", "o", "c_next"), self._node("Tanh", ["c_next"], "t")], "h_next"
        )
        inputs, results = ["h", "c", "x"], ["h_next", "c_next"]
        if self.masked:
            inputs, results = ["h", "last", "c", "x", "m"], ["y", "last_next", "c_end"]
            self._node(
                "Constant", [], "zero", value=numpy_helper.from_array(np.zeros((), np.float32), "zero")
            )
            for new, old, name in (
                ("h_next", "zero", "y"),
                ("h_next", "last", "last_next"),
                ("c_next", "c", "c_end"),
            ):
                self._node("Where", ["m", new, old], name)
        results.append(self._node("Identity", [results[0]], "out"))
        return helper.make_graph(
            self.nodes,
            "step",
            [
                helper.make_tensor_value_info(
                    name, TensorProto.BOOL if name == "m" else TensorProto.FLOAT, None
                )
                for name in inputs
            ],
            [helper.make_tensor_value_info(name, TensorProto.FLOAT, None) for name in results],
        )

    def _activated(self, function: str, gate: str, cell: str | None = None) -> str:
        """Emit a gate with its peephole connection and activation.

        The gate's value is clipped if there is a limit.
        """
        value = gate
        if self.peepholes is not None and cell is not None:
            seen = self._node("Mul", [self.peepholes["iof".index(gate)], cell], f"{gate}_seen")
            value = self._node("Add", [value, seen], f"{gate}_with_cell")
        if self.clip:
            limits = [
                self._node(
                    "Constant",
                    [],
                    f"{gate}_{name}",
                    value=numpy_helper.from_array(np.array(limit, np.float32), name),
                )
                for name, limit in (("least", -self.clip), ("most", self.clip))
            ]
            value = self._node("Clip", [value, *limits], f"{gate}_limited")
        return self._node(function, [value], f"{gate}_active")
