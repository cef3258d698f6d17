"""ONNX operators by random uses against ONNX Runtime: alone in graph, and many in one program and in Loops in C."""

from __future__ import annotations

import os
from collections.abc import Sequence

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

import loomir
from loomir.errors import Error
from tests.differential import onnx_arithmetic_uses as arithmetic
from tests.differential.onnx_uses import GENERATORS, Random, Use
from tests.differential.oracle import run_onnxruntime
from tests.support import assert_agree

pytestmark = pytest.mark.usefixtures("rotated_build")

assert arithmetic  # its operators are among GENERATORS

COUNT = int(os.environ.get("LOOMIR_SAMPLES", "2")) * 5
"""Uses of each kind; a nightly run takes more."""


class Program:
    """A model of uses side by side."""

    def __init__(self, opset: int) -> None:
        self.opset = opset
        self.uses: list[Use] = []
        self.nodes: list[onnx.NodeProto] = []
        self.inputs: list[onnx.ValueInfoProto] = []
        self.initialisers: list[onnx.TensorProto] = []
        self.outputs: list[onnx.ValueInfoProto] = []
        self.feed: dict[str, np.ndarray] = {}

    def _constant(self, array: np.ndarray, name: str) -> str:
        self.initialisers.append(numpy_helper.from_array(array, name))
        return name

    def add(self, use: Use, types: Sequence[int | None], *, loop: bool = False) -> None:
        """One more use, whose outputs have these types (None: not said); with `loop` in a Loop that runs 3 times, on its carried value."""
        prefix = f"u{len(self.uses)}_"
        self.uses.append(use)
        names: list[str] = []
        for number, array in enumerate(use.inputs):
            name = "" if array is None else f"{prefix}x{number}"
            names.append(name)
            if array is None:
                continue
            if number in use.parameters:
                self._constant(array, name)
            else:
                kind = helper.np_dtype_to_tensor_dtype(array.dtype)
                self.inputs.append(helper.make_tensor_value_info(name, kind, array.shape))
                self.feed[name] = array
        results = [f"{prefix}y{k}" for k in range(use.outputs)]
        infos = [
            onnx.ValueInfoProto(name=n) if t is None else helper.make_tensor_value_info(n, t, None)
            for n, t in zip(results, types)
        ]
        node = helper.make_node(use.operator, names, results, **use.attributes)
        if loop:
            node, infos = self._in_loop(node, infos, prefix)
        self.nodes.append(node)
        self.outputs += infos

    def _in_loop(
        self, node: onnx.NodeProto, infos: Sequence[onnx.ValueInfoProto], prefix: str
    ) -> tuple[onnx.NodeProto, list[onnx.ValueInfoProto]]:
        """A Loop whose carried value is the node's first operand, which becomes its own negative and back."""
        first = next(i for i in self.inputs if i.name == node.input[0]).type
        old, new, last = (onnx.ValueInfoProto(name=prefix + n, type=first) for n in ("old", "new", "last"))
        number, go, on = (
            helper.make_tensor_value_info(prefix + n, t, [])
            for n, t in (("number", TensorProto.INT64), ("go", TensorProto.BOOL), ("on", TensorProto.BOOL))
        )
        start, node.input[0] = node.input[0], old.name
        signed = (TensorProto.FLOAT, TensorProto.DOUBLE, TensorProto.INT32, TensorProto.INT64)
        step = "Neg" if first.tensor_type.elem_type in signed else "Identity"
        steps = [
            helper.make_node("Identity", [go.name], [on.name]),
            helper.make_node(step, [old.name], [new.name]),
        ]
        body = helper.make_graph([*steps, node], f"{prefix}body", [number, go, old], [on, new, *infos])
        trips, true = (
            self._constant(np.array(v), prefix + n) for v, n in ((np.int64(3), "trips"), (True, "true"))
        )
        stacked = [
            helper.make_tensor_value_info(f"{i.name}s", i.type.tensor_type.elem_type, None) for i in infos
        ]
        outputs = [last.name, *(i.name for i in stacked)]
        return helper.make_node("Loop", [trips, true, start], outputs, body=body), [last, *stacked]

    def model(self) -> onnx.ModelProto:
        graph = helper.make_graph(self.nodes, "g", self.inputs, self.outputs, self.initialisers)
        return helper.make_model(graph, opset_imports=[helper.make_opsetid("", self.opset)], ir_version=10)


def expected_of(use: Use, *, loop: bool = False) -> tuple[Program, dict[str, np.ndarray], list[int]]:
    """The use alone, its outputs by ONNX Runtime, and their types."""
    probe = Program(use.opset)
    probe.add(use, [None] * use.outputs)
    types: list[int] = [
        helper.np_dtype_to_tensor_dtype(a.dtype)
        for a in run_onnxruntime(probe.model(), [probe.feed])[0].values()
    ]
    program = Program(use.opset)
    program.add(use, types, loop=loop)
    return program, run_onnxruntime(program.model(), [program.feed])[0], types


@pytest.mark.parametrize("kind", GENERATORS)
def test_in_graph(kind: str) -> None:
    for seed in range(COUNT):
        use = GENERATORS[kind](Random(seed))
        program, expected, _ = expected_of(use)
        outputs = loomir.load(program.model()).run(program.feed, engine="graph")
        for name, array in expected.items():
            assert_agree(outputs[name], array, f"{kind} {seed}: {use} {name}")


NOT_REPEATED = {"unique", "compress", "non_zero", "non_max_suppression"}
"""Operators that cannot be stacked, because result shapes vary with the operand."""


@pytest.mark.parametrize("part", range(4))
@pytest.mark.parametrize("loop", [False, True], ids=["alone", "in a loop"])
def test_in_c(part: int, loop: bool) -> None:
    """A quarter of the operators in one program for each operator set."""
    programs: dict[int, Program] = {}
    expected: dict[int, dict[str, np.ndarray]] = {}
    for kind in list(GENERATORS)[part::4]:
        if loop and kind in NOT_REPEATED:
            continue
        use = GENERATORS[kind](Random(1000 + loop))
        _, arrays, types = expected_of(use, loop=loop)
        program = programs.setdefault(use.opset, Program(use.opset))
        prefix = f"u{len(program.uses)}_"
        program.add(use, types, loop=loop)
        results = {name.replace("u0_", prefix, 1): array for name, array in arrays.items()}
        expected.setdefault(use.opset, {}).update(results)
    for opset, program in programs.items():
        try:
            outputs = loomir.load(program.model()).run(program.feed, engine="native")
        except Error as error:
            raise AssertionError("\n".join(map(str, [error, *program.uses]))) from error
        for name, array in expected[opset].items():
            use = program.uses[int(name[1:].split("_")[0])]
            assert_agree(outputs[name], array, f"{use} {name}")
