"""Random programs as trees, and what they show about the compiler.

A tree is independent of any file format. It consists of values, plain operations, branches and loops, and is immutable once created.
Operations have the
names of ONNX (operator set 21), and its operands and attributes; `to_onnx` and `to_openvino` write models. Every
`Value` has a name of its own in the whole program and is defined once: as a parameter of a region, or as an output of a
statement. A region may read values that are defined in it earlier, and all values that the enclosing regions have
defined by then (captures).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from math import prod

import numpy as np

DTYPES: dict[str, np.dtype] = {
    "f32": np.dtype(np.float32),
    "f64": np.dtype(np.float64),
    "i32": np.dtype(np.int32),
    "i64": np.dtype(np.int64),
    "bool": np.dtype(np.bool_),
    "i8": np.dtype(np.int8),
    "ui8": np.dtype(np.uint8),
    "i16": np.dtype(np.int16),
    "ui16": np.dtype(np.uint16),
    "ui32": np.dtype(np.uint32),
    "ui64": np.dtype(np.uint64),
}
FLOATS = ("f32", "f64")
INTEGERS = ("i32", "i64")
NARROW = ("i8", "ui8", "i16", "ui16")
"""Integers that counters have (`carried_values.NarrowCounter`), and vectors of `boundary_steps.LANES`."""
WIDE = ("ui32", "ui64")
"""Integers that the latter alone have."""


OPEN_SCANS = "scan outputs of open extents"
"""Feature of programs with scan outputs of open extents.

Such a program has a loop, possibly without iterations, that joins a value from outside whose extents only the feed
determines.
"""


@dataclass(frozen=True, eq=False)
class Open:
    """Extent that is only known within bounds.

    One `Open` in two shapes is the same number whenever both exist.
    """

    name: str
    least: int
    most: int


AxisExtent = int | Open
Shape = tuple[AxisExtent, ...]


@dataclass(frozen=True, eq=False)
class Value:
    """Named tensor, or sequence of `length` tensors.

    For a sequence, `shape` is the join of its tensors' shapes. `shape` is None if the rank depends on a branch that is
    taken.

    No element's absolute value exceeds `limit`. A change of the innermost carried values by 1 changes the value by about
    `gain` at most (see `builder`): floats stay comparable between engines that round differently.
    """

    name: str
    dtype: str
    shape: Shape | None
    limit: float = 1.0
    gain: float = 0.0
    length: AxisExtent | None = None

    @property
    def is_sequence(self) -> bool:
        """True if the value is a sequence of tensors."""
        return self.length is not None

    @property
    def rank(self) -> int:
        """The number of dimensions, of a value that has a known one."""
        assert self.shape is not None
        return len(self.shape)

    @property
    def static(self) -> bool:
        """True if every extent is a number."""
        return self.shape is not None and all(isinstance(e, int) for e in self.shape)


def least(extent: AxisExtent) -> int:
    """The least number that an extent can be."""
    return extent if isinstance(extent, int) else extent.least


def most(extent: AxisExtent) -> int:
    """The greatest number that an extent can be."""
    return extent if isinstance(extent, int) else extent.most


def elements(shape: Shape) -> int:
    """The greatest number of elements."""
    return prod(most(e) for e in shape)


Attribute = int | float | str | tuple[int, ...] | np.ndarray


@dataclass(frozen=True, eq=False)
class Op:
    """Plain operation: an ONNX operator with its operands and attributes.

    An operand that is None is omitted. Element types among the attributes (`to` of Cast) are names of `DTYPES`. A constant
    is an Op of kind `Constant` whose attribute `value` is an array.
    """

    kind: str
    inputs: tuple[Value | None, ...]
    outputs: tuple[Value, ...]
    attributes: Mapping[str, Attribute] = field(default_factory=dict)


@dataclass(frozen=True, eq=False)
class Region:
    """Body with parameters, statements and results.

    A result may be anything that can be read at the end of the region, including a parameter, a capture, or one value
    several times.
    """

    parameters: tuple[Value, ...]
    statements: tuple[Statement, ...]
    results: tuple[Value, ...]


@dataclass(frozen=True, eq=False)
class If:
    """Choice of one of two regions without parameters.

    Results of one type may differ in extents and in rank.
    """

    condition: Value
    then: Region
    otherwise: Region
    outputs: tuple[Value, ...]

    @property
    def inputs(self) -> tuple[Value | None, ...]:
        """Values that the statement itself reads."""
        return (self.condition,)


@dataclass(frozen=True, eq=False)
class Slicing:
    """Operand of a loop that is cut into one part per iteration.

    The parts have `part` elements along an axis, as in OpenVINO's TensorIterator. They lie between `start` and `end` (both
    included; -1 is the last element), `stride` elements further each time, or backwards if it is negative. The body sees
    the part with its axis.
    """

    value: Value
    axis: int
    start: int = 0
    end: int = -1
    stride: int = 1
    part: int = 1


@dataclass(frozen=True, eq=False)
class Joining:
    """Concatenation of a result over the iterations, along an existing axis.

    The result of each iteration is put behind those before it (before them with `backward`).
    """

    axis: int
    part: int = 1
    backward: bool = False


@dataclass(frozen=True, eq=False)
class Loop:
    """ONNX's Loop, extended by slicing and concatenation along any axis.

    Operands may be read, and results written, in parts along any axis, as in OpenVINO's Loop and TensorIterator.

    Parameters of the body: the iteration number (i64), the incoming condition (bool), the carried values, a part of each of
    `sliced`. Results: the condition for the next iteration, the carried values, `scans` values that are stacked along a new
    axis 0 (ONNX's scan outputs), one for each of `joined`. Outputs: the same without the condition.

    Without `trip` the trip count is unbounded; without `condition` the condition that the body yields does not end the
    loop. `sliced` operands are nevertheless never read beyond their ends: programs have a `trip` that fits them.
    """

    trip: Value | None
    condition: Value | None
    carried: tuple[Value, ...]
    body: Region
    outputs: tuple[Value, ...]
    scans: int = 0
    sliced: tuple[Slicing, ...] = ()
    joined: tuple[Joining, ...] = ()

    @property
    def inputs(self) -> tuple[Value | None, ...]:
        """Values that the statement itself reads."""
        return (self.trip, self.condition, *self.carried, *(s.value for s in self.sliced))


@dataclass(frozen=True, eq=False)
class ScanAxis:
    """Axis and direction in which a Scan takes or yields elements.

    The axis is as in the model: it may count from the end. With `backward`, the direction is from the last element to the
    first.
    """

    axis: int
    backward: bool = False


@dataclass(frozen=True, eq=False)
class Scan:
    """ONNX's Scan.

    Parameters of the body: the states, an element of each of `sequences`, without its axis. Results: the states, an element
    of each scan output. Outputs: the states, the scan outputs.
    """

    states: tuple[Value, ...]
    sequences: tuple[Value, ...]
    sequence_axes: tuple[ScanAxis, ...]
    body: Region
    outputs: tuple[Value, ...]
    output_axes: tuple[ScanAxis, ...]

    @property
    def inputs(self) -> tuple[Value | None, ...]:
        """Values that the statement itself reads."""
        return (*self.states, *self.sequences)


Statement = Op | If | Loop | Scan


@dataclass(frozen=True, eq=False)
class Program:
    """A program and what to feed it with, call by call.

    `features` counts what it holds, by name. `refusals` are identifiers of errors that engines below GRAPH may answer with;
    `name` says how to make the program again.
    """

    name: str
    body: Region
    feeds: tuple[Mapping[str, np.ndarray], ...]
    features: Counter[str] = field(default_factory=Counter)
    refusals: frozenset[str] = frozenset()

    @property
    def inputs(self) -> tuple[Value, ...]:
        """The values that are fed."""
        return self.body.parameters

    @property
    def outputs(self) -> tuple[tuple[str, Value], ...]:
        """Results with their names in every model of this program.

        A result has its own name. It has another one if it is an input, or if the value is a result already.
        """
        result: list[tuple[str, Value]] = []
        taken = {v.name for v in self.inputs}
        for index, value in enumerate(self.body.results):
            name = value.name if value.name not in taken else f"{value.name}_out{index}"
            taken.add(name)
            result.append((name, value))
        return tuple(result)

    def max_shapes(self) -> dict[str, list[int]]:
        """Return the largest shape of every input that has a dynamic dimension.

        This is `max_shapes=` of `loomir.load`.
        """
        return {v.name: [most(e) for e in v.shape or ()] for v in self.inputs if not v.static}


def regions_of(statement: Statement) -> tuple[Region, ...]:
    """The regions of a statement."""
    if isinstance(statement, If):
        return (statement.then, statement.otherwise)
    if isinstance(statement, Loop | Scan):
        return (statement.body,)
    return ()


def walk(region: Region, depth: int = 0) -> Iterator[tuple[int, Statement]]:
    """Generate all statements of a region and of its nested regions.

    Each comes with the number of regions around it.
    """
    for statement in region.statements:
        yield depth, statement
        for inner in regions_of(statement):
            yield from walk(inner, depth + 1)


def size_of(region: Region) -> int:
    """How many statements it holds, those of inner regions included."""
    return sum(1 for _ in walk(region))
