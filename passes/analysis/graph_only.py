"""Values and operations that exist in GRAPH only.

They are values that GRAPH only moves (strings, complex numbers, codes: dialects/element_types.py), and unknown operators.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from xdsl.dialects.builtin import ModuleOp, TensorType, UnrankedTensorType
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute, Operation, SSAValue

from loomir.dialects.element_types import CodeType, StringType, is_carried
from loomir.dialects.locations import located
from loomir.dialects.ov.operators.custom import CustomOp
from loomir.dialects.ovseq.types import SeqType
from loomir.dialects.walking import walk
from loomir.errors import Error

_KINDS: Mapping[type[Attribute], str] = {StringType: "strings", CodeType: "codes of fewer than eight bits"}


def refuse_graph_only(module: ModuleOp) -> None:
    """Reject the first value or operation that no stage below GRAPH supports.

    Every lowering out of GRAPH calls it.

    `Error("graph-only-type")` for a value whose elements are only moved, `Error("unknown-operator")` for an `ov.custom`.
    """
    for op in walk(module):
        if isinstance(op, CustomOp):
            raise located(op.unknown(), op)
        for value in _values(op):
            element = _element(value.type)
            if element is None or not is_carried(element):
                continue
            kind = _KINDS.get(type(element), "complex numbers")
            error = Error(
                "graph-only-type",
                f"a value of type {value.type}: {kind} live in the graph engine only",
                hint="run it with --engine graph (engine='graph' in Python), where they are moved",
            )
            raise located(error, op)


def _values(op: Operation) -> Iterable[SSAValue]:
    if isinstance(op, FuncOp):
        # An argument that nothing uses is an argument nevertheless; of the others the first use says more of the place.
        return [a for a in op.args if not any(a.uses)] if op.body.blocks else []
    return [*op.operands, *op.results]


def _element(type_: Attribute) -> Attribute | None:
    shaped = isinstance(type_, TensorType | UnrankedTensorType | SeqType)
    return type_.element_type if shaped else None
