"""Data flow through each kind of loop and branch.

Origins and destinations are compared by the names in the text.
"""

from __future__ import annotations

from xdsl.dialects import arith
from xdsl.ir import Operation, SSAValue

from loomir.compiler.formats.mlir.parser import parse_module
from loomir.dialects.region_flow import (
    RegionFlow,
    comes_from_outside,
    common_block,
    counterparts,
    exclusive,
    predecessor_values,
    region_flow,
    runs_once_in,
    successor_values,
    terminator,
)

FOR = """
func.func @main(%lower: index, %upper: index, %step: index, %x: f32, %y: i32) -> (f32, i32) {
  %r, %s = scf.for %i = %lower to %upper step %step iter_args(%a = %x, %b = %y) -> (f32, i32) {
    %c = arith.addf %a, %a : f32
    scf.yield %c, %b : f32, i32
  }
  func.return %r, %s : f32, i32
}"""

WHILE = """
func.func @main(%go: i1, %x: f32, %y: i32) -> (i32, f32) {
  %r, %s = scf.while (%a = %x, %b = %y) : (f32, i32) -> (i32, f32) {
    %c = arith.addf %a, %a : f32
    scf.condition(%go) %b, %c : i32, f32
  } do {
  ^bb0(%p: i32, %q: f32):
    %d = arith.addi %p, %p : i32
    scf.yield %q, %d : f32, i32
  }
  func.return %r, %s : i32, f32
}"""

IF = """
func.func @main(%go: i1, %x: f32, %y: f32) -> f32 {
  %r = scf.if %go -> (f32) {
    %a = arith.addf %x, %x : f32
    scf.yield %a : f32
  } else {
    scf.yield %y : f32
  }
  func.return %r : f32
}"""

IF_ALONE = """
func.func @main(%go: i1, %x: f32, %m: memref<1xf32>, %k: index) {
  scf.if %go {
    memref.store %x, %m[%k] : memref<1xf32>
  }
  func.return
}"""

LOOP = """
func.func @main(%n: tensor<i64>, %go: tensor<i1>, %x: tensor<2xf32>, %w: tensor<4x2xf32>)
    -> (tensor<2xf32>, tensor<2xf32>, tensor<?x2xf32>) {
  %r, %l, %all = ov.loop trip(%n) while(%go) carried(%x) sliced(%w) {slices = [#ov.slice<axis = 0>], concats = [#ov.slice<axis = 0>]}
      : (tensor<i64>, tensor<i1>, tensor<2xf32>, tensor<4x2xf32>) -> (tensor<2xf32>, tensor<2xf32>, tensor<?x2xf32>) {
  ^bb0(%i: tensor<i64>, %a: tensor<2xf32>, %part: tensor<1x2xf32>):
    %b = ov.relu %a : (tensor<2xf32>) -> tensor<2xf32>
    %c = ov.exp %a : (tensor<2xf32>) -> tensor<2xf32>
    %d = ov.exp %part : (tensor<1x2xf32>) -> tensor<1x2xf32>
    %more = ov.constant dense<true> : tensor<i1> : tensor<i1>
    ov.next while(%more) carried(%b : tensor<2xf32>) last(%c : tensor<2xf32>) concat(%d : tensor<1x2xf32>)
  }
  func.return %r, %l, %all : tensor<2xf32>, tensor<2xf32>, tensor<?x2xf32>
}"""

OV_IF = """
func.func @main(%go: tensor<i1>, %x: tensor<2xf32>, %y: tensor<2xf32>) -> tensor<2xf32> {
  %r = ov.if %go -> (tensor<2xf32>) {
    ov.yield %x : tensor<2xf32>
  } else {
    ov.yield %y : tensor<2xf32>
  }
  func.return %r : tensor<2xf32>
}"""


def flow_in(text: str) -> RegionFlow:
    """The flow of the only operation that has one."""
    (flow,) = (flow for op in parse_module(text).walk() if (flow := region_flow(op)) is not None)
    return flow


def ways(flow: RegionFlow, *, derived: bool = False) -> list[str]:
    """Each edge as `from → to: value→what it becomes …`; regions are numbers, the operation is a dot."""
    number = {None: ".", **{region: str(index) for index, region in enumerate(flow.op.regions)}}
    texts: list[str] = []
    for edge in flow.derived if derived else flow.edges:
        pairs = " ".join(f"{v.name_hint}→{becomes.name_hint}" for v, becomes in edge.pairs)
        texts.append(f"{number[edge.source]} {number[edge.target]}: {pairs}".rstrip())
    return texts


def names(values: list[SSAValue] | tuple[SSAValue, ...]) -> list[str | None]:
    return [v.name_hint for v in values]


def carried(flow: RegionFlow) -> list[str]:
    return [
        f"{c.initial.name_hint} ({' '.join(str(a.name_hint) for a in c.arguments)}) {c.following.name_hint} {c.result.name_hint}"
        for c in flow.carried
    ]


def value(flow: RegionFlow, name: str) -> SSAValue:
    """The argument or result of this name."""
    values = [*flow.op.results, *(a for r in flow.op.regions if r.blocks for a in r.block.args)]
    return next(v for v in values if v.name_hint == name)


def test_for():
    flow = flow_in(FOR)
    assert ways(flow) == [". 0: x→a y→b", ". .: x→r y→s", "0 0: c→a b→b", "0 .: c→r b→s"]
    assert names(flow.deciders) == ["lower", "upper", "step"]
    assert flow.repeats
    assert flow.successors(None) == [flow.op.regions[0], None]
    assert carried(flow) == ["x (a) c r", "y (b) b s"]
    assert (
        names(predecessor_values(value(flow, "a")))
        == names(predecessor_values(value(flow, "r")))
        == ["x", "c"]
    )
    assert predecessor_values(value(flow, "i")) == []


def test_while_whose_regions_have_other_arguments():
    flow = flow_in(WHILE)
    assert ways(flow) == [". 0: x→a y→b", "0 1: b→p c→q", "0 .: b→r c→s", "1 0: q→a d→b"]
    assert names(flow.deciders) == ["go"]
    assert flow.repeats
    before, after = flow.op.regions
    assert flow.successors(None) == [before]
    assert flow.successors(before) == [after, None]
    assert names(predecessor_values(value(flow, "b"))) == ["y", "d"]
    assert names(predecessor_values(value(flow, "s"))) == names(predecessor_values(value(flow, "q"))) == ["c"]


def test_while_that_hands_on_its_arguments():
    text = WHILE.replace("%b, %c : i32, f32", "%a, %b : f32, i32").replace(
        "(%p: i32, %q: f32)", "(%q: f32, %p: i32)"
    )
    text = text.replace("-> (i32, f32)", "-> (f32, i32)").replace("%r, %s : i32, f32", "%r, %s : f32, i32")
    assert carried(flow_in(text)) == ["x (a q) q r", "y (b p) d s"]


def test_if():
    for text, first in ((IF, "a"), (OV_IF, "x")):
        flow = flow_in(text)
        assert ways(flow) == [". 0:", f"0 .: {first}→r", ". 1:", "1 .: y→r"]
        assert names(flow.deciders) == ["go"]
        assert not flow.repeats
        assert flow.carried == []
        assert names(predecessor_values(value(flow, "r"))) == [first, "y"]


def test_if_without_else_is_passed_by():
    flow = flow_in(IF_ALONE)
    assert ways(flow) == [". 0:", "0 .:", ". .:"]
    assert flow.successors(None) == [flow.op.regions[0], None]


def test_loop_of_graph():
    flow = flow_in(LOOP)
    assert ways(flow) == [". 0: x→a", ". .: x→r", "0 0: b→a", "0 .: b→r c→l"]
    assert ways(flow, derived=True) == [". 0: w→part", "0 .: d→all"]
    assert names(flow.deciders) == ["n", "go", "more", "w"]
    assert carried(flow) == ["x (a) b r"]
    assert names(predecessor_values(value(flow, "l"))) == ["c"]
    for name in ("i", "part", "all"):
        assert predecessor_values(value(flow, name)) == []
    assert [
        [op.operands[k].name_hint for op, k in flow.predecessor_operands(value(flow, name), flow.derived)]
        for name in ("a", "part", "l", "all")
    ] == [[], ["w"], [], ["d"]]


def test_loop_of_graph_without_conditions():
    text = (
        LOOP.replace("trip(%n) while(%go) ", "")
        .replace("while(%more) ", "")
        .replace(": (tensor<i64>, tensor<i1>, ", ": (")
    )
    flow = flow_in(text)
    assert ways(flow) == [". 0: x→a", ". .: x→r", "0 0: b→a", "0 .: b→r c→l"]
    assert ways(flow, derived=True) == [". 0: w→part", "0 .: d→all"]
    assert names(flow.deciders) == ["w"]


def test_destinations_are_the_reverse_of_origins():
    for text in (FOR, WHILE, IF, LOOP, OV_IF):
        flow = flow_in(text)
        ends = [terminator(region.block) for region in flow.op.regions]
        forward = {
            (op, k, v)
            for op in (flow.op, *ends)
            for k in range(len(op.operands))
            for v in successor_values(op, k)
        }
        inputs = [*flow.op.results, *(a for region in flow.op.regions for a in region.block.args)]
        assert forward == {(op, k, v) for v in inputs for op, k in flow.predecessor_operands(v)}
        assert forward


def test_other_operations_have_no_flow():
    module = parse_module(IF)
    plain = next(op for op in module.walk() if isinstance(op, arith.AddfOp))
    assert region_flow(plain) is None
    assert region_flow(module) is None
    assert region_flow(None) is None
    assert successor_values(plain, 0) == []
    assert predecessor_values(plain.results[0]) == []


NESTED = """
func.func @main(%go: i1, %n: index, %x: f32) {
  %outside = arith.addf %x, %x : f32
  scf.for %i = %n to %n step %n {
    scf.if %go {
      %then = arith.addf %x, %x : f32
      scf.if %go {
        %deep = arith.addf %x, %x : f32
      }
      %behind = arith.addf %x, %x : f32
    } else {
      %other = arith.addf %x, %x : f32
    }
    scf.while (%a = %x) : (f32) -> (f32) {
      %before = arith.addf %x, %x : f32
      scf.condition(%go) %a : f32
    } do {
    ^bb0(%b: f32):
      %after = arith.addf %x, %x : f32
      scf.yield %b : f32
    }
  }
  func.return
}"""


def test_where_operations_stand_to_one_another():
    ops: dict[str | None, Operation] = {
        op.results[0].name_hint: op for op in parse_module(NESTED).walk() if isinstance(op, arith.AddfOp)
    }
    apart = {(a, b) for a in ops for b in ops if exclusive(ops[a], ops[b])}
    arm = ("then", "deep", "behind")
    assert apart == {(a, "other") for a in arm} | {("other", a) for a in arm}

    def once(name: str, inside: str) -> bool:
        block = ops[inside].parent
        assert block is not None
        return runs_once_in(ops[name], block)

    assert once("then", "then")
    assert once("deep", "then")
    assert not once("then", "deep")
    assert not once("then", "outside")
    assert not once("before", "outside")
    assert not once("after", "outside")
    assert not once("other", "then")


def test_values_from_outside() -> None:
    """At any depth: of the loop, of the arm, of neither."""
    module = parse_module(NESTED)
    (loop,) = (op for op in module.walk() if op.name == "scf.for")
    (branch, inner) = (op for op in module.walk() if op.name == "scf.if")
    made = {op.results[0].name_hint: op.results[0] for op in module.walk() if isinstance(op, arith.AddfOp)}
    outside = {name for name, value in made.items() if comes_from_outside(value, loop)}
    assert outside == {"outside"}
    assert not comes_from_outside(loop.regions[0].block.args[0], loop)
    assert comes_from_outside(loop.operands[0], loop)
    assert {name for name, value in made.items() if not comes_from_outside(value, inner)} == {"deep"}
    assert {name for name, value in made.items() if not comes_from_outside(value, branch)} == {
        "then",
        "deep",
        "behind",
        "other",
    }


def test_operations_of_a_copy() -> None:
    loop = next(op for op in parse_module(NESTED).walk() if op.name == "scf.for")
    copy = loop.clone()
    found = counterparts(loop, copy)
    assert list(found) == list(loop.walk())
    assert list(found.values()) == list(copy.walk())
    assert all(old is not new and old.name == new.name for old, new in found.items())


def test_common_block() -> None:
    module = parse_module("""
func.func @main(%go: i1, %n: index) {
  scf.for %i = %n to %n step %n {
    scf.if %go { "test.op"() {name = "a"} : () -> () } else { "test.op"() {name = "b"} : () -> () }
    scf.for %j = %n to %n step %n { "test.op"() {name = "c"} : () -> () }
  }
  "test.op"() {name = "d"} : () -> ()
  func.return
}""")
    ops = {op.attributes["name"].data: op for op in module.walk() if op.name == "test.op"}

    def common(names: str) -> str:
        block = common_block([ops[name] for name in names])
        parent = block.parent_op()
        assert parent is not None
        return parent.name + ("" if parent.name != "scf.for" else str(len(list(block.ops))))

    assert [common(names) for names in ("a", "aa", "ab", "abc", "c", "ad")] == [
        "scf.if",
        "scf.if",
        "scf.for3",
        "scf.for3",
        "scf.for2",
        "func.func",
    ]
