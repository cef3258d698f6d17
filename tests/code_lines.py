"""Lines of code of the product: those that hold a token other than a comment or a docstring.

    python -m tests.code_lines

prints them and the modules for each layer, the mean length of such a line, so that lines saved by making others longer show,
the share of import statements, and the lines of those modules that rewrite control flow (`CONTROL_FLOW`).
"""

from __future__ import annotations

import ast
import io
import tokenize
from pathlib import Path

ROOT = Path(__file__).parents[1]
LAYERS = ("compiler", "dialects", "passes", "tools")

CONTROL_FLOW = (
    # The interface, and rewrites of loops and branches of both dialects.
    "dialects/control_flow/*.py",
    "passes/control_flow/*.py",
    # Rewrites of one of the dialects.
    "dialects/ov/canonicalization/loops.py",
    "dialects/ov/canonicalization/loop_values.py",
    "passes/graph/lib/branches.py",
    "passes/graph/lib/loop_copies.py",
    "passes/graph/lib/loop_rewriting.py",
    "passes/graph/lib/while_copies.py",
    "passes/structured/lib/loop_pieces.py",
    # Passes.
    "passes/graph/ov_if_to_select.py",
    "passes/structured/scf_if_to_select.py",
    "passes/graph/ov_if_sink.py",
    "passes/structured/scf_if_sink.py",
    "passes/graph/ov_loop_unroll.py",
    "passes/loops/scf_unroll.py",
    "passes/graph/ov_loop_peel.py",
    "passes/structured/scf_for_loop_peeling.py",
    "passes/graph/ov_uplift_while_to_for.py",
    "passes/structured/scf_uplift_while_to_for.py",
    "passes/graph/ov_loop_invariant_code_motion.py",
    "passes/general/licm.py",
    "passes/graph/ov_loop_merge_values.py",
    "passes/general/remove_dead_values.py",
)
"""Modules whose rewrites exist, or existed, once for each of `ov` and `scf`: the patterns of paths."""
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


def import_lines(source: str) -> int:
    """Return the number of lines of a module's import statements."""
    found = (node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Import | ast.ImportFrom))
    return sum((node.end_lineno or node.lineno) - node.lineno + 1 for node in found)


def main() -> None:
    """Print the counts."""
    total = characters = imports = modules = not_blank = 0
    print("layer       lines  modules")
    for layer in LAYERS:
        sources = [path.read_text() for path in sorted((ROOT / layer).rglob("*.py"))]
        counted = [line for source in sources for line in code_lines(source)]
        total += len(counted)
        modules += len(sources)
        characters += sum(len(line) for line in counted)
        imports += sum(map(import_lines, sources))
        not_blank += sum(bool(line.strip()) for source in sources for line in source.splitlines())
        print(f"{layer:10} {len(counted):6} {len(sources):8}")
    print(f"{'all':10} {total:6} {modules:8}, {characters / total:.1f} characters in the mean")
    rewrites = sorted({path for pattern in CONTROL_FLOW for path in ROOT.glob(pattern)})
    lines = sum(len(code_lines(path.read_text())) for path in rewrites)
    print(f"rewrites of control flow: {lines} lines in {len(rewrites)} modules")
    print(f"imports: {imports} lines, {imports / not_blank:.1%} of those that are not blank")


if __name__ == "__main__":
    main()
