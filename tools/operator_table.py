"""Prints docs/operators.md from the operator classes: `python -m loomir.tools.operator_table > docs/operators.md`."""

from __future__ import annotations

from loomir.dialects import ovseq
from loomir.dialects.ov import operations
from loomir.dialects.ov.base import OvOperation
from loomir.dialects.ov.layers import rows
from loomir.passes.front.convert_onnx_to_ov.registry import translated_operators, translated_versions

HEAD = """# Operators

Made by `python -m loomir.tools.operator_table` from the classes in `dialects/ov/operators` and `dialects/ovseq`; do not edit. *Primitive*
operators have numpy semantics (`evaluate` of their class) and a lowering (`passes/structured/convert_ov_to_linalg`);
*composite* ones are decomposed by `ov-decompose`; *control flow* is lowered by `convert-ov-loop-to-scf`. Neither OpenVINO
nor ONNX has *own* ones. The column OpenVINO IR has the layer types that become the operation, alone or with others. Parameter, Result,
ReadValue and Assign become arguments and results of `main`; Identity is removed. For differences between OpenVINO and ONNX, see
[semantics.md](semantics.md).
"""


LAYERS = {"Const": "ConstantOp", "Loop": "LoopOp", "TensorIterator": "LoopOp", "If": "IfOp"}
"""Layer types without a row, with the class of their operation.

They have no row since they are more than operands and attributes.
"""
OWN = "Neither OpenVINO nor ONNX has it"
"""Text in the docstring of an operation that comes from no model."""


def _kind(op: type) -> str:
    kind = "control flow"
    if issubclass(op, OvOperation):
        kind = "composite" if op.COMPOSITE else "primitive"
    return f"{kind}, own" if OWN in description(op) else kind


def description(op: type) -> str:
    """Return the table's description of an operation.

    It is the docstring up to the paragraph that names the sources.
    """
    paragraphs = (op.__doc__ or "").strip().split("\n\n")
    sources = next((i for i, text in enumerate(paragraphs) if "OpenVINO" in text or "ONNX" in text), 0)
    return " ".join(" ".join(paragraphs[: sources + 1]).replace("|", "\\|").split())


def table() -> str:
    """The whole page."""
    lines = [HEAD]
    types: dict[str, list[str]] = {}
    for layer, name in [*LAYERS.items(), *((layer, row.operation.__name__) for layer, row in rows().items())]:
        types.setdefault(name, []).append(layer)
    by_family: dict[str, list] = {}
    for op in operations():
        by_family.setdefault(op.__module__.rpartition(".")[2], []).append(op)
    for family, members in by_family.items():
        lines += [
            f"\n## {family.replace('_', ' ')}\n",
            "| operation | kind | OpenVINO IR | what it is |",
            "|---|---|---|---|",
        ]
        for op in members:
            layers = ", ".join(types.get(op.__name__, []))
            lines.append(f"| `{op.name}` | {_kind(op)} | {layers} | {description(op)} |")
    lines += ["\n## ovseq: sequences and optionals (GRAPH only)\n", "| operation | what it is |", "|---|---|"]
    lines += [f"| `{op.name}` | {description(op)} |" for op in ovseq.operations()]
    lines += ["\n## ONNX operators with a translator\n", "| operator | versions |", "|---|---|"]
    lines += [
        f"| {name} | {', '.join(map(str, versions))} |"
        for name, versions in sorted(translated_versions().items())
    ]
    lines += [
        "\n## Operators of com.microsoft with a translator\n",
        ", ".join(translated_operators("com.microsoft")),
    ]
    return "\n".join(lines) + "\n"


def main() -> None:
    """Entry point."""
    print(table(), end="")


if __name__ == "__main__":
    main()
