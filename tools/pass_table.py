"""Prints docs/passes.md from the passes' docstrings: `python -m loomir.tools.pass_table > docs/passes.md`."""

from __future__ import annotations

import dataclasses
import re
import sys
from inspect import cleandoc

from xdsl.passes import ModulePass

from loomir.compiler.levels import DEFAULT_LEVEL, LEVELS
from loomir.compiler.pipeline import PIPELINES, LevelPipelines
from loomir.compiler.pipeline_syntax import option_types, pass_text
from loomir.compiler.universe import PASS_FOLDERS, folder_of, load_pass, pass_modules

HEAD = """# Passes

Made by `python -m loomir.tools.pass_table` from the passes' docstrings; do not edit. Every pass runs with
`loomir-opt -p 'name{option=value}'` and `model.optimize("name{option=value}")`; xDSL's own (`canonicalize`, `cse`, `dce` …) too.
"""
HERE = re.compile(r" \(see the module's docstring\)|\s*See the module's docstring\.")
"""How a class refers to what stands above it on the page."""


LEVELS_HEAD = """
## Levels

`-O0` has only the passes that each stage needs, `-O1` also quick passes that make no program larger, `-O2` (the default) all passes
that are worth their time, `-Os` the same without passes that make code larger; its integer weights stay integers. `loomir -O1 …`,
`loomir-opt -O1`, `load(level="O1")`; `--print-pipeline` prints the passes in order, with their options.
"""


def levels_table() -> list[str]:
    """Return a table of the passes of each level, by step.

    An option is listed if it differs from the default. The passes that are not exact are listed for each level.
    """
    lines = [LEVELS_HEAD, f"| from – to | pass | {' | '.join(f'-{name}' for name in LEVELS)} |"]
    lines.append("|---|---|" + "---|" * len(LEVELS))
    rounding: dict[str, list[str]] = {level: [] for level in LEVELS}
    for step in PIPELINES:
        rows: dict[str, dict[str, str]] = {}
        for level in (DEFAULT_LEVEL, *LEVELS):
            for each in LevelPipelines(level)[step]:
                own = pass_text(each).removeprefix(each.name)
                rows.setdefault(each.name, {})[level] = f"`{own}`" if own else "yes"
                if not getattr(each, "EXACT", False) and each.name not in rounding[level]:
                    rounding[level].append(each.name)
        for name, has in rows.items():
            lines.append(f"| {step} | `{name}` | {' | '.join(has.get(level, '') for level in LEVELS)} |")
    lines.append("\nResults are the same to the last bit, but for rounding in these passes:\n")
    for level, names in rounding.items():
        lines.append(f"- `-{level}`: {', '.join(f'`{name}`' for name in names) or 'none'}")
    return lines


def description(pass_class: type[ModulePass], *, runs: bool = True) -> str:
    """Return what a pass does, its exactness and its options.

    `runs` is False for a pass on programs that cannot be run: it changes no result.
    """
    own, whole = _documentation(pass_class)
    lines = [own if "```" in own or not whole else f"{whole}\n\n{HERE.sub('', own)}"]
    exact = getattr(pass_class, "EXACT", None)
    if runs and exact is not None:
        lines.append(f"\nResults are {'the same to the last bit' if exact else 'the same but for rounding'}.")
    types = option_types(pass_class)
    options = [
        f"`{f.name.replace('_', '-')}` ({types[f.name]}, "
        f"{'required' if f.default is dataclasses.MISSING else repr(f.default)})"
        for f in dataclasses.fields(pass_class)
    ]
    if options:
        lines.append(f"\nOptions: {', '.join(options)}.")
    return "\n".join(lines)


def summary(pass_class: type[ModulePass]) -> str:
    """Return the first line of a pass's documentation, or an empty text."""
    lines = "\n".join(_documentation(pass_class)).strip().splitlines()
    return HERE.sub("", lines[0]) if lines else ""


def _documentation(pass_class: type[ModulePass]) -> tuple[str, str]:
    """Return the docstrings of a pass's class and of its module."""
    own = pass_class.__doc__ or ""
    if own.startswith(f"{pass_class.__name__}("):
        # (That of a dataclass without one.)
        own = ""
    return cleandoc(own), cleandoc(sys.modules[pass_class.__module__].__doc__ or "")


def table() -> str:
    """The whole page."""
    lines = [
        HEAD,
        f"## Pipelines\n\nOf `-{DEFAULT_LEVEL}`, in order:\n",
        "| from – to | passes |",
        "|---|---|",
    ]
    lines += [
        f"| {name} | {', '.join(f'`{pass_text(p)}`' for p in passes)} |" for name, passes in PIPELINES.items()
    ]
    lines += levels_table()
    for folder in PASS_FOLDERS:
        lines.append(f"\n## {folder.upper()}")
        for name, module in sorted(pass_modules().items()):
            if folder_of(name) != folder:
                continue
            pass_class = load_pass(name, module)
            lines.append(f"\n### `{name}`\n")
            lines.append(description(pass_class, runs=folder != "front"))
    return "\n".join(lines) + "\n"


def main() -> None:
    """Entry point."""
    print(table(), end="")


if __name__ == "__main__":
    main()
