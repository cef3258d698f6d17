"""A row's program as an ONNX model, for tools that read ONNX: the operations that rows are made of, loops and branches.

`ov.loop` becomes Scan where it only cuts and joins, else Loop: parts of inputs are then cut by Slice in the body.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper
from xdsl.dialects.builtin import DYNAMIC_INDEX, ModuleOp, TensorType, UnrankedTensorType
from xdsl.dialects.func import ReturnOp
from xdsl.ir import Attribute, Block, Operation, SSAValue

from loomir.dialects.element_types import dtype_of, tensor_type_of
from loomir.dialects.interface import argument_names, main_function
from loomir.dialects.ov.attributes import Slicing, to_bool, to_int
from loomir.dialects.ov.operators.comparison import NotEqualOp
from loomir.dialects.ov.operators.constant import ConstantOp
from loomir.dialects.ov.operators.control_flow import CONDITION_TYPE, IfOp, LoopOp
from loomir.dialects.ov.operators.conversion import ConvertOp
from loomir.dialects.ov.operators.elementwise_unary import ClampOp
from loomir.dialects.ov.operators.gathering import GatherOp
from loomir.dialects.ov.operators.joining import ConcatOp
from loomir.dialects.ov.operators.reduction import ReduceMaxOp, ReduceSumOp
from loomir.dialects.ov.operators.reshape import TransposeOp
from loomir.dialects.ovseq.sequences import AtOp, EmptyOp, InsertOp
from loomir.dialects.ovseq.splitting import ConcatOp as JoinOp
from loomir.dialects.ovseq.splitting import SplitOp
from loomir.dialects.ovseq.types import SequenceType

OPSET, IR_VERSION = 21, 10

SAME_OPERANDS = {
    "ov.abs": "Abs",
    "ov.add": "Add",
    "ov.bitwise_and": "BitwiseAnd",
    "ov.equal": "Equal",
    "ov.exp": "Exp",
    "ov.floor_mod": "Mod",
    "ov.gather_nd": "GatherND",
    "ov.greater": "Greater",
    "ov.greater_equal": "GreaterOrEqual",
    "ov.less": "Less",
    "ov.less_equal": "LessOrEqual",
    "ov.logical_and": "And",
    "ov.logical_not": "Not",
    "ov.logical_or": "Or",
    "ov.mat_mul": "MatMul",
    "ov.maximum": "Max",
    "ov.minimum": "Min",
    "ov.multiply": "Mul",
    "ov.negative": "Neg",
    "ov.power": "Pow",
    "ov.relu": "Relu",
    "ov.reshape": "Reshape",
    "ov.scatter_nd_update": "ScatterND",
    "ov.select": "Where",
    "ov.sigmoid": "Sigmoid",
    "ov.slice": "Slice",
    "ov.squeeze": "Squeeze",
    "ov.subtract": "Sub",
    "ov.tanh": "Tanh",
    "ov.unsqueeze": "Unsqueeze",
}
"""ONNX's operators with the operands that ours have, in the same order (ONNX's Slice has the axes before the steps)."""


def as_onnx(
    module: ModuleOp,
    writer: Writer | None = None,
    *,
    opsets: Mapping[str, int] = {"": OPSET},
    ir_version: int = IR_VERSION,
) -> onnx.ModelProto:
    """The program as a model whose inputs and outputs are called as those of `main`. NotImplementedError: an operation no row has, and
    that a writer given does not write either.
    """
    main = main_function(module)
    writer = writer or Writer()
    block = main.body.block
    for argument, name in zip(block.args, argument_names(main)):
        writer.names[argument] = name
    end = block.last_op
    assert isinstance(end, ReturnOp)
    graph = writer.graph("main", block, block.args, end.operands)
    imports = [helper.make_opsetid(domain, version) for domain, version in opsets.items()]
    model = helper.make_model(graph, opset_imports=imports, ir_version=ir_version)
    onnx.checker.check_model(model, full_check=True)
    return model


class Writer:
    """Writes blocks as graphs; names are of the whole model, so that inner graphs read outer values by theirs."""

    def __init__(self) -> None:
        self.names: dict[SSAValue, str] = {}
        self.nodes: list[onnx.NodeProto] = []
        self._made = 0

    def graph(
        self, name: str, block: Block, inputs: Sequence[SSAValue], outputs: Sequence[SSAValue]
    ) -> onnx.GraphProto:
        """A block with these inputs; each output is a value of its own."""
        self.begin_block(block)
        return self.end_block(name, [_info(self.names[v], v.type) for v in inputs], outputs)

    def begin_block(self, block: Block, before: Callable[[], None] | None = None) -> None:
        """Write a block's operations as the nodes of a graph that `end_block` makes; before them what `before` writes."""
        self._outer = [*getattr(self, "_outer", []), self.nodes]
        self.nodes = []
        if before is not None:
            before()
        for op in block.ops:
            if op is not block.last_op:
                self._operation(op)

    def end_block(
        self,
        name: str,
        inputs: Sequence[onnx.ValueInfoProto],
        outputs: Sequence[SSAValue | tuple[str, Attribute]],
    ) -> onnx.GraphProto:
        """The graph begun last."""
        given = [(self.names[v], v.type) if isinstance(v, SSAValue) else v for v in outputs]
        infos = [_info(self.node("Identity", [value]), type_) for value, type_ in given]
        graph = helper.make_graph(self.nodes, name, list(inputs), infos)
        self.nodes = self._outer.pop()
        return graph

    def node(self, kind: str, inputs: Sequence[str], outputs: int = 1, **attributes: object) -> str:
        """Append a node; the name of its first result."""
        return self.node_of(kind, inputs, [self.fresh() for _ in range(outputs)], **attributes)

    def node_of(self, kind: str, inputs: Sequence[str], outputs: Sequence[str], **attributes: object) -> str:
        """Append a node whose results have these names."""
        self.nodes.append(helper.make_node(kind, inputs, outputs, name=f"{kind}_{self._made}", **attributes))
        return outputs[0] if outputs else ""

    def constant(self, value: np.ndarray) -> str:
        """Append a constant."""
        return self.node("Constant", [], value=numpy_helper.from_array(value))

    def integers(self, *values: int) -> str:
        """Append a vector of integers."""
        return self.constant(np.array(values, np.int64))

    def fresh(self) -> str:
        """A name that nothing has."""
        self._made += 1
        return f"v{self._made}"

    def _operation(self, op: Operation) -> None:
        if isinstance(op, LoopOp):
            return self._scan(op) if _is_scan(op) else self._loop(op)
        if isinstance(op, IfOp):
            return self._if(op)
        inputs = [self.names[v] for v in op.operands]
        self.names[op.results[0]] = self.simple(op, inputs)

    def simple(self, op: Operation, inputs: list[str]) -> str:
        """Append what an operation of one result is, without loops and branches; the name of the result."""
        match op:
            case ConstantOp():
                return self.constant(op.array)
            case ConvertOp():
                to = helper.np_dtype_to_tensor_dtype(dtype_of(op.destination_type))
                return self.node("Cast", inputs, to=to)
            case GatherOp():
                axis = op.axis.owner
                assert isinstance(axis, ConstantOp)
                return self.node("Gather", inputs[:2], axis=int(axis.array))
            case NotEqualOp():
                return self.node("Not", [self.node("Equal", inputs)])
            case ReduceSumOp() | ReduceMaxOp():
                kind = "ReduceSum" if isinstance(op, ReduceSumOp) else "ReduceMax"
                return self.node(kind, inputs, keepdims=int(to_bool(op.keep_dims)))
            case SplitOp():
                return self.node(
                    "SplitToSequence", inputs, axis=to_int(op.axis, 0), keepdims=int(not op.removes_axis)
                )
            case EmptyOp():
                return self.node("SequenceEmpty", inputs)
            case AtOp():
                return self.node("SequenceAt", inputs)
            case InsertOp():
                return self.node("SequenceInsert", inputs)
            case JoinOp():
                return self.node(
                    "ConcatFromSequence", inputs, axis=to_int(op.axis, 0), new_axis=int(op.stacks)
                )
            case ConcatOp():
                return self.node("Concat", inputs, axis=op.axis.value.data)
            case TransposeOp():
                order = op.input_order.owner
                assert isinstance(order, ConstantOp)
                return self.node("Transpose", inputs[:1], perm=order.array.tolist())
            case ClampOp():
                dtype = dtype_of(tensor_type_of(op.results[0]).element_type)
                ends = [self.constant(np.array(e.value.data, dtype)) for e in (op.min, op.max)]
                return self.node("Clip", [*inputs, *ends])
            case _ if op.name in SAME_OPERANDS:
                if op.name == "ov.slice":
                    inputs[3:] = inputs[:2:-1]
                return self.node(SAME_OPERANDS[op.name], inputs)
            case _:
                raise NotImplementedError(op.name)

    def _if(self, op: IfOp) -> None:
        arms = [
            self.graph(name, r.block, [], _handed_on(r.block))
            for name, r in zip(("then", "else"), op.regions)
        ]
        self._results(op, "If", [self.names[op.cond]], then_branch=arms[0], else_branch=arms[1])

    def _results(self, op: Operation, kind: str, inputs: Sequence[str], **attributes: object) -> None:
        for result in op.results:
            self.names[result] = self.fresh()
        self.node_of(kind, inputs, [self.names[r] for r in op.results], **attributes)

    def _scan(self, op: LoopOp) -> None:
        block, end = op.body.block, op.next
        parts: list[onnx.ValueInfoProto] = []

        def cut() -> None:
            for argument, slicing in zip(op.part_arguments, op.slicings):
                name, type_ = self.fresh(), argument.type
                assert isinstance(type_, TensorType)
                axis = slicing.normalised_axis(len(type_.get_shape()))
                parts.append(_info(name, _without(type_, axis)))
                self.names[argument] = self.node("Unsqueeze", [name, self.integers(axis)])

        for argument in op.carried_arguments:
            self.names[argument] = self.fresh()
        self.begin_block(block, cut)
        joined = [self._squeezed(v, c) for v, c in zip(end.concat, op.concatenations)]
        inputs = [*(_info(self.names[a], a.type) for a in op.carried_arguments), *parts]
        body = self.end_block("body", inputs, [*end.carried, *joined])
        directions = {
            # (A list of nothing has no type.)
            "scan_output_axes": [c.axis for c in op.concatenations] or None,
            "scan_output_directions": [int(c.stride < 0) for c in op.concatenations] or None,
        }
        self._results(
            op,
            "Scan",
            [self.names[v] for v in (*op.carried, *op.sliced)],
            body=body,
            num_scan_inputs=len(op.sliced),
            scan_input_axes=[s.axis for s in op.slicings],
            scan_input_directions=[int(s.stride < 0) for s in op.slicings],
            **directions,
        )

    def _loop(self, op: LoopOp) -> None:
        if op.next.last or not all(c.stride == 1 and c.axis == 0 for c in op.concatenations):
            raise NotImplementedError("a last value, or a concatenation other than of single rows")
        block, end, again = op.body.block, op.next, self.fresh()
        for argument in (op.iteration, *op.carried_arguments):
            self.names[argument] = self.fresh()
        trip = "" if op.trip is None else self.names[op.trip]
        if op.sliced and op.trip is None:
            trip = self.constant(np.array(min(_trips(v, s) for v, s in zip(op.sliced, op.slicings))))

        def cut() -> None:
            for argument, value, slicing in zip(op.part_arguments, op.sliced, op.slicings):
                self.names[argument] = self._part(op, value, slicing)

        self.begin_block(block, cut)
        go_on = self.names[end.cond] if end.cond is not None else again
        joined = [self._squeezed(v, c) for v, c in zip(end.concat, op.concatenations)]
        infos = [_info(self.names[op.iteration], op.iteration.type), _info(again, _CONDITION)]
        infos += [_info(self.names[a], a.type) for a in op.carried_arguments]
        body = self.end_block("body", infos, [(go_on, _CONDITION), *end.carried, *joined])
        cond = "" if op.cond is None else self.names[op.cond]
        if end.cond is not None and not cond:
            # Without one ONNX does not ask the body's condition either.
            cond = self.constant(np.array(True))
        self._results(op, "Loop", [trip, cond, *(self.names[v] for v in op.carried)], body=body)

    def _part(self, op: LoopOp, value: SSAValue, cut: Slicing) -> str:
        """A part of an input in the body: it begins at a linear function of the iteration number."""
        shape = tensor_type_of(value).get_shape()
        axis = cut.normalised_axis(len(shape))
        first = cut.offset(shape[axis], 0)
        number = self.node("Reshape", [self.names[op.iteration], self.integers(1)])
        begin = self.node(
            "Add", [self.node("Mul", [number, self.integers(cut.stride)]), self.integers(first)]
        )
        stop = self.node("Add", [begin, self.integers(cut.part_size)])
        return self.node("Slice", [self.names[value], begin, stop, self.integers(axis)])

    def _squeezed(self, value: SSAValue, cut: Slicing) -> tuple[str, Attribute]:
        """A part without the axis along which it is joined, where its extent is 1."""
        type_ = value.type
        assert isinstance(type_, TensorType)
        axis = cut.normalised_axis(len(type_.get_shape()))
        return self.node("Squeeze", [self.names[value], self.integers(axis)]), _without(type_, axis)


_CONDITION = CONDITION_TYPE


def _trips(value: SSAValue, cut: Slicing) -> int:
    shape = tensor_type_of(value).get_shape()
    return cut.trips(shape[cut.normalised_axis(len(shape))])


def _is_scan(op: LoopOp) -> bool:
    """Return True if a loop only slices and joins single rows.

    It cuts whole inputs into single rows.
    """
    cuts = [*op.slicings, *op.concatenations]
    controlled = (op.trip, op.cond, op.next.cond, op.iteration.first_use)
    rows = all(c.part_size == 1 and (c.start, c.end) in ((0, -1), (-1, 0)) for c in cuts)
    # A state of Scan keeps its shape.
    kept = all(value.type == argument.type for value, argument in zip(op.carried, op.carried_arguments))
    return bool(op.sliced) and rows and kept and not op.next.last and all(c is None for c in controlled)


def _handed_on(block: Block) -> Sequence[SSAValue]:
    assert block.last_op is not None
    return block.last_op.operands


def _without(type_: TensorType, axis: int) -> TensorType:
    shape = list(type_.get_shape())
    del shape[axis]
    return TensorType(type_.element_type, shape)


def _info(name: str, type_: Attribute) -> onnx.ValueInfoProto:
    """Return the ONNX type of a value, without its dynamic extents."""
    if isinstance(type_, SequenceType):
        element = _info(name, type_.element).type
        return helper.make_value_info(name, helper.make_sequence_type_proto(element))
    if isinstance(type_, UnrankedTensorType):
        element = helper.np_dtype_to_tensor_dtype(dtype_of(type_.element_type))
        return helper.make_tensor_value_info(name, element, None)
    assert isinstance(type_, TensorType)
    shape = [None if extent == DYNAMIC_INDEX else extent for extent in type_.get_shape()]
    element = helper.np_dtype_to_tensor_dtype(dtype_of(type_.element_type))
    assert element != TensorProto.UNDEFINED
    return helper.make_tensor_value_info(name, element, shape)
