"""Registry of translators, nodes of foreign domains, and refused operators.

ONNX versions operators one by one: opset 17's Add is `Add-14`. A translator lists the versions whose semantics it
implements, so that a version of a later ONNX is refused instead of misread:

>>> @translates("Elu", 1, 6, 22)
... def elu(node: Node) -> Results:
...     return node.op(EluOp, node.input(0), alpha=node.float("alpha", 1.0))

An operator that is exactly one operation needs no translator: the operation's `SOURCES` name it.

Nodes of domains that are not ONNX's are layers of OpenVINO's operation sets, operations of extensions, and unknown operators
(`translate_foreign`).

```mlir
%y = onnx.node "Swish" 1 in "openvino.opset4" (%x) : (tensor<4xf32>) -> !onnx.unknown
%z = onnx.node "FastGelu" 1 in "com.microsoft" (%y) : (!onnx.unknown) -> tensor<4xf32>
```

becomes

```mlir
%y = ov.swish %x : (tensor<4xf32>) -> tensor<4xf32>
%z = ov.custom "FastGelu" in "com.microsoft" (%y) : (tensor<4xf32>) -> tensor<4xf32>
```

`OPERATORS` and `DOMAINS` say why loomir does not have some of ONNX's operators and domains.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache, partial

import onnx.defs
from xdsl.dialects.builtin import DenseArrayBase, UnrankedTensorType
from xdsl.ir import Attribute, Operation, Region, SSAValue
from xdsl.irdl import OptOperandDef, VarOperandDef

from loomir.dialects.element_types import i64
from loomir.dialects.families import Undo, add_to, extensible, families
from loomir.dialects.onnx.nodes import schema_of
from loomir.dialects.onnx.operations import FunctionKey, NodeOp
from loomir.dialects.onnx.types import is_declared
from loomir.dialects.ov import operations
from loomir.dialects.ov.base import OvOperation
from loomir.dialects.ov.layers import is_known
from loomir.dialects.ov.layers.attributes import PlainLayer, as_it_stands, read_attributes, text_of
from loomir.dialects.ov.layers.conversion import results_of_layer
from loomir.dialects.ov.operators.control_flow import YieldOp
from loomir.dialects.ov.operators.custom import EXTENSION_CAN, CustomOp, declared_types
from loomir.errors import Error
from loomir.passes.front.convert_onnx_to_ov.node import Node
from loomir.passes.front.convert_onnx_to_ov.scope import Scope, Subgraph

Results = Sequence[SSAValue | None] | SSAValue
"""Results of a translator: one value per output.

None stands for an output that the translator cannot produce. A single value may stand alone.
"""

Translator = Callable[[Node], Results]

_TRANSLATORS: dict[tuple[str, int], Translator] = {}
_OF_DOMAINS: dict[tuple[str, str, int], Translator] = {}
_OF_EXTENSIONS: dict[FunctionKey, Translator] = {}


def add_translator(domain: str, operator: str, translator: Translator) -> Undo:
    """Register an extension's translator for every version of an operator.

    It takes precedence over existing translators of the operator and over a function of its name.

    `Error("extension-clash")` if another extension has a translator for the operator.
    """
    what = f"an extractor of the operator '{operator}' of '{domain or 'ai.onnx'}'"
    return add_to(_OF_EXTENSIONS, (domain, operator, ""), translator, what)


def extension_translator(key: FunctionKey) -> Translator | None:
    """An extension's translator of a node, or None."""
    return _OF_EXTENSIONS.get(key)


@extensible
@cache
def operation_of(domain: str, operator: str) -> type[OvOperation] | None:
    """Return the extension operation whose `SOURCES` name this domain's operator."""
    for op_class in operations():
        if issubclass(op_class, OvOperation) and domain:
            sources = op_class.SOURCES
            if sources.domain == domain and sources.onnx[:1] == (operator,):
                return op_class
    return None


def translates(operator: str, *versions: int, domain: str = "") -> Callable[[Translator], Translator]:
    """Register a function for these versions of an operator of a domain.

    Without a domain, the operator is one of `ai.onnx`.
    """

    def register(function: Translator) -> Translator:
        for version in versions:
            if domain:
                assert (domain, operator, version) not in _OF_DOMAINS, f"{operator} is translated twice"
                _OF_DOMAINS[domain, operator, version] = function
                continue
            assert (operator, version) not in _TRANSLATORS, f"{operator}-{version} is translated twice"
            _TRANSLATORS[operator, version] = function
        return function

    return register


@extensible
@cache
def _translators() -> Mapping[tuple[str, int], Translator]:
    """Return all translators: registered ones, and those implied by `SOURCES`.

    (Several threads may compute the table, each its own.)
    """
    list(families("loomir.passes.front.convert_onnx_to_ov.operators"))  # each registers its own
    found = dict(_TRANSLATORS)
    for op_class in operations():
        if issubclass(op_class, OvOperation) and op_class.SOURCES.onnx and not op_class.SOURCES.domain:
            name, *versions = op_class.SOURCES.onnx
            for version in versions:
                key = str(name), int(version)
                assert key not in found, f"{key} is translated twice"
                found[key] = partial(_translate_by_sources, op_class)
    return found


def operands_of(op_class: type[OvOperation], node: Node) -> list[SSAValue | Sequence[SSAValue] | None]:
    """The inputs as the operands that the class declares."""
    operands: list[SSAValue | Sequence[SSAValue] | None] = []
    for index, (_, operand) in enumerate(op_class.get_irdl_definition().operands):
        if isinstance(operand, OptOperandDef):
            operands.append(node.optional(index))
        else:
            operands.append(node.inputs() if isinstance(operand, VarOperandDef) else node.input(index))
    return operands


def _translate_by_sources(op_class: type[OvOperation], node: Node) -> Results:
    """The inputs are the operands."""
    return node.op(op_class, *operands_of(op_class, node))


def find_translator(operator: str, version: int, domain: str = "") -> Translator | None:
    """The translator of this version of an operator, or None."""
    known = _translators()
    return _OF_DOMAINS.get((domain, operator, version)) if domain else known.get((operator, version))


def translated_operators(domain: str) -> list[str]:
    """The operators of another domain than ONNX's that have a translator."""
    _translators()  # all are registered
    return sorted({operator for of, operator, _ in _OF_DOMAINS if of == domain})


def translated_versions() -> dict[str, list[int]]:
    """Operator → the versions that have a translator, of ONNX's own."""
    table: dict[str, list[int]] = {}
    for operator, version in sorted(_translators()):
        table.setdefault(operator, []).append(version)
    return table


_RANDOM = "it draws random numbers, which ONNX does not specify"
_STRINGS = "it works on strings"

OPERATORS: dict[str, str] = {
    **dict.fromkeys(
        (
            "Bernoulli",
            "Multinomial",
            "RandomNormal",
            "RandomNormalLike",
            "RandomUniform",
            "RandomUniformLike",
        ),
        _RANDOM,
    ),
    **dict.fromkeys(("RegexFullMatch", "StringConcat", "StringNormalizer", "StringSplit"), _STRINGS),
    "ImageDecoder": "it reads image files",
    "TfIdfVectorizer": "it counts words, which is preprocessing",
}
"""Operator → the reason."""

DOMAINS: dict[str, str] = {
    "ai.onnx.ml": "operators of classical machine learning (ai.onnx.ml) are not supported",
    "ai.onnx.training": "operators for training (ai.onnx.training) are not supported",
    "ai.onnx.preview.training": "operators for training (ai.onnx.preview.training) are not supported",
}
"""Domain → what to say of its operators."""


def unknown_operator(operator: str, domain: str, version: int) -> Error:
    """Return the error for an operator that an operator set lacks.

    The error is `unknown-operator` or `unsupported-operator`.
    """
    if domain in DOMAINS:
        return unsupported_operator(operator, DOMAINS[domain])
    name = f"'{operator}' in '{domain or 'ai.onnx'}'"
    if (first := _first_version(operator, domain)) is not None:
        return Error(
            "unknown-operator",
            f"operator set {version} has no operator {name} yet",
            hint=f"import operator set {first} or a newer one, or {EXTENSION_CAN}",
        )
    return Error("unknown-operator", f"unknown operator {name}", hint=EXTENSION_CAN)


def unsupported_operator(operator: str, reason: str) -> Error:
    """Return the error `unsupported-operator` for an ONNX operator that loomir lacks."""
    return Error("unsupported-operator", f"'{operator}': {reason}", hint=EXTENSION_CAN)


def _first_version(operator: str, domain: str) -> int | None:
    """The oldest operator set that has an operator."""
    if not onnx.defs.has(operator, domain):
        return None
    known = onnx.defs.get_all_schemas_with_history()
    return min(s.since_version for s in known if s.name == operator and s.domain == domain)


LAYERS = "openvino."
"""Prefix of the domains of OpenVINO's operation sets in FRONT.

An example is `openvino.opset4`. Transformations create such nodes; no ONNX file has one.
"""


TranslateGraph = Callable[[Scope, Subgraph, str], list[SSAValue]]
"""Function that translates a graph in its scope.

The last argument is the graph's name in diagnostics.
"""

ABSENT_INPUTS = "absent"
"""Attribute of an `ov.custom`: the positions of omitted inputs."""


def is_foreign(op: NodeOp) -> bool:
    """Return True if ONNX does not define a node's domain or operator."""
    domain, operator, _ = op.key
    if domain in ("", "ai.onnx", *DOMAINS):
        return False
    return schema_of(operator, op.version.value.data, domain) is None


def translate_foreign(node: Node, translate_graph: TranslateGraph) -> Results:
    """Translate a node of a foreign domain.

    A layer is translated by its row; other nodes by an operation of an extension or by a translator; the rest become `ov.custom`.
    Errors: those of these.
    """
    domain = node.source.key[0]
    if domain.startswith(LAYERS):
        opset = domain.removeprefix(LAYERS)
        if is_known(node.operator, opset):
            layer = PlainLayer(node.operator, opset, _attribute_texts(node))

            def add(op: Operation) -> None:
                node.scope.append(op, node.location)

            return results_of_layer(layer, node.inputs(), node.outputs, add)
        return _custom_operation(node, opset, translate_graph)
    op_class = operation_of(domain, node.operator)
    if op_class is None:
        translator = find_translator(node.operator, node.version, domain)
        return _custom_operation(node, domain, translate_graph) if translator is None else translator(node)
    properties = read_attributes(as_it_stands(op_class), _attribute_texts(node))
    return node.emit(
        op_class, *operands_of(op_class, node), attributes=properties, results=node.outputs
    ).results


def unknown_dependency(values: Iterable[SSAValue]) -> CustomOp | None:
    """Return an unknown operator on which the values depend, or None.

    The operator has a result for which the file declares no shape.
    """
    waiting, seen = list(values), set[Operation]()
    while waiting:
        owner = waiting.pop().owner
        if not isinstance(owner, Operation) or owner in seen:
            continue
        for op in owner.walk():
            if isinstance(op, CustomOp) and any(isinstance(r.type, UnrankedTensorType) for r in op.results):
                return op
            seen.add(op)
            waiting.extend(op.operands)
    return None


def _attribute_texts(node: Node) -> dict[str, str]:
    return {
        name: text_of(name, value) for name, value in node.attributes.items() if isinstance(value, Attribute)
    }


def _custom_operation(node: Node, version: str, translate_graph: TranslateGraph) -> Results:
    """Translate the node to an `ov.custom`.

    `Error("unknown-operator")` for a node with a graph that does not declare the types of its inputs.
    """
    inputs = [node.optional(index) for index in range(len(node))]
    operands = [value for value in inputs if value is not None]
    types = [
        result.type if node.is_requested(index) and is_declared(result.type) else open_
        for index, (result, open_) in enumerate(
            zip(node.source.results, declared_types(node.outputs, operands))
        )
    ]
    attributes = {n: a for n, a in node.attributes.items() if isinstance(a, Attribute)}
    if absent := [index for index, value in enumerate(inputs) if value is None]:
        attributes[ABSENT_INPUTS] = DenseArrayBase.from_list(i64, absent)
    graphs = [
        _region(node, n, g, translate_graph) for n, g in node.attributes.items() if isinstance(g, Subgraph)
    ]
    op = CustomOp.of((node.operator, version), operands, types, attributes, graphs)
    return node.scope.append(op, node.location).results


def _region(node: Node, name: str, graph: Subgraph, translate_graph: TranslateGraph) -> Region:
    """Translate a graph of an unknown operator.

    The graph's inputs have the types that it declares.
    """
    if not all(is_declared(formal.type) for formal in graph.inputs):
        raise Error(
            "unknown-operator",
            f"the semantics of the operator '{node.operator}' of '{node.source.key[0]}' are unknown, and its graph '{name}' does not "
            "declare the types of its inputs",
            hint=EXTENSION_CAN,
        )
    scope, block = node.subgraph(graph, [formal.type for formal in graph.inputs])
    scope.values.update(zip(graph.inputs, block.args))
    values: list[SSAValue] = translate_graph(scope, graph, name)
    end = YieldOp.build(operands=[values])
    end.location = node.location
    block.add_op(end)
    region = block.parent
    assert region is not None
    return region
