"""Einsum, whose class has functions that extractors call."""

from __future__ import annotations

from loomir.dialects.ov.operators.einsum import explicit
from loomir.tools.model_optimizer.mo.ops.row import OpRow


def parse_equation(node_name: str, equation: str) -> tuple[list[str], str]:
    """Return the labels of the operands and of the result.

    The result's labels follow from those of the operands if the equation does not have them.
    """
    return explicit(equation)


def normalize_equation(node_name: str, equation: str) -> str:
    """The equation with the result's labels."""
    operands, result = explicit(equation)
    return f"{','.join(operands)}->{result}"


ROWS = [
    OpRow(
        *("einsum", "Einsum", "Einsum", "Einsum", "opset7", None),
        backend=["equation"],
        members={
            "parse_equation": staticmethod(parse_equation),
            "normalize_equation": staticmethod(normalize_equation),
        },
    ),
]
