"""Output of commands: results of models, and pipelines while they run.

Commands print the outputs of a model as text. The instrumentations of `loomir-opt` display a running pipeline: programs
before and after passes, and the time of each pass.
"""

from __future__ import annotations

import shlex
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from difflib import unified_diff
from pathlib import Path
from typing import Any

import numpy as np
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.ir import IRNode, Operation, SSAValue
from xdsl.passes import ModulePass

from loomir.compiler.checking.cases import reproducer
from loomir.compiler.files import write_together
from loomir.compiler.levels import LEVELS
from loomir.compiler.pipeline import Instrumentation
from loomir.compiler.stages import front_operation
from loomir.compiler.stages.operations import refusal
from loomir.compiler.universe import accepted_stages
from loomir.dialects.element_types import dtype_name
from loomir.dialects.interface import with_full_constants
from loomir.errors import file_unwritable


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

    def before(self, module: ModuleOp, instance: ModulePass, context: Context) -> bool | None:
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
        try:
            for instrumentation in self.instrumentations:
                instrumentation.after(module, instance, context)
        except Exception as error:
            # A verifier or a check is one of them: what it rejects is a failure of the pass to the others.
            self.failed(instance, context, error)
            raise

    def failed(self, instance: ModulePass, context: Context, error: Exception) -> None:
        for instrumentation in self.instrumentations:
            instrumentation.failed(instance, context, error)


@dataclass
class RecordPasses(NoInstrumentation):
    """Records the passes that have begun, in order."""

    begun: list[ModulePass] = field(default_factory=list[ModulePass])

    def before(self, module: ModuleOp, instance: ModulePass, context: Context) -> None:
        self.begun.append(instance)


@dataclass
class PrintIR(NoInstrumentation):
    """Prints the program before and after passes, under mlir-opt's headline.

    - `names_before`, `names_after`: the passes, or all (`every_before`, `every_after`);
    - `changed`: after a pass only if it has changed the program; `diff`: the lines that it has changed;
    - `failure`: the program that a failing pass leaves behind;
    - `function`: only the function of this name;
    - `folder`: files for the programs, numbered in order, instead of standard error. Error: `file-unwritable`.
    """

    names_before: Sequence[str] = ()
    names_after: Sequence[str] = ()
    every_before: bool = False
    every_after: bool = False
    changed: bool = False
    diff: bool = False
    failure: bool = False
    folder: Path | None = None
    function: str | None = None
    _module: ModuleOp | None = field(default=None, init=False)
    _given: ModuleOp | None = field(default=None, init=False)
    """A copy of the program before the pass."""
    _written: int = field(default=0, init=False)

    def before(self, module: ModuleOp, instance: ModulePass, context: Context) -> None:
        self._module = module
        if self.every_before or instance.name in self.names_before:
            self._print("Before", instance, self._text(module))
        compared = self.changed or self.diff
        self._given = module.clone() if compared and self._is_wanted(instance) else None

    def after(self, module: ModuleOp, instance: ModulePass, context: Context) -> None:
        if not self._is_wanted(instance):
            return
        given, self._given = self._given, None
        if given is not None and self._are_equal(module, given):
            return
        if self.diff and given is not None:
            lines = unified_diff(
                self._text(given).splitlines(),
                self._text(module).splitlines(),
                "before",
                "after",
                lineterm="",
            )
            self._print("After", instance, "\n".join(lines), "diff")
        else:
            self._print("After", instance, self._text(module))

    def failed(self, instance: ModulePass, context: Context, error: Exception) -> None:
        if self.failure:
            assert self._module is not None
            self._print("After", instance, self._text(self._module), failed=True)

    def _shown(self, module: ModuleOp) -> list[Operation]:
        """Return the module, or the requested function if there is one."""
        if self.function is None:
            return [module]
        return [op for op in module.ops if isinstance(op, FuncOp) and op.sym_name.data == self.function]

    def _text(self, module: ModuleOp) -> str:
        return "\n".join(map(str, self._shown(module))) or f"// no function @{self.function}"

    def _are_equal(self, module: ModuleOp, other: ModuleOp) -> bool:
        shown, others = self._shown(module), self._shown(other)
        # (Else functions of two modules are never equivalent.)
        blocks: dict[IRNode | SSAValue, IRNode | SSAValue] = {module.body.block: other.body.block}
        return len(shown) == len(others) and all(
            each.is_structurally_equivalent(that, blocks) for each, that in zip(shown, others, strict=True)
        )

    def _is_wanted(self, instance: ModulePass) -> bool:
        return self.every_after or instance.name in self.names_after

    def _print(
        self, when: str, instance: ModulePass, text: str, form: str = "mlir", failed: bool = False
    ) -> None:
        what, how = "Diff" if form == "diff" else "Dump", " Failed" if failed else ""
        if self.folder is None:
            headline = f"// -----// IR {what} {when} {instance.name}{how} //----- //"
            print(f"{headline}\n{text}\n", file=sys.stderr)
            return
        self._written += 1
        path = (
            self.folder
            / f"{self._written:03}-{when.lower()}-{instance.name}{how.lower().replace(' ', '-')}.{form}"
        )
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            path.write_text(f"{text}\n", encoding="utf-8")
        except OSError as error:
            raise file_unwritable(str(path), error) from error


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
class BisectLimit(NoInstrumentation):
    """Runs only the first `limit` optional passes, as LLVM's `-opt-bisect-limit`.

    The passes of -O0 always run. Each decision is printed on standard error.
    """

    limit: int
    _number: int = field(default=0, init=False)

    def before(self, module: ModuleOp, instance: ModulePass, context: Context) -> bool:
        if instance.name in REQUIRED:
            return True
        self._number += 1
        runs = self._number <= self.limit
        print(
            f"BISECT: {'' if runs else 'NOT '}running pass ({self._number}) {instance.name}", file=sys.stderr
        )
        return runs


REQUIRED = {each.partition("{")[0] for step in LEVELS["O0"].values() for each in step}
"""Passes without which a program does not get from stage to stage."""


@dataclass
class CrashReproducer(NoInstrumentation):
    """Writes the program before a failing pass, with a command.

    `options` are further options of that command. A file that cannot be written is a warning.
    """

    path: Path
    options: Sequence[str] = ()
    _given: ModuleOp | None = field(default=None, init=False)

    def before(self, module: ModuleOp, instance: ModulePass, context: Context) -> None:
        self._given = module.clone()

    def failed(self, instance: ModulePass, context: Context, error: Exception) -> None:
        assert self._given is not None
        command = shlex.join([*reproducer(self.path, [instance]), *self.options])
        text = f"// again: {command}\n{with_full_constants(self._given)!s}\n"
        try:
            write_together({self.path: [text.encode()]})
        except (OSError, ValueError) as reason:
            # (The error of the pass is what a user has to see.)
            print(f"loomir-opt: warning: {file_unwritable(self.path, reason)}", file=sys.stderr)
            return
        print(f"loomir-opt: note: the program before {instance.name}: {self.path}", file=sys.stderr)


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
