"""`walk` gives what xDSL's own gives, in the same order, at any depth."""

from __future__ import annotations

from itertools import product

import pytest
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.test import TestOp
from xdsl.ir import Block, Region

from loomir.dialects.upstream.walking import walk


def nest(depth: int) -> ModuleOp:
    """Operations with two regions, of which the first has two blocks, `depth` deep."""
    inner = [TestOp()]
    for _ in range(depth):
        inner = [
            TestOp(),
            TestOp(regions=[Region([Block(inner), Block([TestOp()])]), Region([Block([TestOp()])])]),
            TestOp(),
        ]
    return ModuleOp(inner)


@pytest.mark.parametrize(("reverse", "region_first"), product((False, True), repeat=2))
def test_the_order_is_that_of_xdsl(reverse: bool, region_first: bool) -> None:
    module = nest(4)
    region = module.regions[0]
    for top in (module, region, region.block):
        ours = list(walk(top, reverse=reverse, region_first=region_first))
        assert ours == list(top.walk(reverse=reverse, region_first=region_first))


def test_depth_is_no_recursion() -> None:
    module = nest(3000)
    assert sum(1 for _ in walk(module)) == 2 + 5 * 3000


def test_what_is_given_may_be_erased_and_followed_by_more() -> None:
    module = nest(2)
    seen = 0
    for op in walk(module):
        seen += 1
        if op.parent is not None and not op.regions:
            op.detach()
    assert seen == 12
    assert all(op.regions for op in walk(module))


def test_regions_are_read_when_the_walk_goes_on() -> None:
    module = ModuleOp([TestOp(regions=[Region([Block()])])])
    names: list[str] = []
    for op in walk(module):
        names.append(op.name)
        if len(names) == 2:
            op.regions[0].block.add_op(TestOp())
    assert len(names) == 3
