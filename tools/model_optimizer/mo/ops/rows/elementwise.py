"""Operations on elements, of one operand or several."""

from __future__ import annotations

from typing import Any

from loomir.tools.model_optimizer.mo.ops.row import OpRow, element_type

_ATTRIBUTES: dict[str, Any] = {
    "can_be_bias": True,
    "can_be_fused": True,
    "is_eltwise": True,
    "stop_value_propagation": False,
    "auto_broadcast": "numpy",
}


def _of_two(name: str, type: str | None = None, base: str = "Elementwise", **own: Any) -> OpRow:
    names = {"op": name, "type": type or name, "version": "opset1", **own}
    common = {"inputs": 2, "attributes": _ATTRIBUTES, "backend": ["auto_broadcast"]}
    return OpRow("elementwise", name, **names, **common, base=base)


def _of_one(name: str, version: str = "opset1", **own: Any) -> OpRow:
    attributes = {**_ATTRIBUTES, **own.pop("attributes", {})}
    return OpRow(
        "elementwise", name, name, name, version, 1, attributes=attributes, base="UnaryElementwise", **own
    )


_OPERATIONS = {
    "sum": "Add",
    "mul": "Mul",
    "max": "Max",
    "pow": "Pow",
    "less": "Less",
    "less_equal": "LessEqual",
    "greater": "Greater",
    "greater_equal": "GreaterEqual",
    "equal": "Equal",
    "not_equal": "NotEqual",
    "floor_mod": "FloorMod",
    "logical_or": "LogicalOr",
    "logical_and": "LogicalAnd",
    "logical_xor": "LogicalXor",
    "log": "Log",
}


def _n_ary(name: str, operation: str) -> OpRow:
    """Return the row of an n-ary elementwise operation.

    Such operations are not looked up by the name of their operation, and attributes from the caller have no meaning.
    """
    return OpRow(
        *("eltwise_n", name, "EltwiseN", None, None, None),
        base="EltwiseN",
        attributes={"operation": operation},
        fixed=True,
    )


def _called_as_its_operation(attributes: dict[str, Any]) -> None:
    attributes["op"] = _OPERATIONS[attributes["operation"]]


ROWS = [
    OpRow(
        *("elementwise", "Elementwise", None, None, "opset1", 2),
        attributes=_ATTRIBUTES,
        backend=["auto_broadcast"],
    ),
    OpRow(
        *("elementwise", "UnaryElementwise", None, None, "opset1", 1),
        attributes=_ATTRIBUTES,
        base="Elementwise",
    ),
    _of_two("Add"),
    _of_two("BiasAdd", "BiasAdd", "Add", op="Add"),
    _of_two("Sub", "Subtract"),
    _of_two("Mul", "Multiply"),
    _of_two("Div", "Divide"),
    _of_two("SquaredDifference"),
    _of_two("Pow", "Power"),
    OpRow(
        *("elementwise", "LogicalElementwise", None, None, "opset1", 2),
        attributes=_ATTRIBUTES,
        backend=["auto_broadcast"],
        base="Elementwise",
    ),
    *(
        _of_two(name, base="LogicalElementwise")
        for name in (
            "Greater",
            "GreaterEqual",
            "Less",
            "LessEqual",
            "Equal",
            "NotEqual",
            "LogicalOr",
            "LogicalAnd",
        )
    ),
    *(_of_two(name) for name in ("LogicalXor", "Maximum", "Minimum", "FloorMod", "Mod")),
    *(_of_two(name, version="opset13") for name in ("BitwiseAnd", "BitwiseOr", "BitwiseXor")),
    _of_one("Negative"),
    _of_one("Sqrt"),
    _of_one("BitwiseNot", "opset13"),
    _of_one("Round", "opset5", attributes={"mode": "half_to_even"}, backend=["mode"]),
    OpRow(
        *("select", "Select", "Select", "Select", "opset1", 3),
        attributes={"auto_broadcast": "numpy"},
        backend=["auto_broadcast"],
    ),
    OpRow(
        *("Cast", "Cast", "Cast", "Convert", "opset1"),
        attributes={"dst_type": None},
        backend=element_type("dst_type", "destination_type"),
    ),
    OpRow("identity", "Identity", "Identity", attributes={"identity": True}),
    OpRow("identity", "IdentityN", "IdentityN", inputs=None, outputs=None),
    OpRow(
        *("power", "AttributedPower", "AttributedPower", "Power"),
        attributes={"power": 1, "scale": 1, "shift": 0},
        backend=["power", "scale", "shift"],
    ),
    OpRow("eltwise_n", "EltwiseN", "EltwiseN", inputs=None, requires=("operation",)),
    _n_ary("EltwiseNMul", "mul"),
    _n_ary("EltwiseNMin", "min"),
    _n_ary("EltwiseNMax", "max"),
    _n_ary("EltwiseNAdd", "sum"),
    OpRow(
        *("eltwise", "Eltwise", "Eltwise", "Eltwise", None, 2),
        backend=["operation"],
        requires=("operation",),
        completed=_called_as_its_operation,
    ),
    OpRow("eltwise_ninputs_in_1", "EltwiseNin1", "EltwiseNin1", inputs=None, requires=("operation",)),
    OpRow("ConvertLike", "ConvertLike", "ConvertLike", "ConvertLike", "opset1", 2),
    OpRow("ClipByValueTF", "ClibByValueTF", "ClipByValueTF", inputs=3),
]
