"""Faults of extensions, transformations and files that describe replacements.

With their errors they are the end of the table of docs/errors.md.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import loomir
from loomir.compiler.extensions.loading import unloaded_afterwards
from tests.hostile.fault import fault
from tests.hostile.faults import graph

EXTENSION = """
import loomir
extension = loomir.Extension("acme")

@extension.replacement("Mine")
def mine(match):
    return None

def fail(module):
    raise KeyError("x")

def break_it(module):
    for op in module.walk():
        if op.name == "ov.relu":
            op.operands = [op.results[0]]

extension.transformation("Fails", "middle", fail, enabled=False)
extension.transformation("Breaks", "middle", break_it, enabled=False)
"""


def extended(what: str, identifier: str, more: str = "", config: str | None = None, **options: Any) -> None:
    """A fault of `loomir.convert` with an extension of one file."""

    @fault(what, identifier)
    def attempt(folder: Path) -> object:
        (folder / "acme.py").write_text(EXTENSION + more)
        given = dict(options)
        if config is not None:
            given["transformations_config"] = folder / "config.json"
            given["transformations_config"].write_text(config)
        with unloaded_afterwards():
            return loomir.convert(graph("y = Relu(x)"), extensions=[folder / "acme.py"], **given)


extended("an extension that cannot be imported", "extension-broken", "import no_such_module_at_all")
extended("two extensions of one name", "extension-clash", "other = loomir.Extension('acme')")
extended(
    "an extractor of what another extension has one of",
    "extension-clash",
    "other = loomir.Extension('other')\n"
    "for each in (extension, other): each.extractor('Abs')(lambda node: node.input(0))",
)
extended("an extension's operation that is none", "extension-operation", "extension.operation(int)")
extended(
    "a pass of an extension that raises", "pass-failed",
    "from dataclasses import dataclass\nfrom xdsl.passes import ModulePass\n"
    "@extension.named_pass\n@dataclass(frozen=True)\nclass Mine(ModulePass):\n"
    "    name = 'acme-mine'\n    def apply(self, ctx, op): raise ValueError('x')\n"
    "extension.transformation('Passes', 'middle', 'acme-mine')\n",
)  # fmt: skip
extended(
    "transformations that each have to run before the other",
    "phase-cycle",
    "extension.transformation('A', 'back', fail, run_before=('B',), run_after=('B',))\n"
    "extension.transformation('B', 'back', fail)",
)
extended(
    "two transformations of one id", "phase-duplicate", "extension.transformation('Fails', 'back', fail)"
)
extended("a transformation that is not there", "bad-option", enable=["Frobnicate"])
extended("a transformation that fails", "transformation-failed", enable=["Fails"])
extended("a transformation that leaves no program", "transformation-broke-ir", enable=["Breaks"])
extended("a file of replacements that is no JSON", "replacement-file", config="[")
extended("a replacement of an unknown kind", "replacement-file", config='[{"id": "Mine", "match_kind": "x"}]')
extended(
    "a replacement that no extension makes",
    "replacement-handler",
    config='[{"id": "X", "match_kind": "general"}]',
)
extended(
    "a scope that no node is in",
    "replacement-match",
    config='[{"id": "Mine", "match_kind": "scope", "instances": ["nowhere/"]}]',
)
extended(
    "a replacement without a value for an output",
    "replacement-result",
    config='[{"id": "Mine", "match_kind": "scope", "instances": ["y"]}]',
)
