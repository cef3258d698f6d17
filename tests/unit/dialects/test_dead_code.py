"""Removal of unneeded operations, equal to xDSL's `region_dce`.

Nests of regions take linear time.
"""

from __future__ import annotations

import pytest
from xdsl.dialects.builtin import ModuleOp
from xdsl.transforms.dead_code_elimination import region_dce

from loomir.compiler.formats.mlir.parser import make_context, parse_module
from loomir.dialects.upstream.dead_code import remove_dead_code
from loomir.passes.general.cse import eliminate_common_subexpressions
from tests.support import count_calls

PROGRAM = """
func.func @main(%c: i1, %m: memref<4xf32>, %x: f32, %n: index) -> f32 {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %dead = arith.addf %x, %x : f32
  %read = memref.load %m[%zero] : memref<4xf32>
  %room = memref.alloc() : memref<4xf32>
  scf.for %i = %zero to %n step %one {
    %seen = memref.load %m[%i] : memref<4xf32>
    scf.yield
  }
  scf.for %i = %zero to %n step %one {
    scf.if %c {
      memref.store %x, %m[%i] : memref<4xf32>
      scf.yield
    }
    scf.yield
  }
  scf.if %c {
    cf.assert %c, "never"
    scf.yield
  }
  "test.of_unknown_effects"() ({
    %inner = arith.addf %x, %x : f32
    "test.end"() : () -> ()
  }) : () -> ()
  %y = scf.if %c -> (f32) {
    scf.yield %dead : f32
  } else {
    scf.yield %x : f32
  }
  func.return %x : f32
}
"""


def test_the_same_goes_as_upstream() -> None:
    context = make_context()
    context.allow_unregistered = True
    ours, theirs = (parse_module(PROGRAM, context=context) for _ in range(2))
    remove_dead_code(ours.body)
    region_dce(theirs.body)
    assert str(ours) == str(theirs)
    text = str(ours)
    assert "memref.store" in text
    assert "cf.assert" in text
    assert text.count("scf.for") == 1
    assert "memref.load" not in text


def nest(depth: int) -> ModuleOp:
    """Loops in each other, with a value beside each that is used."""
    begin = "".join(
        f"scf.for %i{d} = %a to %b step %s {{\n %v{d} = arith.addi %i{d}, %b : index\n" for d in range(depth)
    )
    end = "".join(
        f"memref.store %x, %m[%v{d}] : memref<?xf32>\nscf.yield\n}}\n" for d in reversed(range(depth))
    )
    arguments = "%a: index, %b: index, %s: index, %x: f32, %m: memref<?xf32>"
    return parse_module(f"func.func @main({arguments}) {{\n{begin}{end}func.return\n}}")


@pytest.mark.parametrize("pass_", ["dead code", "cse"])
def test_nests_take_linear_time(pass_: str) -> None:
    def calls(depth: int) -> int:
        module = nest(depth)
        if pass_ == "cse":
            return count_calls(lambda: eliminate_common_subexpressions(module))
        return count_calls(lambda: remove_dead_code(module.body))

    assert calls(60) < 2.5 * calls(30)
