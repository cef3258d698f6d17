"""Profiles of runs: counts of loops, branches and layers.

A profile is written by `loomir run --profile` and read by `--profile-use` (`profile=` of `load`). docs/profiling.md describes the file.

Loops and branches have keys that are the same in each load of a model: the name of the layer if no other loop or branch has it. Without
a name it is the path from the function, such as `main/ov.loop:0/ov.if:1`, and `Loop_3@main/ov.loop:0` if several have the name.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation

from loomir.compiler.files import MAX_FILE_BYTES, read_file, write_together
from loomir.dialects.diagnostics import layer_name
from loomir.dialects.interface import program_name
from loomir.dialects.profile import BRANCHES, LOOPS, BranchFacts, LoopFacts, attach
from loomir.errors import Error, file_unwritable, shown

VERSION = 1


@dataclass
class LoopCounts:
    """Trips of a loop: how many entries had each number."""

    operation: str
    trips: Counter[int] = field(default_factory=Counter[int])


@dataclass
class BranchCounts:
    """How often each arm of a branch was taken."""

    operation: str
    then: int = 0
    otherwise: int = 0


@dataclass
class LayerCounts:
    """Operations of a layer, bytes of their results, and seconds."""

    operations: int = 0
    bytes: int = 0
    seconds: float = 0.0


@dataclass
class Profile:
    """Counts of all runs.

    They are by the keys of loops and branches, and the names of layers.
    """

    model: str
    stage: str
    level: str
    runs: int = 0
    loops: dict[str, LoopCounts] = field(default_factory=dict[str, LoopCounts])
    branches: dict[str, BranchCounts] = field(default_factory=dict[str, BranchCounts])
    layers: dict[str, LayerCounts] = field(default_factory=dict[str, LayerCounts])

    @classmethod
    def of(cls, module: ModuleOp, stage: str, level: str) -> Profile:
        """Return the profile of no run.

        It has all loops and branches, with nothing counted.
        """
        found = cls(program_name(module) or "model", stage, level)
        for op, key in keys(module).items():
            if isinstance(op, LOOPS):
                found.loops[key] = LoopCounts(op.name)
            else:
                found.branches[key] = BranchCounts(op.name)
        return found

    def add(self, other: Profile) -> None:
        """Add the counts of other runs of the same program. Error: `bad-profile`."""
        for what in ("stage", "level"):
            if getattr(self, what) != getattr(other, what):
                raise Error(
                    "bad-profile",
                    f"profiles of two programs: {what} {getattr(self, what)} and {getattr(other, what)}",
                    hint="record all profiles with the same options",
                )
        self.runs += other.runs
        for key, loop in other.loops.items():
            self.loops.setdefault(key, LoopCounts(loop.operation)).trips.update(loop.trips)
        for key, branch in other.branches.items():
            own = self.branches.setdefault(key, BranchCounts(branch.operation))
            own.then += branch.then
            own.otherwise += branch.otherwise
        for key, layer in other.layers.items():
            sums = self.layers.setdefault(key, LayerCounts())
            sums.operations += layer.operations
            sums.bytes += layer.bytes
            sums.seconds += layer.seconds

    def write(self, path: Path) -> None:
        """Write the profile as JSON. Error: `file-unwritable`."""
        data = {
            "loomir-profile": VERSION,
            "model": self.model,
            "stage": self.stage,
            "level": self.level,
            "runs": self.runs,
            "loops": {
                key: {"operation": c.operation, "trips": {str(t): n for t, n in sorted(c.trips.items())}}
                for key, c in self.loops.items()
            },
            "branches": {
                key: {"operation": c.operation, "then": c.then, "else": c.otherwise}
                for key, c in self.branches.items()
            },
            "layers": {
                key: {"operations": c.operations, "bytes": c.bytes, "seconds": round(c.seconds, 9)}
                for key, c in self.layers.items()
            },
        }
        try:
            write_together({path: [json.dumps(data, indent=1).encode()]})
        except OSError as error:
            raise file_unwritable(path, error) from error

    @classmethod
    def read(cls, path: Path) -> Profile:
        """Read a profile. Errors: `bad-profile`, `file-unreadable`, `file-too-large`."""
        try:
            data = json.loads(read_file(path, MAX_FILE_BYTES))
        except (ValueError, RecursionError) as error:
            raise Error("bad-profile", f"not valid JSON: {error}", file=str(path), hint=_HINT) from error
        try:
            return cls._of_data(_Reader(data))
        except Error as error:
            raise error.at(file=str(path)) from None

    @classmethod
    def _of_data(cls, data: _Reader) -> Profile:
        version = data.mapping().get("loomir-profile")
        if version != VERSION:
            what = "not a profile of loomir" if version is None else f"a profile of version {shown(version)}"
            raise Error("bad-profile", f'{what}: there is no "loomir-profile": {VERSION}', hint=_HINT)
        model, stage, level, runs = data["model", "stage", "level", "runs"]
        found = cls(model.text(), stage.text(), level.text(), runs.count())
        for key, each in data["loops"][0].items():
            operation, trips = each["operation", "trips"]
            counts = {times.number(n): times.count() for n, times in trips.items()}
            found.loops[key] = LoopCounts(operation.text(), Counter(counts))
        for key, each in data["branches"][0].items():
            operation, then, otherwise = each["operation", "then", "else"]
            found.branches[key] = BranchCounts(operation.text(), then.count(), otherwise.count())
        for key, each in data["layers"][0].items():
            operations, size, seconds = each["operations", "bytes", "seconds"]
            found.layers[key] = LayerCounts(operations.count(), size.count(), seconds.seconds())
        return found

    def attach_to(self, module: ModuleOp) -> None:
        """Attach the counts to the loops and branches of the program.

        Error: `bad-profile`.
        """
        if self.stage != "graph" or self.level != "O0":
            raise Error(
                "bad-profile",
                f"it was recorded in {self.stage} at -{self.level}, where loops are not those of the model",
                hint="record it with: loomir run MODEL -O0 --profile FILE.json",
            )
        found = keys(module)
        recorded = {key: c.operation for key, c in (*self.loops.items(), *self.branches.items())}
        _check_same(recorded, {key: op.name for op, key in found.items()}, self.model)
        for op, key in found.items():
            if isinstance(op, LOOPS):
                attach(op, LoopFacts(self.loops[key].trips))
            else:
                branch = self.branches[key]
                attach(op, BranchFacts(branch.then, branch.otherwise))


_HINT = "loomir run MODEL -O0 --profile FILE.json writes one (docs/profiling.md)"


def _check_same(recorded: Mapping[str, str], program: Mapping[str, str], model: str) -> None:
    """Raise `bad-profile` if profile and program have other loops and branches."""
    for names, others, where in ((recorded, program, "program"), (program, recorded, "profile")):
        for key, operation in names.items():
            if others.get(key) == operation:
                continue
            near = get_close_matches(key[:200], list(others)[:10_000], n=1)
            nearest = f"; the nearest is '{near[0]}'" if near else ""
            raise Error(
                "bad-profile",
                f"it is of another program ('{model}'): the {where} has no {operation} '{key}'{nearest}",
                hint="record it for this model, with the same --shape and --value",
            )


MAX_COUNT = (1 << 62) - 1


@dataclass(frozen=True)
class _Reader:
    """A value of the file, with its place in it."""

    value: Any
    place: str = ""

    def _failed(self, wanted: str) -> Error:
        place = f"{self.place}: " if self.place else ""
        return Error("bad-profile", f"{place}{shown(self.value)} is not {wanted}", hint=_HINT)

    def mapping(self) -> Mapping[str, Any]:
        if not isinstance(self.value, dict):
            raise self._failed("an object")
        return self.value

    def items(self) -> Iterator[tuple[str, _Reader]]:
        for key, value in self.mapping().items():
            yield key, _Reader(value, f"{self.place}.{json.dumps(key)[:100]}".lstrip("."))

    def __getitem__(self, names: str | tuple[str, ...]) -> list[_Reader]:
        found = dict(self.items())
        wanted = (names,) if isinstance(names, str) else names
        for name in wanted:
            if name not in found:
                raise self._failed(f'an object with "{name}"')
        return [found[name] for name in wanted]

    def text(self) -> str:
        if not isinstance(self.value, str):
            raise self._failed("text")
        return self.value

    def count(self) -> int:
        if type(self.value) is not int or not 0 <= self.value <= MAX_COUNT:
            raise self._failed(f"a count from 0 to {MAX_COUNT}")
        return self.value

    def number(self, key: str) -> int:
        """The key of this value as a trip count."""
        if not key.isascii() or not key.isdigit() or len(key) > 18:
            raise self._failed(f"at a number of trips, but at {shown(key)}")
        return int(key)

    def seconds(self) -> float:
        if (
            isinstance(self.value, bool)
            or not isinstance(self.value, int | float)
            or not 0 <= self.value < 1e18
        ):
            raise self._failed("a time in seconds")
        return float(self.value)


def keys(module: ModuleOp) -> dict[Operation, str]:
    """Return the loops and branches of a program with their keys."""
    paths = {
        op: path for function in module.ops if isinstance(function, FuncOp) for op, path in _paths(function)
    }
    # (A layer may be called like a path.)
    names = Counter([*(layer_name(op) for op in paths), *paths.values()])
    found: dict[Operation, str] = {}
    for op, path in paths.items():
        name = layer_name(op)
        found[op] = path if name is None else name if names[name] == 1 else f"{name}@{path}"
    return found


def _paths(function: FuncOp) -> Iterator[tuple[Operation, str]]:
    pending: list[tuple[Operation, str]] = [(function, function.sym_name.data)]
    while pending:
        parent, path = pending.pop()
        inner: list[tuple[Operation, str]] = []
        seen: Counter[str] = Counter()
        for region in parent.regions:
            for block in region.blocks:
                for op in block.ops:
                    if op.regions:
                        inner.append((op, f"{path}/{op.name}:{seen[op.name]}"))
                        seen[op.name] += 1
        if isinstance(parent, LOOPS + BRANCHES):
            yield parent, path
        pending += reversed(inner)
