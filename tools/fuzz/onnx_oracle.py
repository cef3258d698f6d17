"""ONNX models of program trees, and ONNX Runtime as their oracle.

Models have operator set 21. They are built as quickly as protobuf allows (no helper checks, no inference). What ONNX
Runtime computes is the meaning of a program.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import onnx
from onnx import AttributeProto, GraphProto, NodeProto, TensorProto, ValueInfoProto

from loomir.errors import Error
from loomir.tools.fuzz import (
    DTYPES,
    Attribute,
    If,
    Joining,
    Loop,
    Op,
    Open,
    Program,
    Region,
    Scan,
    Slicing,
    Statement,
    Value,
)

PROTO_TYPES: dict[str, int] = {
    "f32": TensorProto.FLOAT,
    "f64": TensorProto.DOUBLE,
    "i32": TensorProto.INT32,
    "i64": TensorProto.INT64,
    "bool": TensorProto.BOOL,
    "i8": TensorProto.INT8,
    "ui8": TensorProto.UINT8,
    "i16": TensorProto.INT16,
    "ui16": TensorProto.UINT16,
    "ui32": TensorProto.UINT32,
    "ui64": TensorProto.UINT64,
}
OPERATOR_SET = 21
LEAST = -(2**63)


def to_onnx(program: Program, *, ir_version: int = 8) -> onnx.ModelProto:
    """Return the model of a program.

    Dynamic dimensions of inputs have names; one name stands for one number.
    """
    writer = _Writer()
    graph = onnx.GraphProto(name="main")
    named = {e for v in program.inputs for e in v.shape or () if isinstance(e, Open)}
    graph.input.extend(info(v.name, v, named) for v in program.inputs)
    for statement in program.body.statements:
        writer.statement(graph, statement)
    made = {v.name for v in program.inputs}
    made |= {v.name for s in program.body.statements for v in s.outputs}
    for name, value in program.outputs:
        if name not in made or value in program.inputs:
            graph.node.append(node("Identity", [value.name], [name]))
        graph.output.append(info(name, value, named))
    model = onnx.ModelProto(ir_version=ir_version, producer_name="loomir-fuzz", graph=graph)
    model.opset_import.add(domain="", version=OPERATOR_SET)
    return model


def info(name: str, value: Value, named: Iterable[Open] = ()) -> ValueInfoProto:
    """Return the declaration of a value.

    Dynamic dimensions have no name unless they are among `named`, since a common name means that two dimensions are equal,
    in this iteration and the next.
    """
    result = ValueInfoProto(name=name)
    type_ = result.type.sequence_type.elem_type if value.is_sequence else result.type
    tensor = type_.tensor_type
    tensor.elem_type = PROTO_TYPES[value.dtype]
    if value.shape is not None:
        tensor.shape.SetInParent()
        for extent in value.shape:
            dimension = tensor.shape.dim.add()
            if isinstance(extent, int):
                dimension.dim_value = extent
            elif extent in named:
                dimension.dim_param = extent.name
    return result


def attribute(name: str, value: Attribute | GraphProto) -> AttributeProto:
    """An attribute of a node."""
    if isinstance(value, GraphProto):
        return AttributeProto(name=name, type=AttributeProto.GRAPH, g=value)
    if isinstance(value, np.ndarray):
        return AttributeProto(name=name, type=AttributeProto.TENSOR, t=tensor_of(value))
    if isinstance(value, tuple):
        return AttributeProto(name=name, type=AttributeProto.INTS, ints=value)
    if isinstance(value, float):
        return AttributeProto(name=name, type=AttributeProto.FLOAT, f=value)
    if isinstance(value, str) and value in PROTO_TYPES:
        return AttributeProto(name=name, type=AttributeProto.INT, i=PROTO_TYPES[value])
    if isinstance(value, str):
        return AttributeProto(name=name, type=AttributeProto.STRING, s=value.encode())
    return AttributeProto(name=name, type=AttributeProto.INT, i=value)


def tensor_of(array: np.ndarray) -> TensorProto:
    """The bytes of an array."""
    name = next(n for n, d in DTYPES.items() if d == array.dtype)
    return TensorProto(data_type=PROTO_TYPES[name], dims=array.shape, raw_data=array.tobytes())


def node(
    kind: str,
    inputs: Sequence[str],
    outputs: Sequence[str],
    attributes: Iterable[tuple[str, Attribute | GraphProto]] = (),
) -> NodeProto:
    """A node, named after its first output."""
    made = NodeProto(op_type=kind, input=inputs, output=outputs, name=f"{kind}_{outputs[0]}")
    made.attribute.extend(attribute(n, v) for n, v in attributes)
    return made


class _Writer:
    """Writes one model; makes names for what only the model needs."""

    def __init__(self) -> None:
        self.names = 0

    def fresh(self, prefix: str) -> str:
        """A name that no value has."""
        self.names += 1
        return f"{prefix}__{self.names}"

    def constant(self, graph: GraphProto, *numbers: int, scalar: bool = False) -> str:
        """A constant of i64, for what only the model needs."""
        name = self.fresh("k")
        array = np.array(numbers[0] if scalar else numbers, np.int64)
        graph.node.append(node("Constant", [], [name], [("value", array)]))
        return name

    def statement(self, graph: GraphProto, statement: Statement) -> None:
        """Append the nodes of one."""
        if isinstance(statement, Op):
            inputs = [v.name if v is not None else "" for v in statement.inputs]
            outputs = [v.name for v in statement.outputs]
            graph.node.append(node(statement.kind, inputs, outputs, statement.attributes.items()))
        elif isinstance(statement, If):
            attributes = [
                ("then_branch", self.region(statement.then)),
                ("else_branch", self.region(statement.otherwise)),
            ]
            outputs = [v.name for v in statement.outputs]
            graph.node.append(node("If", [statement.condition.name], outputs, attributes))
        elif isinstance(statement, Loop):
            self.loop(graph, statement)
        else:
            self.scan(graph, statement)

    def region(self, region: Region) -> GraphProto:
        """Return a subgraph of an If or a Scan.

        A result that is a parameter goes through an Identity: ONNX Runtime 1.31 leaves the memory of a Scan's result
        uninitialised if the body returns a parameter itself.
        """
        graph = GraphProto(name=self.fresh("body"))
        graph.input.extend(info(v.name, v) for v in region.parameters)
        self.fill(graph, region, set())
        return graph

    def fill(self, graph: GraphProto, region: Region, own: set[str]) -> None:
        """Append the statements and results of a region to a graph.

        A result that is not one of the graph's `own` values, or that is a result already, goes through an Identity.
        """
        for statement in region.statements:
            self.statement(graph, statement)
        own |= {v.name for s in region.statements for v in s.outputs}
        for value in region.results:
            name = value.name
            if name not in own:
                name = self.fresh(value.name)
                graph.node.append(node("Identity", [value.name], [name]))
            own.discard(name)
            graph.output.append(info(name, value))

    def loop(self, graph: GraphProto, loop: Loop) -> None:
        """Write a Loop.

        Parts of operands are gathered in the body; joined results are stacked, and reshaped behind the loop.
        """
        body = GraphProto(name=self.fresh("body"))
        count = 2 + len(loop.carried)
        parameters = loop.body.parameters
        body.input.extend(info(v.name, v) for v in parameters[:count])
        for slicing, part in zip(loop.sliced, parameters[count:], strict=True):
            self.part(body, slicing, parameters[0].name, part.name)
        # The iteration number goes through an Identity: ONNX Runtime 1.31 gives one buffer, which it counts up, for all.
        self.fill(body, loop.body, {v.name for v in parameters[1:count]})
        plain = len(loop.carried) + loop.scans
        outputs = [v.name for v in loop.outputs[:plain]]
        stacked = [self.fresh(v.name) for v in loop.outputs[plain:]]
        inputs = [v.name if v else "" for v in (loop.trip, loop.condition, *loop.carried)]
        graph.node.append(node("Loop", inputs, [*outputs, *stacked], [("body", body)]))
        results = loop.body.results[1 + plain :]
        for joining, name, output, result in zip(loop.joined, stacked, loop.outputs[plain:], results):
            self.join(graph, joining, name, output.name, result)

    def part(self, body: GraphProto, slicing: Slicing, iteration: str, name: str) -> None:
        """Gather the elements that this iteration sees.

        Gather accepts indices that count from the end.
        """
        first = slicing.start if slicing.stride > 0 else slicing.start - slicing.part + 1
        offset, indices = self.fresh("offset"), self.fresh("indices")
        stride = self.constant(body, slicing.stride, scalar=True)
        body.node.append(node("Mul", [iteration, stride], [offset]))
        elements = self.constant(body, *range(first, first + slicing.part))
        body.node.append(node("Add", [offset, elements], [indices]))
        body.node.append(node("Gather", [slicing.value.name, indices], [name], [("axis", slicing.axis)]))

    def join(self, graph: GraphProto, joining: Joining, stacked: str, output: str, result: Value) -> None:
        """Concatenate results that are stacked on a new axis 0.

        They are concatenated along an axis that they have.
        """
        assert result.static
        assert result.shape is not None
        if joining.backward:
            inputs = [stacked, *(self.constant(graph, n) for n in (-1, LEAST, 0, -1))]
            stacked = self.fresh("backward")
            graph.node.append(node("Slice", inputs, [stacked]))
        axis = joining.axis
        moved = self.fresh("moved")
        permutation = (*range(1, axis + 1), 0, *range(axis + 1, result.rank + 1))
        graph.node.append(node("Transpose", [stacked], [moved], [("perm", permutation)]))
        shape = [-1 if a == axis else e for a, e in enumerate(result.shape) if isinstance(e, int)]
        graph.node.append(node("Reshape", [moved, self.constant(graph, *shape)], [output]))

    def scan(self, graph: GraphProto, scan: Scan) -> None:
        """A Scan, all of whose directions and axes are written."""
        attributes: list[tuple[str, Attribute | GraphProto]] = [
            ("body", self.region(scan.body)),
            ("num_scan_inputs", len(scan.sequences)),
            ("scan_input_axes", tuple(a.axis for a in scan.sequence_axes)),
            ("scan_input_directions", tuple(int(a.backward) for a in scan.sequence_axes)),
        ]
        if scan.output_axes:
            attributes.append(("scan_output_axes", tuple(a.axis for a in scan.output_axes)))
            attributes.append(("scan_output_directions", tuple(int(a.backward) for a in scan.output_axes)))
        inputs = [v.name for v in (*scan.states, *scan.sequences)]
        graph.node.append(node("Scan", inputs, [v.name for v in scan.outputs], attributes))


def require_onnxruntime() -> Any:
    """The package. Error: `no-onnxruntime`."""
    try:
        import onnxruntime
    except ImportError as error:
        raise Error(
            "no-onnxruntime",
            "random programs are compared with ONNX Runtime, which is not installed",
            hint="pip install 'loomir[fuzz]'",
        ) from error
    return onnxruntime


def onnxruntime_session(model: onnx.ModelProto | str | Path, *, optimised: bool = True) -> Any:
    """Create an `InferenceSession` whose results do not depend on the processor.

    The model is given as a path, or as the model itself. On a processor without VNNI, ONNX Runtime's products of u8 and s8
    are summed in 16 bits, which saturate; `session.x64quantprecision` makes ONNX Runtime widen them first (its
    documentation: "Quantize ONNX Models", on U8S8 and saturation).

    Error: `no-onnxruntime`.
    """
    onnxruntime = require_onnxruntime()
    options = onnxruntime.SessionOptions()
    options.add_session_config_entry("session.x64quantprecision", "1")
    options.log_severity_level = 4
    options.intra_op_num_threads = 1
    options.inter_op_num_threads = 1
    if not optimised:
        options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    source = str(model) if isinstance(model, str | Path) else model.SerializeToString()
    return onnxruntime.InferenceSession(source, options, providers=["CPUExecutionProvider"])


GONE = "was false. Trying to get a Tensor"
"""Message of ONNX Runtime 1.31 for an outer-scope value freed too early.

ONNX Runtime freed a value of an outer scope that an inner body still reads. (Observed with a condition that is cast
twice, and read through an Identity two loops further in: `loomir-fuzz --seed 2026 --start 1741`.)
"""


class OracleFault(Exception):
    """Error for a failure by a fault of ONNX Runtime itself.

    Nothing is known of the program.
    """


def run_onnxruntime(
    model: onnx.ModelProto, feeds: Sequence[Mapping[str, np.ndarray]]
) -> list[dict[str, np.ndarray]]:
    """Return ONNX Runtime's outputs for each feed.

    ONNX Runtime runs on one thread, without its own optimisations. Raises `OracleFault`.

    Error: `no-onnxruntime`.
    """
    session = onnxruntime_session(model, optimised=False)
    names = [output.name for output in model.graph.output]
    try:
        return [dict(zip(names, map(np.asarray, session.run(None, dict(feed))))) for feed in feeds]
    except Exception as error:
        if GONE in str(error):
            raise OracleFault("a value of an outer scope is gone") from error
        raise
