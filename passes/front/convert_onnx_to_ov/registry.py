"""Registry of translators, by operator name and schema version.

ONNX versions operators one by one: opset 17's Add is `Add-14`. A translator lists the versions whose semantics it
implements, so that a version of a later ONNX is refused instead of misread:

>>> @translates("Elu", 1, 6, 22)
... def elu(node: Node) -> Results:
...     return node.op(EluOp, node.input(0), alpha=node.float("alpha", 1.0))

An operator that is exactly one operation needs no translator: the operation's `SOURCES` name it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache, partial

from xdsl.ir import SSAValue
from xdsl.irdl import OptOperandDef, VarOperandDef

from loomir.dialects.extensible import Undo, add_to, extensible
from loomir.dialects.families import families
from loomir.dialects.onnx.operations import FunctionKey
from loomir.dialects.ov import operations
from loomir.dialects.ov.base import OvOperation
from loomir.passes.front.convert_onnx_to_ov.node import Node

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
                found[key] = partial(_as_it_stands, op_class)
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


def _as_it_stands(op_class: type[OvOperation], node: Node) -> Results:
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
