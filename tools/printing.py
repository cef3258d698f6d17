"""Output of commands: results of models, and pipelines while they run.

Commands print the outputs of a model as text. The instrumentations of `loomir-opt` display a running pipeline: programs
before and after passes, and the time of each pass.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from loomir.compiler.pipeline import Instrumentation
from loomir.compiler.stages import front_operation
from loomir.compiler.stages.operations import refusal
from loomir.compiler.universe import accepted_stages
from loomir.dialects.element_types import dtype_name


def print_outputs(outputs: Mapping[str, Any]) -> None:
    """Print the name, element type, shape and contents of each output.

    A sequence is printed by its elements.
    """
    for name, value in outputs.items():
        if value is None:
            print(f"{name}: none")
            continue
        if isinstance(value, list):
            print(f"{name}: sequence of {len(value)}")
        for each, array in arrays_of({name: value}):
            print(f"{each}: {dtype_name(array.dtype)}{list(array.shape)}")
            print(np.array2string(array, threshold=64, precision=6))


def arrays_of(outputs: Mapping[str, Any]) -> Iterator[tuple[str, np.ndarray]]:
    """Generate the arrays among outputs, with their names.

    The elements of a sequence `x` are `x[0]`, `x[1]` …
    """
    for name, value in outputs.items():
        if isinstance(value, list):
            yield from ((f"{name}[{index}]", array) for index, array in enumerate(value))
        elif value is not None:
            yield name, value


class NoInstrumentation:
    """An instrumentation that does nothing."""

    def before(self, module: ModuleOp, instance: ModulePass, context: Context) -> None:
        pass

    def after(self, module: ModuleOp, instance: ModulePass, context: Context) -> None:
        pass

    def failed(self, instance: ModulePass, context: Context, error: Exception) -> None:
        pass


@dataclass
class Instrumentations:
    """Several instrumentations, told one after the other.

    Those that may skip a pass come first.
    """

    instrumentations: Sequence[Instrumentation]

    def before(self, module: ModuleOp, instance: ModulePass, context: Context) -> bool | None:
        # (Behind one that skips the pass, none is told.)
        return not any(each.before(module, instance, context) is False for each in self.instrumentations)

    def after(self, module: ModuleOp, instance: ModulePass, context: Context) -> None:
        for instrumentation in self.instrumentations:
            instrumentation.after(module, instance, context)

    def failed(self, instance: ModulePass, context: Context, error: Exception) -> None:
        for instrumentation in self.instrumentations:
            instrumentation.failed(instance, context, error)


@dataclass
class CountPasses(NoInstrumentation):
    """Counts the passes that have run."""

    passes: int = 0

    def after(self, module: ModuleOp, instance: ModulePass, context: Context) -> None:
        self.passes += 1


@dataclass
class PrintIR(NoInstrumentation):
    """Prints the program before and after passes, under mlir-opt's headline."""

    names_before: Sequence[str]
    names_after: Sequence[str]
    every_before: bool
    every_after: bool

    def before(self, module: ModuleOp, instance: ModulePass, context: Context) -> None:
        if self.every_before or instance.name in self.names_before:
            self._print("Before", module, instance)

    def after(self, module: ModuleOp, instance: ModulePass, context: Context) -> None:
        if self.every_after or instance.name in self.names_after:
            self._print("After", module, instance)

    def _print(self, when: str, module: ModuleOp, instance: ModulePass) -> None:
        print(f"// -----// IR Dump {when} {instance.name} //----- //\n{module!s}\n", file=sys.stderr)


@dataclass
class PrintBetween(NoInstrumentation):
    """Prints the program after each pass but the last.

    The output goes to standard output (`--print-between-passes`).
    """

    left: int

    def after(self, module: ModuleOp, instance: ModulePass, context: Context) -> None:
        self.left -= 1
        if self.left:
            print(f"IR after {instance.name}:\n{module!s}\n\n\n")


@dataclass
class TimePasses(NoInstrumentation):
    """Says how long each pass took, on standard output (`--time-passes`)."""

    start: float = field(default=0.0)

    def before(self, module: ModuleOp, instance: ModulePass, context: Context) -> None:
        self.start = time.perf_counter()

    def after(self, module: ModuleOp, instance: ModulePass, context: Context) -> None:
        print(f"Pass {instance.name} took {time.perf_counter() - self.start} seconds")


@dataclass
class RefuseFront(NoInstrumentation):
    """Refuses a FRONT program before passes that do not accept that stage.

    Such passes would find nothing to do. Error: `not-of-stage`.
    """

    def before(self, module: ModuleOp, instance: ModulePass, context: Context) -> None:
        stages = accepted_stages(instance.name)
        if not stages or "front" in stages or (op := front_operation(module)) is None:
            return
        error = refusal(
            op,
            f"{instance.name} takes programs of the {' and '.join(stages)} stage: this program is of the front stage",
        )
        error.hint = "run convert-onnx-to-ov before it"
        raise error
