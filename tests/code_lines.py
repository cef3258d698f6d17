"""Lines of code of the product: those that hold a token other than a comment or a docstring.

    python -m tests.code_lines

prints them for each layer, and the mean length of such a line, so that lines saved by making others longer show.
"""

from __future__ import annotations

import ast
import io
import tokenize
from pathlib import Path

ROOT = Path(__file__).parents[1]
LAYERS = ("compiler", "dialects", "passes", "tools")
_NOTHING = {
    tokenize.COMMENT,
    tokenize.NL,
    tokenize.NEWLINE,
    tokenize.INDENT,
    tokenize.DEDENT,
    tokenize.ENDMARKER,
}


def code_lines(source: str) -> list[str]:
    """The lines of a module that hold code, without their comments' own lines and without docstrings."""
    strings: set[int] = set()
    for node in ast.walk(ast.parse(source)):
        body = getattr(node, "body", None)
        if not isinstance(body, list):
            continue
        for statement in body:
            # A string that stands alone documents what is above it: a module, class, function or assignment.
            alone = statement.value if isinstance(statement, ast.Expr) else None
            if isinstance(alone, ast.Constant) and isinstance(alone.value, str):
                strings.update(range(statement.lineno, (statement.end_lineno or 0) + 1))
    found: set[int] = set()
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type not in _NOTHING:
            found.update(range(token.start[0], token.end[0] + 1))
    lines = source.splitlines()
    return [lines[number - 1] for number in sorted(found - strings)]


def main() -> None:
    """Print the counts."""
    total = characters = 0
    for layer in LAYERS:
        counted = [
            line for path in sorted((ROOT / layer).rglob("*.py")) for line in code_lines(path.read_text())
        ]
        total += len(counted)
        characters += sum(len(line) for line in counted)
        print(f"{layer:10} {len(counted):6}")
    print(f"{'all':10} {total:6}, {characters / total:.1f} characters in the mean")


if __name__ == "__main__":
    main()
