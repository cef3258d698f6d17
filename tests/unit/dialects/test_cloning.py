"""`cloned` gives what xDSL's own `clone` gives."""

from __future__ import annotations

from xdsl.dialects import test
from xdsl.dialects.builtin import ModuleOp, StringAttr, f32, i32
from xdsl.ir import Block, Region

from loomir.dialects.diagnostics import location_of_layer
from loomir.dialects.upstream.cloning import cloned


def program() -> ModuleOp:
    """Nested regions, one of them empty, with names, attributes, locations, and a value that is used before it is defined."""
    outer = test.TestOp(result_types=[f32, i32], attributes={"a": StringAttr("b")})
    outer.results[0].name_hint = "first"
    outer.location = location_of_layer("layer", [["tensor"]])
    block = Block(arg_types=[f32, i32])
    block.args[1].name_hint = "argument"
    block.args[0].location = outer.location
    late = test.TestOp(result_types=[f32])
    early = test.TestOp(operands=[late.results[0], outer.results[1]])
    block.add_ops([test.TestOp(operands=[block.args[1], outer.results[0]]), early, late])
    nest = test.TestOp(operands=[outer.results[0]], regions=[Region([block]), Region()])
    return ModuleOp([outer, nest])


def test_a_copy_is_equal_and_shares_nothing() -> None:
    module = program()
    before = str(module)
    copy = cloned(module)
    assert str(copy) == str(module.clone()) == before
    own = {id(op) for op in module.walk()}
    for old, new in zip(module.walk(), copy.walk(), strict=True):
        assert id(new) not in own
        assert new.location == old.location
        assert not any(id(use.operation) in own for result in new.results for use in result.uses)
        for old_region, new_region in zip(old.regions, new.regions, strict=True):
            for a, b in zip(old_region.blocks, new_region.blocks, strict=True):
                assert [x.location for x in a.args] == [x.location for x in b.args]
    for op in list(copy.walk()):
        op.attributes["new"] = StringAttr("")
    assert str(module) == before


def test_operands_from_outside_stay() -> None:
    _, nest = program().body.block.ops
    copy = cloned(nest)
    assert copy.operands[0] is nest.operands[0]
    assert str(copy) == str(nest.clone())
