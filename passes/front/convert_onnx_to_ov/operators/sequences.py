"""Operators on sequences of tensors and on optionals.

Since version 18 a tensor or a sequence also counts as an optional that has a value.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from onnx import TensorProto
from xdsl.ir import Attribute, Block, SSAValue

from loomir.dialects.element_types import AnyTensor
from loomir.dialects.onnx.tensors import element_type
from loomir.dialects.onnx.types import UNKNOWN
from loomir.dialects.ov.operators.control_flow import TRIP_TYPE, LoopOp
from loomir.dialects.ovseq.sequences import (
    AtOp,
    ConstructOp,
    EmptyOp,
    EraseOp,
    GetOp,
    HasOp,
    InsertOp,
    LengthOp,
    NoneOp,
    SomeOp,
)
from loomir.dialects.ovseq.splitting import ConcatOp, SplitOp
from loomir.dialects.ovseq.types import OptionalType, SequenceType, open_type
from loomir.errors import Error
from loomir.passes.front.convert_onnx_to_ov.bodies import TranslatedBody, fixpoint
from loomir.passes.front.convert_onnx_to_ov.node import SET_VALUES, Node
from loomir.passes.front.convert_onnx_to_ov.registry import Results, translates
from loomir.passes.front.convert_onnx_to_ov.translate import translate_graph


@translates("SequenceEmpty", 11)
def sequence_empty(node: Node) -> Results:
    """Of float where no type is given."""
    return node.op(EmptyOp, element_type=element_type(node.int("dtype", TensorProto.FLOAT)))


@translates("SequenceConstruct", 11)
def sequence_construct(node: Node) -> Results:
    """Any shapes, of one element type."""
    return node.op(ConstructOp, node.inputs())


@translates("SequenceInsert", 11)
def sequence_insert(node: Node) -> Results:
    """At the end where no position is given."""
    return node.op(InsertOp, node.input(0), node.input(1), node.optional(2))


@translates("SequenceErase", 11)
def sequence_erase(node: Node) -> Results:
    """The last element where no position is given."""
    return node.op(EraseOp, node.input(0), node.optional(1))


@translates("SequenceAt", 11)
def sequence_at(node: Node) -> Results:
    """An element."""
    return node.op(AtOp, node.input(0), node.input(1))


@translates("SequenceLength", 11)
def sequence_length(node: Node) -> Results:
    """A scalar."""
    return node.op(LengthOp, node.input(0))


@translates("SplitToSequence", 11, 24)
def split_to_sequence(node: Node) -> Results:
    """Translate SplitToSequence.

    `keepdims` counts only if `split` is left out. For ONNX Runtime it also counts beside a scalar `split`, which must be 1
    then.
    """
    value, split = node.input(0), node.optional(1)
    keepdims = bool(node.int("keepdims", 1))
    if (
        not keepdims
        and split is not None
        and node.shape(split) == ()
        and node.reads_as_onnxruntime(
            "keepdims = 0 is ignored with a scalar 'split', as the specification says; in ONNX Runtime the parts lose the axis"
        )
    ):
        ones = node.known(split)
        if ones is None or int(ones) != 1:
            raise Error(
                "unsupported-attribute",
                f"keepdims = 0 beside a 'split' of {'unknown contents' if ones is None else int(ones)}: an axis of 1 can be left out",
                hint=SET_VALUES if ones is None else None,
            )
        split = None
    return node.op(SplitOp, value, split, axis=node.int("axis", 0), keepdims=keepdims)


@translates("ConcatFromSequence", 11)
def concat_from_sequence(node: Node) -> Results:
    """On an axis that the elements have, or on a new one."""
    new_axis = bool(node.int("new_axis", 0))
    return node.op(ConcatOp, node.input(0), axis=node.int("axis"), new_axis=new_axis)


@translates("SequenceMap", 17)
def sequence_map(node: Node) -> Results:
    """Translate SequenceMap to a loop that appends the body's results.

    The loop runs over the elements of the first input.

    ONNX defines SequenceMap in the same way, by a function that contains the body's nodes. In that function, outer names
    that these nodes use would be the function's names, and the operator set's version would be the function's too.
    """
    graph, given = node.graph("body"), node.inputs()
    if len(graph.inputs) != len(given):
        raise Error("subgraph-signature", f"the body has {len(graph.inputs)} inputs, not {len(given)}")
    trip = node.op(LengthOp, given[0])

    def translated(types: Sequence[Attribute]) -> tuple[Node, Block, list[SSAValue]]:
        scope, block = node.subgraph(graph, [TRIP_TYPE, *types])
        inner = node.inside(scope)
        for formal, value in zip(graph.inputs, given):
            picked = isinstance(value.type, SequenceType)
            scope.values[formal] = inner.op(AtOp, value, block.args[0]) if picked else value
        return inner, block, translate_graph(scope, graph, "the body")

    def body(types: Sequence[Attribute]) -> TranslatedBody:
        inner, block, made = translated(types)
        for value in made:
            inner.element(value)  # it must be a tensor
        return TranslatedBody(
            block, [inner.op(InsertOp, s, v) for s, v in zip(block.args[1:], made)], [], None
        )

    declared = [type_.element_type for type_ in graph.types if isinstance(type_, AnyTensor)]
    if len(declared) == len(graph.types) and UNKNOWN not in declared:
        elements = declared
    else:
        # Only the body itself says what it gives.
        inner, block, made = translated([])
        elements = [inner.element(value) for value in made]
        for op in block.ops:
            op.drop_all_references()
    empty = [node.op(EmptyOp, element_type=element) for element in elements]
    types, done = fixpoint([v.type for v in empty], body, empty)
    done.finish(node, done.carried, None)
    loop = LoopOp.of(
        trip=trip,
        cond=None,
        carried=empty,
        sliced=[],
        slices=[],
        concats=[],
        final_types=types,
        last_types=[],
        concat_types=[],
        body=done.region,
    )
    return node.scope.append(loop, node.location).results


@translates("Optional", 15, 28)
def optional(node: Node) -> Results:
    """Translate Optional, with or without an input.

    Without an input an attribute determines the type; the shapes in it do not matter.
    """
    value = node.optional(0)
    if value is not None:
        return node.op(SomeOp, value)
    return node.op(NoneOp, value_type=open_type(node.type("type")))


@translates("OptionalHasElement", 15, 18, 28)
def optional_has_element(node: Node) -> Results:
    """Translate OptionalHasElement.

    The result is false for an omitted input, true for a tensor or a sequence.
    """
    value = node.optional(0)
    if value is None or not isinstance(value.type, OptionalType):
        return node.constant(np.array(value is not None))
    return node.op(HasOp, value)


@translates("OptionalGetElement", 15, 18, 28)
def optional_get_element(node: Node) -> Results:
    """Translate OptionalGetElement.

    The result is the optional's value; a tensor or a sequence is its own value. An absent value is undefined in ONNX, and an error
    here.
    """
    value = node.input(0)
    return node.op(GetOp, value) if isinstance(value.type, OptionalType) else value
