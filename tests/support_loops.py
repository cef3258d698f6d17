"""LOOPS programs that exercise the code generator, as text."""

from __future__ import annotations

import re

HEAD = """
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %c8 = arith.constant 8 : index
  %c16 = arith.constant 16 : index
  %c32 = arith.constant 32 : index
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
"""


def loops(arguments: dict[str, str], body: str, results: str = "") -> str:
    """A module: `arguments` maps a name to a type with a role, such as `in memref<4xf32>`."""
    parts = []
    for name, text in arguments.items():
        role, _, kind = text.partition(" ")
        attribute = {"in": '"input"', "out": '"output"'}[role]
        parts.append(f'%{name}: {kind} {{loomir.name = "{name}", loomir.role = {attribute}}}')
    # xDSL reads memref.copy in its generic form only.
    body = re.sub(
        r"memref\.copy (%\S+), (%\S+) : (\S+) to (\S+)", r'"memref.copy"(\1, \2) : (\3, \4) -> ()', body
    )
    arrow = f" -> ({results})" if results else ""
    return f"func.func @main({', '.join(parts)}){arrow} {{\n{HEAD}{body}\n}}\n"


MATMUL = loops(
    {"x": "in memref<4x32xf32>", "y": "in memref<32x16xf32>", "z": "out memref<4x16xf32>"},
    """
  scf.for %i = %c0 to %c4 step %c1 {
    scf.for %j = %c0 to %c16 step %c1 {
      %r = scf.for %k = %c0 to %c32 step %c1 iter_args(%acc = %zero) -> (f32) {
        %a = memref.load %x[%i, %k] : memref<4x32xf32>
        %b = memref.load %y[%k, %j] : memref<32x16xf32>
        %m = arith.mulf %a, %b : f32
        %s = arith.addf %m, %acc : f32
        scf.yield %s : f32
      }
      memref.store %r, %z[%i, %j] : memref<4x16xf32>
    }
  }
  func.return""",
)

PADDED_CONV = loops(
    {"x": "in memref<2x8x8xf32>", "w": "in memref<4x2x3x3xf32>", "z": "out memref<4x8x8xf32>"},
    """
  scf.for %o = %c0 to %c4 step %c1 {
    scf.for %i = %c0 to %c8 step %c1 {
      %i1 = arith.subi %i, %c1 : index
      %ilo = arith.subi %c1, %i : index
      %lo = arith.maxsi %ilo, %c0 : index
      %c9 = arith.constant 9 : index
      %ihi = arith.subi %c9, %i : index
      %hi = arith.minsi %ihi, %c3 : index
      scf.for %j = %c0 to %c8 step %c1 {
        %r = scf.for %c = %c0 to %c2 step %c1 iter_args(%a0 = %zero) -> (f32) {
          %r1 = scf.for %kh = %lo to %hi step %c1 iter_args(%a1 = %a0) -> (f32) {
            %r2 = scf.for %kw = %c0 to %c3 step %c1 iter_args(%a2 = %a1) -> (f32) {
              %y0 = arith.addi %i1, %kh : index
              %j1 = arith.subi %j, %c1 : index
              %x0 = arith.addi %j1, %kw : index
              %ge = arith.cmpi sge, %x0, %c0 : index
              %lt = arith.cmpi slt, %x0, %c8 : index
              %in = arith.andi %ge, %lt : i1
              %v = scf.if %in -> (f32) {
                %l = memref.load %x[%c, %y0, %x0] : memref<2x8x8xf32>
                scf.yield %l : f32
              } else {
                scf.yield %zero : f32
              }
              %f = memref.load %w[%o, %c, %kh, %kw] : memref<4x2x3x3xf32>
              %m = arith.mulf %v, %f : f32
              %s = arith.addf %a2, %m : f32
              scf.yield %s : f32
            }
            scf.yield %r2 : f32
          }
          scf.yield %r1 : f32
        }
        memref.store %r, %z[%o, %i, %j] : memref<4x8x8xf32>
      }
    }
  }
  func.return""",
)

# Newton's iteration with rotating buffers, an early exit and a count.
ROTATION = loops(
    {"x": "in memref<16xf32>", "z": "out memref<16xf32>", "n": "in i64"},
    """
  %p = memref.alloc() : memref<16xf32>
  %q = memref.alloc() : memref<16xf32>
  %i0 = arith.constant 0 : i64
  %i1 = arith.constant 1 : i64
  %true = arith.constant true
  memref.copy %x, %p : memref<16xf32> to memref<16xf32>
  %r:4 = scf.while (%i = %i0, %go = %true, %a = %p, %b = %q) : (i64, i1, memref<16xf32>, memref<16xf32>)
      -> (i64, i1, memref<16xf32>, memref<16xf32>) {
    %more = arith.cmpi slt, %i, %n : i64
    %both = arith.andi %more, %go : i1
    scf.condition(%both) %i, %go, %a, %b : i64, i1, memref<16xf32>, memref<16xf32>
  } do {
  ^bb0(%i: i64, %go: i1, %a: memref<16xf32>, %b: memref<16xf32>):
    %worst = scf.for %k = %c0 to %c16 step %c1 iter_args(%w = %zero) -> (f32) {
      %v = memref.load %a[%k] : memref<16xf32>
      %t = memref.load %x[%k] : memref<16xf32>
      %d = arith.divf %t, %v : f32
      %s = arith.addf %d, %v : f32
      %half = arith.constant 0.5 : f32
      %h = arith.mulf %s, %half : f32
      memref.store %h, %b[%k] : memref<16xf32>
      %e = arith.subf %h, %v : f32
      %ea = math.absf %e : f32
      %m = arith.maximumf %w, %ea : f32
      scf.yield %m : f32
    }
    %limit = arith.constant 0.001 : f32
    %on = arith.cmpf ogt, %worst, %limit : f32
    %next = arith.addi %i, %i1 : i64
    scf.yield %next, %on, %b, %a : i64, i1, memref<16xf32>, memref<16xf32>
  }
  memref.copy %r#2, %z : memref<16xf32> to memref<16xf32>
  func.return %r#0 : i64""",
    'i64 {loomir.name = "trips"}',
)

# Every iteration reads what the one before wrote: must not run in lanes.
PREFIX_SUM = loops(
    {"x": "in memref<32xf32>", "z": "out memref<33xf32>"},
    """
  memref.store %zero, %z[%c0] : memref<33xf32>
  scf.for %i = %c0 to %c32 step %c1 {
    %a = memref.load %z[%i] : memref<33xf32>
    %b = memref.load %x[%i] : memref<32xf32>
    %s = arith.addf %a, %b : f32
    %i1 = arith.addi %i, %c1 : index
    memref.store %s, %z[%i1] : memref<33xf32>
  }
  func.return""",
)

# Two views of one buffer that overlap: lanes must notice at run time.
OVERLAP = loops(
    {"x": "in memref<33xf32>", "z": "out memref<33xf32>"},
    """
  memref.copy %x, %z : memref<33xf32> to memref<33xf32>
  %from = memref.subview %z[0] [32] [1] : memref<33xf32> to memref<32xf32, strided<[1]>>
  %to = memref.subview %z[1] [32] [1] : memref<33xf32> to memref<32xf32, strided<[1], offset: 1>>
  scf.for %i = %c0 to %c32 step %c1 {
    %a = memref.load %from[%i] : memref<32xf32, strided<[1]>>
    memref.store %a, %to[%i] : memref<32xf32, strided<[1], offset: 1>>
  }
  func.return""",
)

# Interleaved views don't overlap; a transposed and a reversed access; a linear index in a flat buffer.
STRIDES = loops(
    {"x": "in memref<16x32xf32>", "z": "out memref<1024xf32>"},
    """
  %even = memref.subview %z[0] [512] [2] : memref<1024xf32> to memref<512xf32, strided<[2]>>
  %odd = memref.subview %z[1] [512] [2] : memref<1024xf32> to memref<512xf32, strided<[2], offset: 1>>
  %c31 = arith.constant 31 : index
  scf.for %i = %c0 to %c16 step %c1 {
    scf.for %j = %c0 to %c32 step %c1 {
      %back = arith.subi %c31, %j : index
      %a = memref.load %x[%i, %back] : memref<16x32xf32>
      %row = arith.muli %j, %c16 : index
      %at = arith.addi %row, %i : index
      memref.store %a, %even[%at] : memref<512xf32, strided<[2]>>
      %n = arith.negf %a : f32
      memref.store %n, %odd[%at] : memref<512xf32, strided<[2], offset: 1>>
    }
  }
  func.return""",
)

# Gather by data, with an assert; scatter by a lane and data.
GATHER = loops(
    {"x": "in memref<8x4xf32>", "k": "in memref<16xi64>", "z": "out memref<16x4xf32>"},
    """
  %n = arith.constant 8 : i64
  %i0 = arith.constant 0 : i64
  scf.for %i = %c0 to %c16 step %c1 {
    %key = memref.load %k[%i] : memref<16xi64>
    %low = arith.cmpi slt, %key, %i0 : i64
    %moved = arith.addi %key, %n : i64
    %row = arith.select %low, %moved, %key : i64
    %ok = arith.cmpi ult, %row, %n : i64
    cf.assert %ok, "index: gather reaches outside of its data"
    %r = arith.index_cast %row : i64 to index
    scf.for %j = %c0 to %c4 step %c1 {
      %a = memref.load %x[%r, %j] : memref<8x4xf32>
      memref.store %a, %z[%i, %j] : memref<16x4xf32>
    }
  }
  func.return""",
)

# Lanes that store under a condition, and swap two rows in place (a load that must be a copy).
CONDITIONAL = loops(
    {"x": "in memref<2x32xf32>", "z": "out memref<2x32xf32>"},
    """
  memref.copy %x, %z : memref<2x32xf32> to memref<2x32xf32>
  scf.for %j = %c0 to %c32 step %c1 {
    %a = memref.load %z[%c0, %j] : memref<2x32xf32>
    %b = memref.load %z[%c1, %j] : memref<2x32xf32>
    %lt = arith.cmpf olt, %a, %b : f32
    scf.if %lt {
      memref.store %b, %z[%c0, %j] : memref<2x32xf32>
      memref.store %a, %z[%c1, %j] : memref<2x32xf32>
    }
    %odd = arith.andi %j, %c1 : index
    %is = arith.cmpi eq, %odd, %c1 : index
    scf.if %is {
      %d = arith.addf %a, %b : f32
      memref.store %d, %z[%c0, %j] : memref<2x32xf32>
    }
  }
  func.return""",
)

# A store whose place is data: one iteration may overwrite another, so their order matters.
SCATTER = loops(
    {"k": "in memref<32xi64>", "z": "out memref<8xi32>"},
    """
  %z0 = arith.constant 0 : i32
  %z1 = arith.constant 1 : i32
  scf.for %i = %c0 to %c8 step %c1 {
    memref.store %z0, %z[%i] : memref<8xi32>
  }
  scf.for %i = %c0 to %c32 step %c1 {
    %key = memref.load %k[%i] : memref<32xi64>
    %r = arith.index_cast %key : i64 to index
    %old = memref.load %z[%r] : memref<8xi32>
    %double = arith.muli %old, %old : i32
    %new = arith.addi %double, %z1 : i32
    memref.store %new, %z[%r] : memref<8xi32>
  }
  func.return""",
)

# Bounds from data, a step of 2, and a uniform if inside of lanes.
DYNAMIC = loops(
    {"x": "in memref<16x16xf32>", "n": "in i64", "z": "out memref<16xf32>"},
    """
  %m = arith.index_cast %n : i64 to index
  %big = arith.cmpi sgt, %m, %c4 : index
  scf.for %i = %c0 to %c16 step %c1 {
    %r = scf.for %j = %c0 to %m step %c2 iter_args(%acc = %zero) -> (f32) {
      %a = memref.load %x[%i, %j] : memref<16x16xf32>
      %t = scf.if %big -> (f32) {
        %s = arith.addf %acc, %a : f32
        scf.yield %s : f32
      } else {
        scf.yield %one : f32
      }
      scf.yield %t : f32
    }
    %upto = scf.for %j = %c0 to %i step %c1 iter_args(%acc = %r) -> (f32) {
      %a = memref.load %x[%j, %i] : memref<16x16xf32>
      %s = arith.subf %acc, %a : f32
      scf.yield %s : f32
    }
    memref.store %upto, %z[%i] : memref<16xf32>
  }
  func.return""",
)

# Flat indices that collide: `16 * j + i` with i up to 31, so that the order of the stores matters.
COLLISION = loops(
    {"x": "in memref<32x16xf32>", "z": "out memref<272xf32>"},
    """
  %c272 = arith.constant 272 : index
  scf.for %i = %c0 to %c272 step %c1 {
    memref.store %zero, %z[%i] : memref<272xf32>
  }
  scf.for %i = %c0 to %c32 step %c1 {
    scf.for %j = %c0 to %c16 step %c1 {
      %row = arith.muli %j, %c16 : index
      %at = arith.addi %row, %i : index
      %a = memref.load %x[%i, %j] : memref<32x16xf32>
      memref.store %a, %z[%at] : memref<272xf32>
    }
  }
  func.return""",
)
