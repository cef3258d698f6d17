"""Predicates of `arith.cmpi`: which is the opposite of which, and which says the same of exchanged operands."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from xdsl.dialects import arith
from xdsl.dialects.builtin import i8
from xdsl.ir import SSAValue
from xdsl.utils.test_value import create_ssa_value

from loomir.dialects.scalars import EXCHANGED, OPPOSITE, SCALARS

NUMBERS = [np.int8(n) for n in (-128, -1, 0, 1, 127)]


def holds(predicate: int, a: np.int8, b: np.int8) -> bool:
    value: SSAValue = create_ssa_value(i8)
    op = arith.CmpiOp(value, value, predicate)
    return bool(SCALARS[arith.CmpiOp].numpy(op)(a, b))


@pytest.mark.parametrize("predicate", range(10))
def test_opposite_and_exchanged(predicate: int) -> None:
    for a, b in product(NUMBERS, NUMBERS):
        assert holds(predicate, a, b) is not holds(OPPOSITE[predicate], a, b)
        assert holds(predicate, a, b) is holds(EXCHANGED[predicate], b, a)
