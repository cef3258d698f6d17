"""Programs in `jax.lax`, for XLA:CPU: `programs` those of the benchmarks, each other module those of the corpus module of its name.

A function has the name of the program. Its parameters are the model's inputs and initializers by name, its result the outputs by name. The
form is the one that jax's documentation suggests: `scan` over rows, `fori_loop` for a known count, `while_loop` for a condition.
"""

from __future__ import annotations

import ast
from pathlib import Path

HERE = Path(__file__).parent
OWN = "programs"


def functions_of(modules: set[str] | None = None) -> dict[str, str]:
    """Programs and the functions that compute them, such as `in_lax.recurrent.lstm`: those of the corpus, or of these modules.

    The modules are read, not imported: jax is in an environment of its own.
    """
    found: dict[str, str] = {}
    for path in sorted(HERE.glob("*.py")):
        if path.stem == "__init__" or (path.stem == OWN if modules is None else path.stem not in modules):
            continue
        for each in ast.parse(path.read_text()).body:
            if isinstance(each, ast.FunctionDef) and not each.name.startswith("_"):
                found[each.name] = f"in_lax.{path.stem}.{each.name}"
    return found
