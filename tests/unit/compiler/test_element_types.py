"""Every primitive operator in every element type that it accepts: the native engine gives what the graph engine gives.

One program for each element type holds all operators that accept it: which do, their own inference says.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import pytest
from xdsl.dialects.builtin import (
    ArrayAttr,
    DictionaryAttr,
    ModuleOp,
    StringAttr,
    TensorType,
)
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Attribute, Block, Region, SSAValue

from loomir.compiler.model import Model
from loomir.dialects import element_types as et
from loomir.dialects.ov import operations
from loomir.dialects.ov.base import AttrValue, OvOperation
from loomir.dialects.ov.operators.constant import ConstantOp
from loomir.errors import Error


def values(element: Attribute, *shape: int, seed: int = 0) -> np.ndarray:
    """Numbers of both signs with zeros, and the limits of integer types among them."""
    rng, dtype = np.random.default_rng(seed), et.dtype_of(element)
    if element == et.i1:
        return rng.integers(0, 2, shape).astype(bool)
    if et.is_storage(element):
        return rng.integers(0, 2, shape).astype(dtype)
    if et.is_float(element):
        return np.asarray(np.round(rng.standard_normal(shape) * 3, 1)).astype(dtype)
    info = np.iinfo(dtype)
    pool = [0, 1, 2, 3, 7, 100, info.max, info.min] + ([-1, -2, -5] if info.min else [])
    return rng.choice(np.array(pool, dtype), shape).astype(dtype)


@dataclass(frozen=True)
class Case:
    """Operands: a shape is values of the element type, an array itself (a constant), a function makes them."""

    operands: Sequence[tuple[int, ...] | np.ndarray | Callable[[Attribute], np.ndarray]]
    attributes: Mapping[str, AttrValue] = field(default_factory=dict)
    variadic: bool = False
    results: int = 1


def ints(*numbers: int) -> np.ndarray:
    return np.array(numbers, np.int64)


def scalar(number: int) -> np.ndarray:
    return np.array(number, np.int64)


def shifts(element: Attribute) -> np.ndarray:
    """How far to shift: less than the narrowest type has bits."""
    return np.arange(5).astype(et.dtype_of(element))


def small(element: Attribute, *shape: int) -> np.ndarray:
    """Values that are whole numbers from 0 to 3."""
    return (
        np.random.default_rng(5).integers(0, 2 if element == et.i1 else 4, shape).astype(et.dtype_of(element))
    )


WINDOW: dict[str, AttrValue] = {
    "strides": [1, 2],
    "pads_begin": [1, 0],
    "pads_end": [0, 1],
    "dilations": [1, 1],
}
POOL: dict[str, AttrValue] = {**WINDOW, "kernel": [2, 3]}
MASK = np.random.default_rng(1).integers(0, 2, (2, 5)).astype(bool)

BY_BASE: dict[str, Case] = {
    "UnaryOp": Case([(2, 5)]),
    "BinaryOp": Case([(2, 5), (5,)]),
    "CompareOp": Case([(2, 5), (5,)]),
    "LogicalOp": Case([(2, 5), (5,)]),
    "BitwiseBinaryOp": Case([(2, 5), (5,)]),
    "ShiftOp": Case([(2, 5), shifts]),
    "ReductionOp": Case([(3, 4), ints(1)]),
    "LogicalReductionOp": Case([(3, 4), ints(0)]),
    "PoolingOp": Case([(1, 2, 4, 6)], POOL),
    "CumulativeOp": Case([(2, 4), scalar(1)]),
}
"""Cases of operators by their base class."""

CASES: dict[str, list[Case]] = {
    "ov.clamp": [Case([(2, 5)], {"min": -1.5, "max": 2.0})],
    "ov.round": [Case([(2, 5)], {"mode": mode}) for mode in ("half_to_even", "half_away_from_zero")],
    "ov.divide": [Case([(2, 5), (5,)], {"m_pythondiv": python}) for python in (True, False)],
    "ov.bitwise_not": [Case([(2, 5)])],
    "ov.logical_not": [Case([(2, 5)])],
    "ov.select": [Case([MASK, (2, 5), (5,)])],
    "ov.convert": [Case([(2, 5)], {"destination_type": t}) for t in (et.f32, et.ui16, et.i4)],
    "ov.mat_mul": [Case([(3, 4), (4, 2)]), Case([(3, 4), (2, 4)], {"transpose_b": True})],
    "ov.convolution": [Case([(1, 2, 4, 5), (3, 2, 2, 3)], WINDOW)],
    "ov.group_convolution": [Case([(1, 4, 4, 5), (2, 2, 2, 2, 3)], WINDOW)],
    "ov.convolution_backprop_data": [Case([(1, 2, 3, 3), (2, 3, 2, 2)], {"strides": [2, 1]})],
    "ov.group_convolution_backprop_data": [Case([(1, 4, 3), (2, 2, 3, 2)])],
    "ov.avg_pool": [Case([(1, 2, 4, 6)], {**POOL, "exclude_pad": exclude}) for exclude in (True, False)],
    "ov.max_pool": [Case([(1, 2, 4, 6)], POOL, results=2)],
    "ov.reshape": [Case([(2, 6), ints(3, -1)])],
    "ov.squeeze": [Case([(2, 1, 3), ints(1)])],
    "ov.unsqueeze": [Case([(2, 3), ints(1)])],
    "ov.transpose": [Case([(2, 3), ints(1, 0)])],
    "ov.slice": [Case([(4, 5), ints(3, 0), ints(-9, 4), ints(-2, 3), ints(0, 1)])],
    "ov.split": [Case([(2, 4), scalar(1)], {"num_splits": 2}, results=2)],
    "ov.variadic_split": [Case([(2, 4), scalar(1), ints(1, 3)], results=2)],
    "ov.gather": [Case([(3, 4), ints(2, 0, -1, 5), scalar(0)])],
    "ov.gather_elements": [Case([(2, 3), np.array([[0, 1, 1]], np.int64)], {"axis": 0})],
    "ov.gather_nd": [Case([(2, 3), np.array([[0, 2], [1, 1]], np.int64)])],
    "ov.scatter_elements_update": [
        Case([(2, 3), np.array([[0, 1, 1]], np.int64), (1, 3), scalar(0)], {"reduction": how})
        for how in ("none", "sum", "prod", "min", "max", "mean")
    ],
    "ov.scatter_nd_update": [
        Case([(3, 2), np.array([[2], [0]], np.int64), (2, 2)], {"reduction": how})
        for how in ("none", "sum", "sub", "prod", "min", "max")
    ],
    "ov.scatter_update": [Case([(3, 2), ints(2, 0), (2, 2), scalar(0)])],
    "ov.reverse_sequence": [Case([(2, 4), ints(3, 2)], {"batch_axis": 0, "seq_axis": 1})],
    "ov.concat": [Case([(2, 3), (2, 1)], {"axis": 1}, variadic=True)],
    "ov.tile": [Case([(2, 3), ints(2, 1)])],
    "ov.broadcast": [Case([(3, 1), ints(2, 3, 4)])],
    "ov.pad": [
        Case([(3, 3), ints(1, 2), ints(0, 1), ()], {"pad_mode": "constant"}),
        Case([(3, 3), ints(1, 2), ints(0, 1)], {"pad_mode": "reflect"}),
    ],
    "ov.top_k": [Case([(3, 5), scalar(2)], {"axis": 1, "mode": mode, "sort": "value"}, results=2) for mode in ("max", "min")],
    "ov.arg_max": [Case([(3, 5)], {"axis": 1})],
    "ov.non_zero": [Case([(2, 3)])],
    "ov.unique": [Case([(2, 3)], results=4)],
    "ov.lp_pool": [Case([(1, 2, 4, 6)], POOL)],
}  # fmt: skip


def cases_of(op_class: type[OvOperation]) -> list[Case]:
    """The cases of an operator, by its name or by its nearest base class that has one."""
    if op_class.name in CASES:
        return CASES[op_class.name]
    return [BY_BASE[base.__name__] for base in op_class.__mro__ if base.__name__ in BY_BASE][:1]


class Program:
    """`main` with an operation for each case that accepts an element type; operands of that type are inputs."""

    def __init__(self, element: Attribute) -> None:
        self.element = element
        self.block = Block()
        self.feed: dict[str, np.ndarray] = {}
        self.results: list[SSAValue] = []
        self.names: list[str] = []
        self.accepted: set[str] = set()
        self._inputs: dict[tuple[object, ...], SSAValue] = {}
        for op_class in operations():
            if issubclass(op_class, OvOperation) and not op_class.COMPOSITE:
                for case in cases_of(op_class):
                    self._add(op_class, case)

    def _add(self, op_class: type[OvOperation], case: Case) -> None:
        operands = [self._operand(k, operand) for k, operand in enumerate(case.operands)]
        given = [operands] if case.variadic else operands
        try:
            op = op_class.make(*given, attributes=case.attributes, results=case.results)
        except Error as error:
            if error.identifier not in ("element-type", "attribute-value"):
                raise
            return
        self.block.add_op(op)
        self.accepted.add(op_class.name)
        for result in op.results:
            self.results.append(result)
            self.names.append(f"{op_class.name}{len(self.names)}")

    def _operand(self, place: int, operand: object) -> SSAValue:
        if isinstance(operand, np.ndarray):
            constant = ConstantOp.of(operand)
            self.block.add_op(constant)
            return constant.output
        key = (place, operand)
        if key not in self._inputs:
            made = operand(self.element) if callable(operand) else values(self.element, *operand, seed=place)  # pyright: ignore
            name = f"x{len(self.feed)}"
            self.feed[name] = made
            self._inputs[key] = self.block.insert_arg(
                TensorType(self.element, made.shape), len(self.block.args)
            )
        return self._inputs[key]

    def model(self) -> Model:
        self.block.add_op(ReturnOp(*self.results))
        types = ([a.type for a in self.block.args], [r.type for r in self.results])
        main = FuncOp("main", types, Region(self.block))
        main.arg_attrs = ArrayAttr([DictionaryAttr({"loomir.name": StringAttr(n)}) for n in self.feed])
        main.res_attrs = ArrayAttr([DictionaryAttr({"loomir.name": StringAttr(n)}) for n in self.names])
        return Model(ModuleOp([main]))


TOLERANCE = {et.f32: 1e-5, et.f64: 1e-12, et.f16: 1e-3, et.bf16: 8e-3}
"""One unit in the last place for the narrow ones: functions of the C library are rounded otherwise than numpy's."""

CHECKED = (
    et.i8,
    et.i16,
    et.i64,
    et.ui16,
    et.ui32,
    et.ui64,
    et.f16,
    et.bf16,
    et.f64,
    et.i1,
    et.i4,
    et.f8e4m3fn,
)
"""All widths and kinds; f32, i32 and ui8 are what most other tests use."""


@pytest.mark.parametrize("element", CHECKED, ids=str)
def test_native_as_graph(element: Attribute) -> None:
    program = Program(element)
    model = program.model()
    expected = model.run(program.feed, engine="graph")
    actual = model.run(program.feed, engine="native")
    wrong: list[str] = []
    for name, wanted in expected.items():
        got = actual[name]
        assert (got.dtype, got.shape) == (wanted.dtype, wanted.shape), name
        a, b = got.astype(np.float64), wanted.astype(np.float64)
        rtol = 0.0 if wanted.dtype.kind in "biu" else TOLERANCE.get(et.element_of(wanted.dtype), 0.0)
        same = (
            np.array_equal(got, wanted)
            if wanted.dtype.kind in "biu"
            else np.allclose(a, b, rtol, rtol / 10, equal_nan=True)
        )
        if not same:
            wrong.append(f"{name}: {got.ravel()} instead of {wanted.ravel()}")
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize(
    ("element", "least"), [(et.f32, 80), (et.i8, 85), (et.ui64, 85), (et.i1, 37), (et.i4, 19)], ids=str
)
def test_operators_accept_what_they_did(element: Attribute, least: int) -> None:
    """The test above would pass for an operator that refuses an element type."""
    assert len(Program(element).accepted) >= least
