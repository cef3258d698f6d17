"""First lines of the product's docstrings: at most twelve words, an imperative or a noun phrase."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PRODUCT = ("compiler", "dialects", "passes", "tools")
MOST_WORDS = 12
CLAUSE = re.compile(r"(what|which|who|whom|whose|whoever|whether|as above)\b", re.IGNORECASE)
"""Words that begin a relative clause: the reader has to parse it to find the noun."""


def fault_of(docstring: str) -> str | None:
    """Return the fault of a docstring's first line, or None. A span in backticks counts as one word."""
    first, *rest = docstring.strip().split("\n")
    if found := CLAUSE.match(first):
        return f"it begins with '{found[0]}'"
    words = len(re.sub(r"`+[^`]*`+", "X", first).split())
    if words > MOST_WORDS:
        return f"its first line has {words} words"
    return "no blank line follows its first line" if rest and rest[0].strip() else None


def docstrings_of(tree: ast.Module) -> Iterator[tuple[int, str]]:
    """The docstrings of a module, its classes, functions and assigned names, with their lines."""
    for node in ast.walk(tree):
        body = getattr(node, "body", None)
        for before, statement in zip([node, *body], body) if isinstance(body, list) else ():
            if not isinstance(statement, ast.Expr) or not isinstance(statement.value, ast.Constant):
                continue
            documents = ast.Module | ast.ClassDef | ast.FunctionDef | ast.Assign | ast.AnnAssign
            if isinstance(statement.value.value, str) and isinstance(before, documents):
                yield statement.lineno, statement.value.value


def test_first_lines_of_docstrings() -> None:
    """(One test, not one a folder, of which `make test` would run a sample.)"""
    faults = [
        f"{path.relative_to(ROOT)}:{line}: {fault}: {text.strip().partition(chr(10))[0]}"
        for folder in PRODUCT
        for path in sorted((ROOT / folder).rglob("*.py"))
        for line, text in docstrings_of(ast.parse(path.read_text(encoding="utf-8")))
        if (fault := fault_of(text))
    ]
    assert not faults, "\n".join(faults)


@pytest.mark.parametrize("folder", ["tests", "benchmarks", "examples"])
def test_docstrings_of_tests_begin_with_no_clause(folder: str) -> None:
    """Elsewhere only the first word is checked; `tests/fixtures` has files of others."""
    faults = [
        f"{path.relative_to(ROOT)}:{line}: {text.strip().partition(chr(10))[0]}"
        for path in sorted((ROOT / folder).rglob("*.py"))
        if "fixtures" not in path.parts
        for line, text in docstrings_of(ast.parse(path.read_text(encoding="utf-8")))
        if CLAUSE.match(text.strip())
    ]
    assert not faults, "\n".join(faults)


@pytest.mark.parametrize(
    ("docstring", "fault"),
    [
        ("Return the trip count.", None),
        ("Fold `concat(x, y, z, a, b, c, d, e, f, g, h, i, j, k)` to `x`.\n\nOf one operand.", None),
        ("Whether a loop runs.", "it begins with 'Whether'"),
        (
            "The one two three four five six seven eight nine ten eleven twelve.",
            "its first line has 13 words",
        ),
        ("Return the trip count\nof a loop.", "no blank line follows its first line"),
    ],
)
def test_the_rule(docstring: str, fault: str | None) -> None:
    assert fault_of(docstring) == fault
