"""Prints docs/passes.md from the passes' docstrings: `python -m loomir.tools.pass_table > docs/passes.md`."""

from __future__ import annotations

import dataclasses
import sys
from inspect import cleandoc

from loomir.compiler.pipeline import PIPELINES
from loomir.compiler.universe import PASS_FOLDERS, load_pass, pass_modules

HEAD = """# Passes

Made by `python -m loomir.tools.pass_table` from the passes' docstrings; do not edit. Every pass runs with
`loomir-opt -p 'name{option=value}'` and `model.optimize("name{option=value}")`; xDSL's own (`canonicalize`, `cse`, `dce` …) too.
"""
HERE = " (see the module's docstring)"
"""How a class refers to what stands above it on the page."""


def table() -> str:
    """The whole page."""
    lines = [HEAD, "## Pipelines\n", "| from – to | passes |", "|---|---|"]
    lines += [
        f"| {name} | {', '.join(f'`{p.pipeline_pass_spec()}`' for p in passes)} |"
        for name, passes in PIPELINES.items()
    ]
    for folder in PASS_FOLDERS:
        lines.append(f"\n## {folder.upper()}")
        for name, module in sorted(pass_modules().items()):
            if f".{folder}." not in module:
                continue
            pass_class = load_pass(name, module)
            lines.append(f"\n### `{name}`\n")
            options = [
                f"`{f.name.replace('_', '-')}` ({f.type}, {f.default!r})"
                for f in dataclasses.fields(pass_class)
            ]
            own = cleandoc(pass_class.__doc__ or "")
            whole = cleandoc(sys.modules[pass_class.__module__].__doc__ or "")
            lines.append(own if "```" in own else f"{whole}\n\n{own.replace(HERE, '')}")
            exact = getattr(pass_class, "EXACT", False)
            claim = "the same to the last bit" if exact else "the same but for rounding"
            if folder != "front":
                # (Before it nothing can be run.)
                lines.append(f"\nResults are {claim}.")
            if options:
                lines.append(f"\nOptions: {', '.join(options)}.")
    return "\n".join(lines) + "\n"


def main() -> None:
    """Entry point."""
    print(table(), end="")


if __name__ == "__main__":
    main()
