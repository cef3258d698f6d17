"""Prints docs/operators.md from the operator classes: `python -m loomir.tools.operator_table > docs/operators.md`."""

from __future__ import annotations

from loomir.compiler.frontends.onnx.registry import translated_versions
from loomir.compiler.frontends.openvino.rows import rows
from loomir.dialects import seq
from loomir.dialects.ov import FAMILIES, operations

HEAD = """# Operators

Made by `python -m loomir.tools.operator_table` from the classes in `dialects/ov` and `dialects/seq`; do not edit. *Primitive*
operators have numpy semantics (`dialects/ov/evaluate`) and a lowering (`passes/structured/lowering`);
*composite* ones are decomposed by `ov-decompose`. Where OpenVINO and ONNX differ in meaning, [semantics.md](semantics.md) says how.
"""


def _first_paragraph(op: type) -> str:
    first = (op.__doc__ or "").strip().split("\n\n")[0].replace("\n", " ").replace("|", "\\|")
    return " ".join(first.split())


def table() -> str:
    """The whole page."""
    lines = [HEAD]
    types = {row.class_name: name for name, row in reversed(list(rows().items()))}
    by_family: dict[str, list] = {}
    for op in operations():
        by_family.setdefault(op.__module__.rpartition(".")[2], []).append(op)
    for family in FAMILIES:
        lines += [
            f"\n## {family.replace('_', ' ')}\n",
            "| operation | kind | OpenVINO IR | what it is |",
            "|---|---|---|---|",
        ]
        for op in by_family.get(family, []):
            kind = "composite" if getattr(op, "COMPOSITE", False) else "primitive"
            lines.append(f"| `{op.name}` | {kind} | {types.get(op.__name__, '')} | {_first_paragraph(op)} |")
    lines += ["\n## seq: sequences and optionals (GRAPH only)\n", "| operation | what it is |", "|---|---|"]
    lines += [f"| `{op.name}` | {_first_paragraph(op)} |" for op in seq.operations()]
    lines += ["\n## ONNX operators with a translator\n", "| operator | versions |", "|---|---|"]
    lines += [
        f"| {name} | {', '.join(map(str, versions))} |"
        for name, versions in sorted(translated_versions().items())
    ]
    return "\n".join(lines) + "\n"


def main() -> None:
    """Entry point."""
    print(table(), end="")


if __name__ == "__main__":
    main()
