"""Translation of a graph's nodes to operations.

A node is translated by its translator, by the model's function of its name, or by ONNX's own definition.
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.ir import SSAValue

from loomir.dialects.locations import located
from loomir.dialects.onnx.operations import ConstantOp, FunctionKey, FunctionOp, NodeOp, NoneOp, YieldOp
from loomir.dialects.onnx.schemas import schema_of
from loomir.errors import Error
from loomir.passes.front.convert_onnx_to_ov import refusals
from loomir.passes.front.convert_onnx_to_ov.definitions import definition_of
from loomir.passes.front.convert_onnx_to_ov.foreign import is_foreign, translate_foreign, unknown_origin
from loomir.passes.front.convert_onnx_to_ov.node import Node
from loomir.passes.front.convert_onnx_to_ov.registry import Results, extension_translator, find_translator
from loomir.passes.front.convert_onnx_to_ov.scope import Graph, Scope
from loomir.passes.front.convert_onnx_to_ov.signatures import check_signature


def translate(scope: Scope) -> None:
    """Translate the operations of the scope's block of FRONT in order.

    The terminator is not translated. Errors carry their node.
    """
    for op in scope.source.ops:
        if isinstance(op, NodeOp):
            try:
                scope.session.count_node()
                _translate_node(scope, op)
            except Error as error:
                cause = _cause(scope, op, error)
                raise located(cause.at(layer=scope.title(op), op=op.operator.data), op) from error
        elif not isinstance(op, ConstantOp | NoneOp) and op is not scope.source.last_op:
            raise located(Error("mlir-invalid", "this is no operation of a model in FRONT"), op)


def translate_graph(scope: Scope, graph: Graph, what: str) -> list[SSAValue]:
    """Translate a graph in its scope and return its results.

    `Error("undefined-name")` for a result without a value.
    """
    translate(scope)
    values = [scope.find(value) for value in graph.end.operands]
    if None in values:
        raise Error("undefined-name", f"output {values.index(None)} of {what} has no value")
    return [value for value in values if value is not None]


SAID = {"import-limit", "unknown-operator", "unsupported-operator"}
"""Errors that an operator which nobody knows is not the cause of."""


def _cause(scope: Scope, op: NodeOp, error: Error) -> Error:
    """Return the error to report for a node that cannot be translated.

    If the node reads a result of an unknown operator and the file declares no type of that result, the error is
    `unknown-operator`, because the types are a guess.
    """
    if error.identifier in SAID:
        return error
    custom = unknown_origin(value for operand in op.operands if (value := scope.find(operand)) is not None)
    if custom is None:
        return error
    unknown = located(custom.unknown(), custom)
    unknown.notes.append((error.what, error.at(layer=scope.title(op), op=op.operator.data).where))
    return unknown


def _translate_node(scope: Scope, op: NodeOp) -> None:
    key = op.key
    function = scope.session.functions.get(key)
    extension = extension_translator(key)
    results: Results
    if extension is not None:
        results = extension(Node(op, scope, schema_of(key[1], op.version.value.data, key[0])))
    elif function is None and is_foreign(op):
        if any(known[:2] == key[:2] for known in scope.session.functions):
            # The model has functions of this name, and none of this overload.
            raise refusals.unknown_operator(key[1], key[0], op.version.value.data)
        results = translate_foreign(Node(op, scope, None), translate_graph)
    else:
        results = _translate_known(scope, op, key, function)
    given = [results] if isinstance(results, SSAValue) else results
    for index, result in enumerate(op.results):
        value = given[index] if index < len(given) else None
        if value is not None:
            scope.values[result] = value
        elif op.wants(index):
            raise Error(
                "unsupported-output",
                f"output {index} of {op.operator.data} ('{op.name_of(index)}') is not supported",
            )


def _translate_known(scope: Scope, op: NodeOp, key: FunctionKey, function: FunctionOp | None) -> Results:
    """Translate an ONNX operator, or a call of a model function."""
    node = _operator(op, scope, required=function is None)
    if function is not None and (
        node is None
        or not node.reads_as_onnxruntime(
            "the model has a function of this name, which is called (the specification leaves that open); "
            "ONNX Runtime takes ONNX's own operator"
        )
    ):
        return inline(scope, op, key, function)
    assert node is not None
    return _translate_operator(node, key)


def _operator(op: NodeOp, scope: Scope, *, required: bool) -> Node | None:
    """Return the node of an ONNX operator.

    If the node is not an ONNX operator: `unknown-operator` or `unsupported-operator` if one is required, else None.
    """
    domain, operator, _ = op.key
    version = op.version.value.data
    schema = schema_of(operator, version, domain)
    if schema is None:
        if not required:
            return None
        raise refusals.unknown_operator(operator, domain, version)
    if required and domain in refusals.DOMAINS:
        raise refusals.unsupported_operator(operator, refusals.DOMAINS[domain])
    return Node(op, scope, schema)


def _translate_operator(node: Node, key: FunctionKey) -> Sequence[SSAValue | None]:
    """Translate an operator by its translator, else by ONNX's own definition.

    The definition expresses the operator in simpler operators.
    """
    check_signature(node)
    translator = find_translator(node.operator, node.version) if key[0] == "" else None
    if translator is not None:
        results = translator(node)
        return [results] if isinstance(results, SSAValue) else results
    function = definition_of(node)
    if function is None:
        what = f"there is no translation of version {node.version}"
        raise refusals.unsupported_operator(node.operator, refusals.OPERATORS.get(node.operator, what))
    return inline(node.scope, node.source, key, function)


def inline(scope: Scope, op: NodeOp, key: FunctionKey, function: FunctionOp) -> Sequence[SSAValue | None]:
    """Translate a function's body in place of a call."""
    if key in scope.calls:
        raise Error("invalid-onnx", f"the function {'.'.join(filter(None, key))} calls itself")
    formal = function.body.block.args
    if len(op.operands) > len(formal):
        raise Error("invalid-onnx", f"{len(op.operands)} inputs for a function of {len(formal)}")
    inner = scope.call(key, function, op)
    for index, argument in enumerate(formal):
        inner.values[argument] = scope.find(op.operands[index]) if index < len(op.operands) else None
    translate(inner)
    end = function.body.block.last_op
    assert isinstance(end, YieldOp)
    # Only what the call wants: what it does not want need not have a value.
    wanted = [op.wants(index) for index in range(len(end.values))]
    return [inner.find(value) if wants else None for value, wants in zip(end.values, wanted)]
