"""Conversion of a block's operations to layers of a net or body."""

from __future__ import annotations

from lxml import etree
from xdsl.ir import Block, Operation
from xdsl.traits import IsTerminator

from loomir.compiler.backends.openvino.control_flow import CONTROL_FLOW
from loomir.compiler.backends.openvino.layers import Layers, Shared
from loomir.compiler.backends.openvino.ports import fact_of_port
from loomir.compiler.backends.openvino.variables import Variables
from loomir.compiler.frontends.openvino.graph import MAX_NESTING
from loomir.dialects.element_types import f16, f32
from loomir.dialects.locations import layer_name, located, tensor_names
from loomir.dialects.ov.base import OvOperation
from loomir.dialects.ov.layers.builder import PlainLayer
from loomir.dialects.ov.layers.writing import written
from loomir.dialects.ov.operators.constant import ConstantOp
from loomir.dialects.ov.operators.conversion import ConvertOp
from loomir.dialects.ov.operators.custom import CustomOp
from loomir.errors import Error


class NetworkWriter(Layers):
    """Writer of one network at nesting depth `depth`.

    `depth` counts the bodies around the network; `variables` are those of the net.
    """

    def __init__(
        self, root: etree._Element, shared: Shared, variables: Variables | None = None, depth: int = 0
    ) -> None:
        super().__init__(root, shared)
        self._variables = variables
        self._depth = depth

    def nested(self, root: etree._Element) -> NetworkWriter:
        if self._depth == MAX_NESTING:
            raise Error("model-too-deep", f"bodies are nested more than {MAX_NESTING} deep")
        return NetworkWriter(root, self.shared, depth=self._depth + 1)

    def operations(self, block: Block) -> None:
        kept = {op: name for name, op in _main_operations(block).items() if self._names.keep(name)}
        for op in block.ops:
            if op.has_trait(IsTerminator):
                continue
            if op in kept:
                self._names.give_back(kept[op])
            try:
                self._operation(op)
            except Error as error:
                raise located(error, op) from None

    def _operation(self, op: Operation) -> None:
        name, tensors = layer_name(op) or op.name, tensor_names(op)
        if self._variables is not None and self._variables.write_read(self, op):
            return
        write = CONTROL_FLOW.get(type(op))
        if write is not None:
            write(self, op, name, tensors)
        elif isinstance(op, ConstantOp):
            self.constant(op, name, tensors)
        elif isinstance(op, CustomOp):
            if op.regions:
                raise Error("not-in-openvino", "a layer of somebody's own cannot have subgraphs")
            self.layer(PlainLayer(*op.key, op.data), name, op.operands, op.results, tensors)
        elif isinstance(op, OvOperation):
            element = self.layer(written(op), name, op.operands, op.results, tensors)
            if _is_decompression(op):
                holder = etree.SubElement(element, "rt_info")
                etree.SubElement(holder, "attribute", name="decompression", version="0")
        else:
            raise Error("not-in-openvino", f"no operation set of OpenVINO has {op.name}")


def _main_operations(block: Block) -> dict[str, Operation]:
    """Return the operation that inherits the name of each source layer.

    Among the operations that a layer was converted to, it is the loop or branch, or else the last one that is not a constant.
    """
    found: dict[str, Operation] = {}
    for op in block.ops:
        name = layer_name(op)
        if name is None or op.has_trait(IsTerminator):
            continue
        before = found.get(name)
        if before is None or _importance(op) >= _importance(before):
            found[name] = op
    return found


def _importance(op: Operation) -> tuple[bool, bool]:
    return bool(op.regions), not isinstance(op, ConstantOp)


def _is_decompression(op: OvOperation) -> bool:
    """Return True if the operation converts stored 16-bit weights to 32-bit floats.

    OpenVINO keeps such weights as they are stored.
    """
    return (
        isinstance(op, ConvertOp)
        and isinstance(op.data.owner, ConstantOp)
        and fact_of_port(op.data).element == f16
        and fact_of_port(op.output).element == f32
    )
