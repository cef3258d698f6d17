"""`plan-memory`: which buffers share, that programs compute the same in one arena, and the solver on known optima."""

from __future__ import annotations

import itertools
import random

import numpy as np
import pytest
from xdsl.dialects import memref
from xdsl.dialects.builtin import ModuleOp

from loomir.compiler.engines.lowered import LoopsEngine
from loomir.compiler.formats.mlir.parser import make_context, parse_module
from loomir.dialects.interface import main_function
from loomir.passes.loops.plan_memory import PlanMemoryPass, plan
from loomir.passes.loops.plan_memory.placement import solve
from tests.support_buffers import RandomProgram
from tests.tiers import sample


def program(allocs: dict[str, int], body: str) -> ModuleOp:
    """A module with f32 buffers of the given sizes; %k0 … are index constants, %f a float, %c an i1."""
    constants = "\n".join(f"%k{i} = arith.constant {i} : index" for i in range(65))
    buffers = "\n".join(f"{name} = memref.alloc() : memref<{n}xf32>" for name, n in allocs.items())
    return parse_module(
        f"""builtin.module {{ func.func @main(%n: index, %c: i1, %f: f32,
          %x: memref<64xf32> {{loomir.role = "input"}}, %y: memref<64xf32> {{loomir.role = "output"}}) {{
        {constants}
        {buffers}
        {body}
        func.return }} }}"""
    )


def nest(source: str, target: str, n: int, source_type: str | None = None) -> str:
    """target[i] = source[i] for all i."""
    t = f"memref<{n}xf32>"
    nest.count += 1
    i, v = f"%i{nest.count}", f"%l{nest.count}"
    return f"""scf.for {i} = %k0 to %k{n} step %k1 {{
      {v} = memref.load {source}[{i}] : {source_type or t}
      memref.store {v}, {target}[{i}] : {t}
    }}
"""


nest.count = 0


def sums(source: str, target: str) -> str:
    """target[i] = Σ source, for 64 elements: every iteration reads all of the source."""
    nest.count += 1
    i, t = f"%i{nest.count}", "memref<64xf32>"
    return f"""scf.for {i} = %k0 to %k64 step %k1 {{
      {i}s = scf.for {i}j = %k0 to %k64 step %k1 iter_args({i}a = %f) -> (f32) {{
        {i}v = memref.load {source}[{i}j] : {t}
        {i}t = arith.addf {i}a, {i}v : f32
        scf.yield {i}t : f32
      }}
      memref.store {i}s, {target}[{i}] : {t}
    }}
"""


def arena(module: ModuleOp) -> int:
    return plan(main_function(module)).arena_bytes


def test_chain_needs_two_neighbours_at_a_time():
    module = program(
        {"%a": 64, "%b": 64, "%d": 64},
        nest("%x", "%a", 64) + sums("%a", "%b") + sums("%b", "%d") + nest("%d", "%y", 64),
    )
    found = plan(main_function(module))
    assert (found.arena_bytes, found.lower_bound, found.optimal) == (512, 512, True)
    assert found.total_bytes == 768
    assert found.report().startswith("arena: 512 bytes for 3 buffers of 768 bytes; lower bound 512; optimal")


def test_an_elementwise_nest_writes_over_the_input_that_dies_in_it():
    chain = nest("%x", "%a", 64) + nest("%a", "%b", 64) + nest("%b", "%d", 64) + nest("%d", "%y", 64)
    found = plan(main_function(program({"%a": 64, "%b": 64, "%d": 64}, chain)))
    assert (found.arena_bytes, found.lower_bound, found.optimal) == (256, 256, True)
    # Not if the input is needed behind the nest,
    used_later = nest("%x", "%a", 64) + nest("%a", "%b", 64) + nest("%b", "%y", 64) + nest("%a", "%y", 64)
    assert arena(program({"%a": 64, "%b": 64}, used_later)) == 512
    # nor in the next iteration of a loop around it,
    around = f"scf.for %t = %k0 to %n step %k1 {{ {nest('%a', '%b', 64)} {nest('%b', '%y', 64)} }}"
    assert arena(program({"%a": 64, "%b": 64}, nest("%x", "%a", 64) + around)) == 512
    # nor if an iteration reads another element, too,
    shifted = """scf.for %i = %k0 to %k63 step %k1 {
      %j = arith.addi %i, %k1 : index
      %v = memref.load %a[%i] : memref<64xf32>
      %w = memref.load %a[%j] : memref<64xf32>
      %s = arith.addf %v, %w : f32
      memref.store %s, %b[%i] : memref<64xf32>
    }
    """
    assert arena(program({"%a": 64, "%b": 64}, nest("%x", "%a", 64) + shifted + nest("%b", "%y", 64))) == 512
    # nor if it comes back to an element.
    again = """scf.for %r = %k0 to %k2 step %k1 { scf.for %i = %k0 to %k64 step %k1 {
      %v = memref.load %a[%i] : memref<64xf32>
      %s = arith.addf %v, %f : f32
      memref.store %s, %b[%i] : memref<64xf32>
    } }
    """
    assert arena(program({"%a": 64, "%b": 64}, nest("%x", "%a", 64) + again + nest("%b", "%y", 64))) == 512


def test_only_one_of_two_inputs_is_written_over():
    both = """scf.for %i = %k0 to %k64 step %k1 {
      %v = memref.load %a[%i] : memref<64xf32>
      %w = memref.load %b[%i] : memref<64xf32>
      %s = arith.addf %v, %w : f32
      memref.store %s, %d[%i] : memref<64xf32>
    }
    """
    start = nest("%x", "%a", 64) + nest("%x", "%b", 64)
    found = plan(main_function(program({"%a": 64, "%b": 64, "%d": 64}, start + both + nest("%d", "%y", 64))))
    assert found.arena_bytes == 512


def test_exclusive_branches_share():
    arms = [nest("%x", b, 64) + nest(b, "%y", 64) for b in ("%a", "%b")]
    module = program({"%a": 64, "%b": 64}, f"scf.if %c {{ {arms[0]} }} else {{ {arms[1]} }}")
    assert arena(module) == 256


def test_the_buffers_that_a_branch_chooses_from_share():
    arms = [nest("%x", b, 64) + f"scf.yield {b} : memref<64xf32>" for b in ("%a", "%b")]
    module = program(
        {"%a": 64, "%b": 64},
        f"%r = scf.if %c -> (memref<64xf32>) {{ {arms[0]} }} else {{ {arms[1]} }}\n" + nest("%r", "%y", 64),
    )
    assert arena(module) == 256


def test_branches_in_a_loop_share_only_if_filled_before_read():
    def body(arms: list[str]) -> str:
        return f"scf.for %t = %k0 to %n step %k1 {{ scf.if %c {{ {arms[0]} }} else {{ {arms[1]} }} }}"

    filled = [nest("%x", b, 64) + nest(b, "%y", 64) for b in ("%a", "%b")]
    assert arena(program({"%a": 64, "%b": 64}, body(filled))) == 256
    read_first = [nest(b, "%y", 64) + nest("%x", b, 64) for b in ("%a", "%b")]
    assert arena(program({"%a": 64, "%b": 64}, body(read_first))) == 512


def test_a_buffer_that_a_loop_reads_lives_throughout():
    # %s is read in every iteration, so %a (used before that in the iteration) may not take its place.
    in_loop = nest("%x", "%a", 64) + nest("%a", "%y", 64) + nest("%s", "%y", 64)
    module = program(
        {"%s": 64, "%a": 64}, nest("%x", "%s", 64) + f"scf.for %t = %k0 to %n step %k1 {{ {in_loop} }}"
    )
    assert arena(module) == 512


def test_temporaries_of_an_iteration_share():
    in_loop = "".join(nest("%x", b, 64) + nest(b, "%y", 64) for b in ("%a", "%b", "%d"))
    module = program({"%a": 64, "%b": 64, "%d": 64}, f"scf.for %t = %k0 to %n step %k1 {{ {in_loop} }}")
    assert arena(module) == 256


def test_a_partial_write_does_not_end_a_life():
    partial = """scf.for %i = %k0 to %k63 step %k1 { memref.store %f, %a[%i] : memref<64xf32> }
    """
    in_loop = partial + nest("%a", "%y", 64) + nest("%x", "%b", 64) + nest("%b", "%y", 64)
    start = nest("%x", "%a", 64)
    module = program({"%a": 64, "%b": 64}, start + f"scf.for %t = %k0 to %n step %k1 {{ {in_loop} }}")
    assert arena(module) == 512


def test_pieces_that_fill_a_buffer_together_end_its_life():
    def half(part: int) -> str:
        type = (
            f"memref<32xf32, strided<[1], offset: {32 * part}>>" if part else "memref<32xf32, strided<[1]>>"
        )
        return f"""%s{part} = memref.subview %a[{32 * part}] [32] [1] : memref<64xf32> to {type}
        scf.for %j{part} = %k0 to %k32 step %k1 {{ memref.store %f, %s{part}[%j{part}] : {type} }}
        """

    other = nest("%x", "%b", 64) + nest("%b", "%y", 64)
    for pieces, expected in ((half(1) + half(0), 256), (half(1), 512)):
        in_loop = pieces + nest("%a", "%y", 64) + other
        module = program(
            {"%a": 64, "%b": 64}, nest("%x", "%a", 64) + f"scf.for %t = %k0 to %n step %k1 {{ {in_loop} }}"
        )
        assert arena(module) == expected


TILES = """scf.for %o = %k0 to %k4 step %k1 {
  %row = arith.muli %o, %k16 : index
  scf.for %t = %k0 to %k16 step %k8 {
    %tile = arith.addi %row, %t : index
    scf.for %j = %k0 to %k8 step %k1 {
      %at = arith.addi %tile, %j : index
      memref.store %f, %a[%at] : memref<64xf32>
    }
  }
}
"""
BACKWARDS = """scf.for %o = %k0 to %k64 step %k1 {
  %at = arith.subi %k63, %o : index
  memref.store %f, %a[%at] : memref<64xf32>
}
"""
ROWS = """scf.for %o = %k0 to %k4 step %k1 {
  %at = arith.muli %o, %k16 : index
  %row = memref.subview %a[%at] [16] [1] : memref<64xf32> to memref<16xf32, strided<[1], offset: ?>>
  scf.for %j = %k0 to %k16 step %k1 { memref.store %f, %row[%j] : memref<16xf32, strided<[1], offset: ?>> }
}
"""


@pytest.mark.parametrize(
    ("filling", "fills"),
    [
        (TILES, True),
        (TILES.replace("%k0 to %k8", "%k0 to %k7"), False),
        (TILES.replace("%o, %k16", "%o, %k15"), False),
        (BACKWARDS, True),
        (BACKWARDS.replace("%k0 to", "%k1 to"), False),
        (ROWS, True),
        (ROWS.replace("[1] :", "[2] :").replace("strided<[1]", "strided<[2]"), False),
        (ROWS.replace("%k0 to %k4", "%k1 to %k4"), False),
    ],
)
def test_stores_at_affine_places_that_fill_a_buffer_end_its_life(filling: str, fills: bool):
    in_loop = filling + nest("%a", "%y", 64) + nest("%x", "%b", 64) + nest("%b", "%y", 64)
    start = nest("%x", "%a", 64)
    module = program({"%a": 64, "%b": 64}, start + f"scf.for %r = %k0 to %n step %k1 {{ {in_loop} }}")
    assert arena(module) == (256 if fills else 512)


def test_rotating_buffers_do_not_overlap():
    module = program(
        {"%a": 64, "%b": 64},
        nest("%x", "%a", 64)
        + """%r0, %r1 = scf.for %t = %k0 to %n step %k1 iter_args(%p = %a, %q = %b)
            -> (memref<64xf32>, memref<64xf32>) {"""
        + nest("%p", "%q", 64)
        + """scf.yield %q, %p : memref<64xf32>, memref<64xf32> }
        """
        + nest("%r0", "%y", 64),
    )
    assert arena(module) == 512


def test_source_and_target_of_a_copy_do_not_overlap():
    copy = '"memref.copy"(%a, %b) : (memref<64xf32>, memref<64xf32>) -> ()\n'
    module = program({"%a": 64, "%b": 64}, nest("%x", "%a", 64) + copy + nest("%b", "%y", 64))
    assert arena(module) == 512


def test_while_keeps_what_its_condition_reads():
    body = nest("%x", "%a", 64) + nest("%a", "%y", 64)
    module = program(
        {"%s": 64, "%a": 64},
        nest("%x", "%s", 64)
        + f"""%w = scf.while (%t = %k0) : (index) -> index {{
          %v = memref.load %s[%t] : memref<64xf32>
          %go = arith.cmpf olt, %v, %f : f32
          scf.condition(%go) %t : index
        }} do {{
        ^bb0(%u: index):
          {body}
          %next = arith.addi %u, %k1 : index
          scf.yield %next : index
        }}""",
    )
    assert arena(module) == 512


def test_the_pass_adds_one_argument():
    module = program(
        {"%a": 64, "%b": 3},
        nest("%x", "%a", 64) + nest("%a", "%y", 64) + nest("%x", "%b", 3, "memref<64xf32>"),
    )
    PlanMemoryPass().apply(make_context(), module)
    module.verify()
    main = main_function(module)
    assert main.function_type.inputs.data[-1] == memref.MemRefType(memref.i8, [256])
    assert main.arg_attrs is not None
    assert str(main.arg_attrs.data[-1]) == '{loomir.role = "arena", loomir.align = 4 : i64}'
    assert not [op for op in module.walk() if isinstance(op, memref.AllocOp)]
    assert len([op for op in module.walk() if isinstance(op, memref.ViewOp)]) == 2


@pytest.mark.parametrize(
    ("elements", "alignment"),
    [("i1", 1), ("i8", 1), ("f16", 2), ("i32", 4), ("f64", 8), ("index", 8)],
)
def test_the_alignment_is_what_the_elements_need(elements: str, alignment: int):
    text = f"""func.func @main(%k: index, %v: {elements}, %y: memref<4x{elements}> {{loomir.role = "output"}}) {{
      %a = memref.alloc() : memref<4xi8>
      %b = memref.alloc() : memref<4x{elements}>
      %n = arith.constant 1 : i8
      memref.store %n, %a[%k] : memref<4xi8>
      memref.store %v, %b[%k] : memref<4x{elements}>
      %m = memref.load %a[%k] : memref<4xi8>
      %at = arith.index_cast %m : i8 to index
      %w = memref.load %b[%at] : memref<4x{elements}>
      memref.store %w, %y[%k] : memref<4x{elements}>
      func.return
    }}"""
    assert plan(main_function(parse_module(text))).alignment == alignment


def test_without_buffers_there_is_no_arena():
    module = program({}, nest("%x", "%y", 64))
    PlanMemoryPass().apply(make_context(), module)
    assert len(main_function(module).body.block.args) == 5


def test_memory_that_nothing_uses_takes_no_room():
    """Such as a pooling window, or a view that lost its reader. The only buffer is then gone, and the arena with it."""
    unused = """%v = memref.collapse_shape %w [[0]] : memref<64xf32> into memref<64xf32>
    %u = memref.subview %v[0] [8] [1] : memref<64xf32> to memref<8xf32>
    """
    copied = nest("%x", "%a", 3, "memref<64xf32>")
    module = program({"%a": 3, "%w": 64}, copied + unused)
    assert plan(main_function(module)).arena_bytes > 16
    PlanMemoryPass().apply(make_context(), module)
    module.verify()
    assert str(main_function(module).body.block.args[-1].type) == "memref<12xi8>"
    assert [str(op.result.type) for op in module.walk() if isinstance(op, memref.ViewOp)] == ["memref<3xf32>"]
    module = program({"%w": 64}, unused)
    PlanMemoryPass().apply(make_context(), module)
    module.verify()
    assert len(main_function(module).body.block.args) == 5


def test_empty_buffers_take_no_room():
    module = program(
        {"%a": 0, "%b": 4}, nest("%x", "%a", 0, "memref<64xf32>") + nest("%x", "%b", 4, "memref<64xf32>")
    )
    found = plan(main_function(module))
    assert found.arena_bytes == 16
    module = program({"%a": 0}, nest("%x", "%a", 0, "memref<64xf32>"))
    PlanMemoryPass().apply(make_context(), module)
    module.verify()
    assert str(main_function(module).body.block.args[-1].type) == "memref<0xi8>"


def test_report_goes_to_stderr(capsys: pytest.CaptureFixture[str]):
    module = program({"%a": 64}, nest("%x", "%a", 64) + nest("%a", "%y", 64))
    PlanMemoryPass(report=True).apply(make_context(), module)
    assert (
        "@main: arena: 256 bytes for 1 buffers of 256 bytes; lower bound 256; optimal"
        in capsys.readouterr().err
    )


@pytest.mark.parametrize("seed", sample(range(60), 3))
def test_random_programs_compute_the_same_in_one_arena(seed: int):
    text = RandomProgram(seed).text
    before, after = parse_module(text), parse_module(text)
    found = plan(main_function(after))
    PlanMemoryPass().apply(make_context(), after)
    after.verify()
    assert found.lower_bound <= found.arena_bytes <= sum(-(-b.bytes // 16) * 16 for b in found.buffers)
    x = np.arange(12, dtype=np.int32) * 7 + seed
    for flags in itertools.product((0, 1), repeat=3):
        feed = {"x": x, **{f"c{i}": np.int64(flag) for i, flag in enumerate(flags)}}
        np.testing.assert_array_equal(LoopsEngine(after)(feed)["y"], LoopsEngine(before)(feed)["y"])


# The solver


def intervals(rows: list[tuple[int, int, int]]) -> tuple[list[int], list[int], set[int]]:
    """Sizes, conflicts and simultaneously live sets of (first, last, size), last excluded."""
    sizes = [size for _, _, size in rows]
    conflicts = [
        sum(1 << j for j, (c, d, _) in enumerate(rows) if j != i and a < d and c < b)
        for i, (a, b, _) in enumerate(rows)
    ]
    together = {sum(1 << j for j, (c, d, _) in enumerate(rows) if c <= a < d) for a, _, _ in rows}
    return sizes, conflicts, together


def check(sizes: list[int], conflicts: list[int], offsets: tuple[int, ...]) -> None:
    for i, j in itertools.combinations(range(len(sizes)), 2):
        if conflicts[i] >> j & 1:
            apart = offsets[i] + sizes[i] <= offsets[j] or offsets[j] + sizes[j] <= offsets[i]
            assert apart or 0 in (sizes[i], sizes[j])


def brute_force(sizes: list[int], conflicts: list[int]) -> int:
    """The least height: over all orders, each buffer as low as it goes above nothing that it conflicts with."""
    best = sum(sizes)
    for order in itertools.permutations(range(len(sizes))):
        offsets: dict[int, int] = {}
        for i in order:
            offsets[i] = max((offsets[j] + sizes[j] for j in offsets if conflicts[i] >> j & 1), default=0)
        best = min(best, max(offsets[i] + sizes[i] for i in offsets))
    return best


def test_greedy_by_size_is_not_enough_here():
    # A known interval instance: by size alone the two small ones at the ends fragment what the middle needs.
    sizes, conflicts, together = intervals(
        [(0, 2, 3), (1, 4, 2), (3, 6, 3), (5, 8, 2), (0, 3, 1), (2, 6, 1), (4, 8, 2)]
    )
    solution = solve(sizes, conflicts, together=together)
    check(sizes, conflicts, solution.offsets)
    assert solution.height == brute_force(sizes, conflicts)
    assert solution.optimal


@pytest.mark.parametrize("seed", range(25))
def test_small_problems_are_solved_exactly(seed: int):
    rng = random.Random(seed)
    n = rng.randint(3, 7)
    sizes = [rng.randint(0, 9) for _ in range(n)]
    conflicts = [0] * n
    for i, j in itertools.combinations(range(n), 2):
        if rng.random() < 0.55:
            conflicts[i] |= 1 << j
            conflicts[j] |= 1 << i
    solution = solve(sizes, conflicts)
    check(sizes, conflicts, solution.offsets)
    assert solution.height == brute_force(sizes, conflicts)
    assert solution.optimal
    assert solution.lower_bound <= solution.height


def test_a_lower_bound_that_cannot_be_reached():
    # An odd cycle of five: pairs conflict, so the bound is 2, but three are needed, and the search proves it.
    conflicts = [1 << ((i + 1) % 5) | 1 << ((i - 1) % 5) for i in range(5)]
    solution = solve([1] * 5, conflicts)
    assert (solution.height, solution.lower_bound, solution.optimal) == (3, 2, True)


def test_alignment_and_determinism():
    rng = random.Random(5)
    rows = [
        (a, a + rng.randint(1, 30), rng.randint(1, 500)) for a in (rng.randint(0, 100) for _ in range(120))
    ]
    sizes, conflicts, together = intervals(rows)
    first = solve(sizes, conflicts, together=together, alignment=16)
    check(sizes, conflicts, first.offsets)
    assert all(offset % 16 == 0 for offset in first.offsets)
    assert first == solve(sizes, conflicts, together=together, alignment=16)
    assert first.height <= 1.15 * first.lower_bound


def test_buffers_for_a_machine_with_vectors_begin_at_lines_of_its_cache():
    copies = nest("%x", "%a", 64) + nest("%a", "%b", 64) + nest("%b", "%d", 64) + nest("%d", "%y", 64)
    # Without vectors the arena is aligned as its elements are, its buffers as if it were by 16.
    for machine, vectors, alignment in (
        ("generic", 1, 4),
        ("cortex-m4", 1, 4),
        ("x86-64-v3", 32, 32),
        ("x86-64-v4", 64, 64),
    ):
        module = program({"%a": 64, "%b": 64, "%d": 64}, copies)
        found = plan(main_function(module), vectors)
        assert found.alignment == alignment
        assert {b.offset % max(16, vectors) for b in found.buffers} == {0}
        PlanMemoryPass(machine=machine).apply(make_context(), module)
        main = main_function(module)
        assert main.arg_attrs is not None
        assert f"loomir.align = {alignment} : i64" in str(main.arg_attrs.data[-1])
