"""Checks of an extension's operation before it is added."""

from __future__ import annotations

import re

from xdsl.ir import Operation
from xdsl.irdl import OptOperandDef, VarOperandDef

from loomir.dialects.ov.base import OvOperation
from loomir.dialects.ov.evaluation import has_evaluator
from loomir.dialects.ov.layers.attributes import as_it_stands
from loomir.dialects.ov.layers.rows import is_known
from loomir.dialects.ov.layouts import AnyOrder, Layout
from loomir.errors import Error, shown
from loomir.passes.front.convert_onnx_to_ov.registry import find_translator, operation_of
from loomir.passes.graph.decompositions import decomposition_of


def check_operation(op_class: type[Operation], prefix: str) -> None:
    """Check that the class is a valid operation of the extension.

    It is derived from `OvOperation`, defined for xDSL, and has a name of the extension. Raises `Error("extension-operation")`.
    """
    if not isinstance(op_class, type) or not issubclass(op_class, OvOperation):
        raise Error(
            "extension-operation",
            f"{shown(op_class)} is no operation of GRAPH",
            hint="it is a class derived from loomir.dialects.ov.base.OvOperation",
        )
    name = getattr(op_class, "name", None)
    if not isinstance(name, str) or not re.fullmatch(rf"{re.escape(prefix)}[a-z][a-z0-9_]*", name):
        raise Error(
            "extension-operation",
            f"{op_class.__qualname__} is called {shown(name)}",
            hint=f"its name is {prefix}, and a word of small letters, digits and _",
        )
    if "get_irdl_definition" not in vars(op_class):
        raise Error(
            "extension-operation",
            f"{name} is not defined for xDSL",
            hint=f"put @irdl_op_definition in front of the class {op_class.__name__}",
        )


def check_layout(op_class: type[OvOperation]) -> None:
    """Check that the names in `LAYOUT` are declared, with matching kinds.

    Raises `Error("extension-operation")`.
    """
    layout, definition = op_class.LAYOUT, op_class.get_irdl_definition()
    if layout is None:
        return
    if not isinstance(layout, Layout):
        raise _layout(op_class, f"is {shown(layout)}")
    several = any(
        isinstance(d, VarOperandDef) and not isinstance(d, OptOperandDef) for _, d in definition.operands
    )
    numbers = [] if layout.operands == (-1,) else [*layout.operands]
    names: list[str] = []
    if isinstance(layout, AnyOrder):
        numbers += [*layout.per_axis, *([] if layout.axes is None else [layout.axes])]
        names += [*layout.lists, *([] if layout.axis is None else [layout.axis])]
    for number in numbers:
        if not 0 <= number < len(definition.operands) and not (several and number >= 0):
            raise _layout(op_class, f"names operand {number}, which it has not")
    for name in names:
        if name not in definition.properties:
            raise _layout(op_class, f"names the attribute '{name}', which it has not")


def _layout(op_class: type[OvOperation], what: str) -> Error:
    return Error(
        "extension-operation",
        f"LAYOUT of {op_class.name} {what}",
        hint="ChannelsFirst(), Broadcasting((0, 1)), AnyOrder(axis='axis') …: loomir.dialects.ov.layouts",
    )


def check_sources(op_class: type[OvOperation]) -> None:
    """Check that no other operation has the `SOURCES` of this one.

    Errors: `extension-clash`; `extension-operation` for an attribute that no layer can express.
    """
    sources = op_class.SOURCES
    if sources.openvino:
        type_ = str(sources.openvino[0])
        if is_known(type_):
            raise _clash(op_class, f"the layer '{type_}'")
    if sources.openvino or sources.domain:
        try:
            as_it_stands(op_class)
        except StopIteration:
            raise Error(
                "extension-operation",
                f"{op_class.name} has a property that is nothing an attribute of a file can say",
                hint="properties are IntegerAttr of i64, FloatAttr of f64, BoolAttr, StringAttr, arrays of these; or name it in own=",
            ) from None
    if sources.onnx:
        operator, *versions = sources.onnx
        known = (
            operation_of(sources.domain, str(operator))
            if sources.domain
            else next((v for v in versions if find_translator(str(operator), int(v))), None)
        )
        if known is not None:
            where = f" of '{sources.domain}'" if sources.domain else f"-{known}"
            raise _clash(op_class, f"the operator '{operator}'{where}")


def _clash(op_class: type[OvOperation], what: str) -> Error:
    return Error(
        "extension-clash",
        f"{op_class.name} is {what}, but that is known already",
        hint="an extractor overrides an operator of ONNX; a layer that is known cannot be another operation",
    )


def check_meaning(op_class: type[OvOperation]) -> None:
    """An operation has `evaluate`, or is composite and has a decomposition. `Error("extension-operation")`."""
    decomposed = decomposition_of(op_class) is not None
    if decomposed == op_class.COMPOSITE and (op_class.COMPOSITE or has_evaluator(op_class)):
        return
    if decomposed:
        what, hint = "has a decomposition, but is not COMPOSITE", "write COMPOSITE = True in its class"
    elif op_class.COMPOSITE:
        what, hint = (
            "is COMPOSITE, but has no decomposition",
            f"@extension.decomposition({op_class.__name__})",
        )
    else:
        what, hint = (
            "has no evaluate, and is not COMPOSITE",
            "of what only shapes are known, use inference(…)",
        )
    raise Error("extension-operation", f"the operation {op_class.name} {what}", hint=hint)
