"""An extension as they were written for the Model Optimizer: an operator that nobody knows becomes two that everybody knows."""

import numpy as np
from openvino.tools.mo.front.common.replacement import FrontReplacementOp
from openvino.tools.mo.front.tf.graph_utils import create_op_with_const_inputs
from openvino.tools.mo.graph.graph import Graph, rename_nodes
from openvino.tools.mo.ops.elementwise import Mul


class Halve(FrontReplacementOp):
    op = "Halve"
    enabled = True

    def replace_sub_graph(self, graph: Graph, match: dict):
        node = match["op"]
        name = node.soft_get("name", node.id)
        half = create_op_with_const_inputs(graph, Mul, {1: np.float32(0.5)}, {"name": f"{name}/half"})
        node.in_port(0).get_connection().set_destination(half.in_port(0))
        node.out_port(0).get_connection().set_source(half.out_port(0))
        rename_nodes([(node, f"{name}/replaced"), (half, name)])
