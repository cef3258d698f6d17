"""Helpers of the tests of this folder.

Accesses without a program, and generics as text, lowered for a machine and run.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from xdsl.dialects.builtin import MemRefType, ModuleOp
from xdsl.dialects.linalg.ops import GenericOp
from xdsl.ir.affine import AffineMap
from xdsl.parser import Parser
from xdsl.utils.test_value import create_ssa_value

from loomir.compiler.engines.lowered import LoopsEngine
from loomir.compiler.formats.mlir.parser import make_context
from loomir.compiler.stages import verify_stage
from loomir.passes.analysis.machines import Machine, machine_of
from loomir.passes.loops.lower_linalg_to_loops import LowerLinalgToLoopsPass
from loomir.passes.loops.lower_linalg_to_loops.access import MemRefAccess, accesses_of
from loomir.passes.loops.lower_linalg_to_loops.index_math import form_of
from loomir.passes.loops.lower_linalg_to_loops.tilings import Tiling
from loomir.passes.loops.lower_linalg_to_loops.vectors import vector_tiling

MACHINE = "x86-64-v3"
"""Vectors of eight floats, sixteen registers."""

MAC = """^bb0(%p: f32, %q: f32, %acc: f32):
  %m = arith.mulf %p, %q : f32
  %s = arith.addf %acc, %m : f32
  linalg.yield %s : f32
}"""

LETTERS = "abcdefg"
"""The loops of a map, outermost first."""


def affine_map(text: str, loops: int) -> AffineMap:
    """The coordinates `text` as functions of so many loops, which are `a`, `b`, `c` …"""
    written = f"affine_map<({', '.join(LETTERS[:loops])}) -> ({text})>"
    return Parser(make_context(), written).parse_attribute().data  # pyright: ignore[reportAttributeAccessIssue]


def access(memref: str, coordinates: str, loops: int) -> MemRefAccess:
    """An access to a memref that nothing else is known of."""
    type_ = Parser(make_context(), f"memref<{memref}>").parse_type()
    assert isinstance(type_, MemRefType)
    return MemRefAccess.of(create_ssa_value(type_), affine_map(coordinates, loops))


def coordinates(found: MemRefAccess | None, texts: str, loops: int) -> bool:
    """Return True if an access has these coordinates."""
    assert found is not None
    return found.coordinates == tuple(form_of(e) for e in affine_map(texts, loops).results)


def generic(maps: str, iterators: str, ins: Sequence[str], outs: Sequence[str], body: str = MAC) -> str:
    """A linalg.generic; an operand is `name: shape` of f32, the loops are `a`, `b`, `c` …"""
    kinds = ", ".join({"p": '"parallel"', "r": '"reduction"'}[i] for i in iterators)
    loops = ", ".join(LETTERS[: len(iterators)])
    all_maps = ", ".join(f"affine_map<({loops}) -> ({m.strip()})>" for m in maps.split(";"))
    return (
        f"linalg.generic {{indexing_maps = [{all_maps}], iterator_types = [{kinds}]}} "
        f"ins({_typed(ins)}) outs({_typed(outs)}) {{\n{body}\n"
    )


def _typed(operands: Sequence[str]) -> str:
    names = ", ".join(f"%{operand.partition(':')[0]}" for operand in operands)
    types = ", ".join(f"memref<{operand.partition(': ')[2]}xf32>" for operand in operands)
    return f"{names} : {types}"


def zeroed(operand: str) -> str:
    """A fill with zeros."""
    name, _, shape = operand.partition(": ")
    return f"linalg.fill ins(%zero : f32) outs(%{name} : memref<{shape}xf32>)\n"


def parse(
    inputs: Sequence[str], outputs: Sequence[str], body: str, temporaries: Sequence[str] = ()
) -> ModuleOp:
    """`main` with these buffers of f32."""
    arguments = [
        f'%{name}: memref<{shape}xf32> {{loomir.name = "{name}", loomir.role = "{role}"}}'
        for role, operands in (("input", inputs), ("output", outputs))
        for name, _, shape in (operand.partition(": ") for operand in operands)
    ]
    made = [
        f"%{name} = memref.alloc() : memref<{shape}xf32>\n"
        for name, _, shape in (operand.partition(": ") for operand in temporaries)
    ]
    text = f"""builtin.module {{ func.func @main({", ".join(arguments)}) {{
%zero = arith.constant 0.0 : f32
{"".join(made)}{body}func.return }} }}"""
    module = Parser(make_context(), text).parse_module()
    module.verify()
    return module


def tiling(module: ModuleOp, machine: Machine | None = None) -> Tiling | None:
    """The tiling into vectors of the one generic."""
    (op,) = [op for op in module.walk() if isinstance(op, GenericOp)]
    return vector_tiling(op, accesses_of(op), {}, machine or machine_of(MACHINE), None, ())


def lowered(module: ModuleOp, machine: str = MACHINE) -> ModuleOp:
    """The module in loops."""
    LowerLinalgToLoopsPass(machine=machine).apply(make_context(), module)
    verify_stage(module, "loops")
    return module


def run(module: ModuleOp, **feed: np.ndarray) -> dict[str, np.ndarray]:
    """The outputs, by name."""
    return LoopsEngine(module)(feed)


def whole(*shape: int) -> np.ndarray:
    """Small whole numbers, of which sums are exact in any order."""
    return np.random.default_rng(0).integers(-4, 5, shape).astype(np.float32)
