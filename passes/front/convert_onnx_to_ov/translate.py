"""Translation of models, graphs and nodes.

A model is its function `main` and the functions that it calls. A node is translated by its translator, by the model's function of
its name, or by ONNX's own definition.

ONNX itself defines operators in terms of simpler ones (`definition_of`). Examples are `HardSwish`, `Gelu`, `LayerNormalization` and
many more.

A node must fit the signature of its operator's version: input counts, attributes and element types (`check_signature`). For
example, `Relu` takes integers since version 14.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from onnx import FunctionProto, TypeProto
from xdsl.dialects.builtin import FunctionType, IntegerAttr, ModuleOp, NameLoc
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Block, BlockArgument, SSAValue

from loomir.dialects.attributes import constant_attr
from loomir.dialects.diagnostics import located
from loomir.dialects.interface import argument_names, arguments_of
from loomir.dialects.onnx.graphs import function_of, opset_versions
from loomir.dialects.onnx.nodes import Contents, attribute_of, schema_of
from loomir.dialects.onnx.operations import (
    OPSET,
    ConstantOp,
    FunctionKey,
    FunctionOp,
    NodeOp,
    NoneOp,
    YieldOp,
    remove_dead_nodes,
)
from loomir.dialects.onnx.tensors import proto_of, type_text
from loomir.dialects.onnx.types import is_declared
from loomir.dialects.ovseq.types import GraphType
from loomir.errors import Error, SemanticsWarning, Where, warn
from loomir.passes.front.convert_onnx_to_ov import registry
from loomir.passes.front.convert_onnx_to_ov.node import Node
from loomir.passes.front.convert_onnx_to_ov.registry import (
    Results,
    extension_translator,
    find_translator,
    is_foreign,
    translate_foreign,
    unknown_dependency,
)
from loomir.passes.front.convert_onnx_to_ov.scope import Scope, Session, Subgraph, name_location
from loomir.passes.options import TranslationOptions


def check_signature(node: Node) -> None:
    """Check a node against its schema.

    `Error("invalid-onnx")`: FRONT may come from a text, which ONNX's checker has not seen.
    """
    schema = node.schema
    for what, count, (least, most) in (
        ("inputs", len(node), schema.input_counts),
        ("outputs", node.outputs, schema.output_counts),
    ):
        if not least <= count <= most:
            allowed = str(least) if least == most else f"{least} to {most}"
            raise Error(
                "invalid-onnx", f"{count} {what} of {node.operator}-{node.version}, which has {allowed}"
            )
    for name in node.attributes:
        if name not in schema.defaults:
            raise Error("invalid-onnx", f"{node.operator}-{node.version} has no attribute '{name}'")
    _check_types(node)


def _check_types(node: Node) -> None:
    """Check each input's element type against the schema.

    Inputs that share a type variable are also checked against each other.

    `Error("invalid-onnx")` for a type that this version does not take, or for two types where the schema has one.
    """
    parameters = node.schema.inputs
    bound: dict[str, tuple[str, str]] = {}
    for index in range(len(node)):
        value = node.optional(index)
        given = None if value is None else type_text(value.type)
        if given is None:
            continue  # left out
        parameter = parameters[min(index, len(parameters) - 1)]
        if given not in parameter.types:
            # Of the types that it may be those of the same kind, if there are any.
            kind = given.partition("(")[0]
            alike = [t for t in parameter.types if t.startswith(f"{kind}(")]
            allowed = ", ".join(sorted(alike or parameter.types))
            raise Error(
                "invalid-onnx",
                f"input '{parameter.name}' of {node.operator}-{node.version} is {given}, expected {allowed}",
                hint="import a newer operator set, if one allows this type",
            )
        if parameter.is_variadic and not parameter.is_homogeneous:
            continue
        first = bound.setdefault(parameter.type_variable, (given, parameter.name))
        if first[0] != given:
            raise Error(
                "invalid-onnx",
                f"inputs '{first[1]}' ({first[0]}) and '{parameter.name}' ({given}) must have one type",
            )


def definition_of(node: Node) -> FunctionOp | None:
    """Return the operator's definition in simpler operators, or None.

    The result is None if ONNX's schema has no definition.
    """
    # ONNX's type stubs leave these members out.
    schema: Any = node.schema.operator
    if schema.has_function:
        known = node.scope.session.definitions
        key = node.source.key[0], node.operator, node.version
        if key not in known:
            known[key] = _with_defaults(node, schema.function_body)
        return known[key]
    if not schema.has_context_dependent_function:
        return None
    types: list[bytes] = []
    for index in range(len(node)):
        value = node.optional(index)
        proto = TypeProto() if value is None else proto_of(value.type)
        types.append(proto.SerializeToString())
    text = schema.get_context_dependent_function(node.proto().SerializeToString(), types)
    if not text:
        return None
    function = FunctionProto()
    function.ParseFromString(text)
    if all(o.domain for o in function.opset_import):
        # Of a preview operator: in whatever operator set the model is.
        function.opset_import.add(domain="", version=node.scope.opset)
    return _with_defaults(node, function)


def _with_defaults(node: Node, proto: FunctionProto) -> FunctionOp:
    """Return the function with the operator's attribute defaults.

    The defaults apply where a node does not set an attribute.
    """
    function = function_of(proto, opset_versions(proto.opset_import), Contents(), node.source.key)
    for name, default in node.schema.defaults.items():
        if default is not None:
            function.attributes.setdefault(name, attribute_of(default, Contents()))
    return function


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
            raise located(Error("mlir-invalid", "not an operation of a model in FRONT"), op)


def translate_graph(scope: Scope, graph: Subgraph, what: str) -> list[SSAValue]:
    """Translate a graph in its scope and return its results.

    `Error("undefined-name")` for a result without a value.
    """
    translate(scope)
    values = [scope.find(value) for value in graph.end.operands]
    if None in values:
        raise Error("undefined-name", f"output {values.index(None)} of {what} has no value")
    return [value for value in values if value is not None]


INDEPENDENT_ERRORS = {"import-limit", "unknown-operator", "unsupported-operator"}
"""Errors that an operator which nobody knows is not the cause of."""


def _cause(scope: Scope, op: NodeOp, error: Error) -> Error:
    """Return the error to report for a node that cannot be translated.

    If the node reads a result of an unknown operator and the file declares no type of that result, the error is
    `unknown-operator`, because the types are a guess.
    """
    if error.identifier in INDEPENDENT_ERRORS:
        return error
    custom = unknown_dependency(
        value for operand in op.operands if (value := scope.find(operand)) is not None
    )
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
            raise registry.unknown_operator(key[1], key[0], op.version.value.data)
        results = translate_foreign(Node(op, scope, None), translate_graph)
    else:
        results = _translate_known(scope, op, key, function)
    given = [results] if isinstance(results, SSAValue) else results
    for index, result in enumerate(op.results):
        value = given[index] if index < len(given) else None
        if value is not None:
            scope.values[result] = value
        elif op.is_requested(index):
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
            "the model's function of this name is called (the specification leaves this open); "
            "ONNX Runtime uses ONNX's own operator"
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
        raise registry.unknown_operator(operator, domain, version)
    if required and domain in registry.DOMAINS:
        raise registry.unsupported_operator(operator, registry.DOMAINS[domain])
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
        raise registry.unsupported_operator(node.operator, registry.OPERATORS.get(node.operator, what))
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
    wanted = [op.is_requested(index) for index in range(len(end.values))]
    return [inner.find(value) if wants else None for value, wants in zip(end.values, wanted)]


def convert(module: ModuleOp, options: TranslationOptions, *, file: str | None = None) -> None:
    """Translate the functions of a module in place, from FRONT to GRAPH.

    On an error the module stays as it was, except for nodes that no output needs: they are removed, whatever they are.

    `file` is the model's file, for warnings. Errors: `unknown-operator`, `unsupported-operator`, `unsupported-attribute`,
    `unsupported-output`, `invalid-onnx`, `import-limit` and those of shape inference, which name the node.
    Warnings: `SemanticsWarning`.
    """
    remove_dead_nodes(module)
    functions = [op for op in module.ops if isinstance(op, FunctionOp)]
    opset = module.attributes.get(OPSET)
    session = Session(
        {function.key: function for function in functions},
        options,
        opset.value.data if isinstance(opset, IntegerAttr) else 1,
    )
    try:
        mains = [op for op in module.ops if isinstance(op, FuncOp) and not op.is_declaration]
        bodies = [(main, _translate_main(main, session)) for main in mains]
    finally:
        for title, operator, difference in session.differences:
            _warn(Where(file, title, operator), difference)
    for main, block in bodies:
        end = block.last_op
        assert end is not None
        main.body.detach_block(main.body.block).erase(safe_erase=False)
        main.body.add_block(block)
        types = [a.type for a in block.args], [v.type for v in end.operands]
        main.properties["function_type"] = FunctionType.from_lists(*types)
    for function in functions:
        function.detach()
        function.erase()
    module.attributes.pop(OPSET, None)


def _translate_main(main: FuncOp, session: Session) -> Block:
    """The body of a function in GRAPH."""
    source = main.body.block
    names = argument_names(main)
    for name, argument in zip(names, source.args):
        if not isinstance(argument.type, GraphType) or not is_declared(argument.type):
            raise located(
                Error(
                    "invalid-onnx",
                    f"the input '{name}' is of type {argument.type}, which is not specific enough",
                ),
                main,
            )
    block = Block(arg_types=[a.type for a in source.args])
    scope = Scope(session, source, block, opset=session.opset)
    for before, argument, said in zip(source.args, block.args, arguments_of(main)):
        argument.name_hint, argument.location = before.name_hint, before.location
        # Translators may read the contents of an input that the user has fixed.
        value = said.value
        scope.values[before] = (
            argument if value is None else scope.append_constant(constant_attr(value), _location_of(argument))
        )
    translate(scope)
    end = source.last_op
    if not isinstance(end, ReturnOp):
        raise located(Error("mlir-invalid", "the function does not end in func.return"), main)
    results: list[SSAValue] = []
    for index, value in enumerate(end.operands):
        found = scope.find(value)
        if found is None:
            raise located(Error("undefined-name", f"output {index} of the model has no value"), end)
        results.append(found)
    scope.append(ReturnOp(*results), name_location("return", end.location))
    return block


def _location_of(argument: BlockArgument) -> NameLoc:
    location = argument.location
    return location if isinstance(location, NameLoc) else name_location(argument.name_hint or "", location)


def _warn(place: Where, difference: str) -> None:
    """A `SemanticsWarning`, which says how to have it the other way."""
    text = f"{place}: {difference}\n  for ONNX Runtime's semantics: --semantics onnxruntime (semantics='onnxruntime' in Python)"
    warn(SemanticsWarning(text))
