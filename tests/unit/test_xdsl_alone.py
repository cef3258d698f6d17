"""loomir changes no class of xDSL: who installs it finds xDSL as it was."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

EXAMPLE = Path(__file__).parents[2] / "examples" / "controlflow.xml"

PROGRAM = """
import sys, types
from xdsl.dialects import get_all_dialects
from xdsl.irdl import IRDLOperation
import xdsl.ir, xdsl.builder, xdsl.pattern_rewriter, xdsl.parser, xdsl.printer, xdsl.interpreter

for make in get_all_dialects().values():
    make()

def classes():
    for name, module in list(sys.modules.items()):
        if name.startswith("xdsl"):
            for item in list(vars(module).values()):
                if isinstance(item, type) and item.__module__ == name:
                    yield item

def definition(kind):
    if not (issubclass(kind, IRDLOperation) and "name" in vars(kind)):
        return ()
    found = kind.get_irdl_definition()
    declared = (*found.operands, *found.results, *found.properties.items(), *found.attributes.items())
    return (found, [(name, value, getattr(value, "constr", None)) for name, value in declared], found.traits.traits)

def state(kind):
    return {k: v for k, v in vars(kind).items() if k not in CACHES}, definition(kind)

CACHES = {"__abstractmethods__", "_abc_impl", "__doc__", "__annotations__"}
before = {kind: state(kind) for kind in classes()}
assert len(before) > 1000

from xdsl.universe import Universe
universe = Universe.get_multiverse()
assert "ov" in universe.all_dialects, "loomir's entry point"
[make() for make in universe.all_dialects.values()]

import loomir
model = loomir.load(sys.argv[1])
model.mlir("structured"), model.mlir("loops")
loomir.load(sys.argv[1], machine="x86-64-v3").emit_c(sys.argv[2], "f")

def same(a, b):
    return a is b or type(a) is type(b) and (
        all(map(same, a, b)) and len(a) == len(b) if isinstance(a, (list, tuple)) else a == b
    )

for kind, (attributes, declared) in before.items():
    now, redeclared = state(kind)
    assert now.keys() == attributes.keys(), (kind, now.keys() ^ attributes.keys())
    for name, value in attributes.items():
        assert now[name] is value or now[name] == value, (kind, name)
    assert same(redeclared, declared), (kind, declared, redeclared)
print(len(before))
"""


def test_no_class_of_xdsl_is_changed(tmp_path: Path) -> None:
    """By the entry point that `xdsl-opt` loads, nor by a compilation to vectors."""
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, str(EXAMPLE), str(tmp_path)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
