"""`loomir-opt`: pass driver that prints the resulting module, like `mlir-opt`.

It accepts `.mlir` (`-` is standard input), and models (`.xml`, `.onnx`, `.onnxtxt`) through loomir's importers.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from io import BytesIO, StringIO
from pathlib import Path
from typing import IO

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Attribute
from xdsl.passes import ModulePass, PassPipeline
from xdsl.utils.exceptions import ShrinkException
from xdsl.xdsl_opt_main import xDSLOptMain

from loomir.compiler.files import write_together
from loomir.compiler.formats.mlir.parser import USED_DIALECTS
from loomir.compiler.levels import checked_level
from loomir.compiler.pass_options import for_machine
from loomir.compiler.pipeline import Instrumentation, VerifyEach, available_passes, pipeline_text, run_passes
from loomir.compiler.stages import not_of_stages, verify_module, verify_stage
from loomir.compiler.universe import accepted_stages, added_dialects, added_targets
from loomir.dialects.diagnostics import Remark, listening
from loomir.errors import Error, crash_of, file_unwritable, only_errors, suggestion
from loomir.passes.analysis.machines import machine_of
from loomir.tools.arguments import (
    add_opt_arguments,
    check_options,
    interrupted,
    leave_quietly,
    load_named_extensions,
    print_error,
    printed_warnings,
)
from loomir.tools.check_lines import add_checks_argument, head_of_test, test_of, text_of_input
from loomir.tools.diagnostics import (
    Diagnostic,
    Expectations,
    diagnostics_of_error,
)
from loomir.tools.observing import Observation, add_observing_arguments
from loomir.tools.opt_input import MODELS, Chunk, OptInput
from loomir.tools.pipelines import (
    add_pipeline_arguments,
    help_of_pass,
    list_of_dialects,
    list_of_passes,
    read_pipelines,
    suggest_options,
    with_passes_of_flags,
)
from loomir.tools.printing import (
    PrintBetween,
    RecordPasses,
    RefuseFront,
    TimePasses,
)
from loomir.tools.remarks import printed_remarks, remarks_filter, wants_remarks, with_default_format


class LoomirOpt(xDSLOptMain):
    """xDSL's driver with loomir's dialects, passes, model formats and diagnostics."""

    def __init__(self, args: Sequence[str] | None = None) -> None:
        verified = Attribute.__post_init__
        try:
            given = sys.argv[1:] if args is None else args
            load_named_extensions("loomir-opt", given)
            given = with_passes_of_flags(with_default_format(given, "text"), available_passes())
            given = ["--verify-each=true" if each == "--verify-each" else each for each in given]
            self._given = given
            super().__init__(description="loomir pass runner", args=given)
        finally:
            # `--disable-verify` would switch it off for the whole process: see `_verification`.
            Attribute.__post_init__ = verified
        self._observation = Observation(self.args)
        self._input = OptInput(self.args)
        for name in USED_DIALECTS:
            self.ctx.load_registered_dialect(name)
        for dialect in added_dialects.values():
            self.ctx.load_dialect(dialect)
        self.ctx.load_registered_dialect("ov")
        self.verifies_each = self.args.verify_each not in ("false", "0")
        if self.args.disable_verify and (
            (self.args.verify_each and self.verifies_each) or self.args.verify_stage
        ):
            raise Error("bad-option", "--disable-verify excludes --verify-each and --verify-stage")
        for when in ("before", "after"):
            for name in getattr(self.args, f"print_ir_{when}"):
                self._check_pass_name(name, f"--print-ir-{when}")

    def _check_pass_name(self, name: str, option: str) -> None:
        if name in self.available_passes:
            return
        used = dict.fromkeys(instance.name for instance in self.pipeline.passes)
        near = suggestion(name, [*used, *self.available_passes])
        hint = f"passes of this pipeline: {', '.join(used) or 'none'}"
        raise Error("bad-option", f"{option} {name}: unknown pass", hint=f"{near} {hint}" if near else hint)

    def register_all_arguments(self, arg_parser: argparse.ArgumentParser) -> None:
        super().register_all_arguments(arg_parser)
        add_opt_arguments(arg_parser)
        add_observing_arguments(arg_parser)
        add_pipeline_arguments(arg_parser)
        add_checks_argument(arg_parser)
        suggest_options(arg_parser, self.available_passes)

    def register_all_passes(self) -> None:
        for name, factory in available_passes().items():
            self.register_pass(name, factory)

    def register_all_targets(self) -> None:
        super().register_all_targets()
        self.available_targets |= added_targets

    def register_all_frontends(self) -> None:
        super().register_all_frontends()
        for extension in MODELS:
            self.available_frontends[extension] = _not_from_here

    def setup_pipeline(self) -> None:
        stage = self.args.verify_stage or "graph"
        level = [] if self.args.level is None else [checked_level(self.args.level)]
        if level and "front" in (stage, self.args.stage):
            raise Error("bad-option", f"-{level[0]}: levels have no passes in the front stage")
        passes = [
            *self._schedule(),
            *read_pipelines([*level, *self.args.passes], "graph" if stage == "front" else stage),
        ]
        self.pipeline = PassPipeline(
            tuple(for_machine(passes, machine_of(self.args.machine or "generic").name))
        )

    def _schedule(self) -> list[ModulePass]:
        """The step of `--transform`, which runs before the passes."""
        if self.args.transform is None:
            return []
        from loomir.tools.transform import TransformPass

        return [TransformPass(self.args.transform)]

    def _module(self, chunk: Chunk, kind: str) -> ModuleOp:
        """Return the module of a part. Errors: the parser's, the importers'."""
        if kind in MODELS or kind == "mlir":
            return self._input.module(self.ctx, chunk, kind)
        # (Frontends of packages have another signature from xDSL 0.75 on, which xDSL knows.)
        module = self.parse_chunk(BytesIO(chunk.data), kind)
        assert module is not None
        return module

    def apply_passes(self, prog: ModuleOp) -> None:
        """Verify the program, run the passes, and verify what they made."""
        if not self.args.disable_verify:
            with self._observation.phase("verify"):
                verify_module(prog)
        given, record = prog.clone(), RecordPasses()
        try:
            with self._observation.phase("passes"):
                run_passes(
                    prog,
                    self.pipeline.passes,
                    context=self.ctx,
                    instrumentation=self._observation.around([*self._instrumentations(), record]),
                )
        except ShrinkException:
            raise
        except Exception as error:
            if isinstance(error, Error) and error.identifier != "pass-failed":
                raise
            if (reason := self._not_of_stages(given, record.begun)) is not None:
                raise reason from error
            raise
        if self.args.verify_stage:
            with self._observation.phase("verify"):
                verify_stage(prog, self.args.verify_stage)

    def _not_of_stages(self, given: ModuleOp, begun: Sequence[ModulePass]) -> Error | None:
        """Return why the last pass could not process its input, or None.

        Text may contain what no stage has, in any order of passes.
        """
        *done, last = begun
        # Their remarks have been made.
        with listening(None):
            run_passes(given, done, context=self.ctx)
        name = last.name
        stages = accepted_stages(name)
        reason = not_of_stages(given, stages) if stages else None
        if reason is not None:
            reason.what = f"{name} takes programs of the {' and '.join(stages)} stage: {reason.what}"
        return reason

    def _instrumentations(self) -> list[Instrumentation]:
        """Return the instrumentations that the options request."""
        options = self.args
        instrumentations: list[Instrumentation] = [RefuseFront()]
        if options.time_passes:
            instrumentations.append(TimePasses())
        if not options.disable_verify and self.verifies_each and not options.bisect:
            # (A check verifies, too, and says more.)
            instrumentations.append(self._timed("verify", VerifyEach()))
        if options.print_between_passes:
            instrumentations.append(PrintBetween(len(self.pipeline.passes)))
        if options.check_each_pass or options.check_inputs or options.bisect:
            from loomir.compiler.checking.cases import read_feed
            from loomir.compiler.checking.checker import PassChecker

            feeds = [read_feed(options.check_inputs)] if options.check_inputs else None
            instrumentations.append(self._timed("check", PassChecker(check_options(options), feeds)))
        return instrumentations

    def _timed(self, name: str, instrumentation: Instrumentation) -> Instrumentation:
        timing = self._observation.timing
        return instrumentation if timing is None else timing.part(name, instrumentation)

    def output_resulting_program(self, prog: ModuleOp) -> str:
        if self.args.full_constants:
            from loomir.dialects.interface import with_full_constants

            prog = with_full_constants(prog)
        return super().output_resulting_program(prog)

    def run(self) -> None:
        """Run the command.

        It exits with 1 after a failure: an error, or diagnostics other than expected.
        """
        try:
            with only_errors(), self._verification():
                try:
                    right = self._run()
                except BrokenPipeError:
                    leave_quietly()
                finally:
                    self._observation.report()
        except Error as error:
            print_error("loomir-opt", error, traceback=self.args.traceback)
            raise SystemExit(1) from error
        if self.args.shrink:
            print("Failure, can't shrink")
        if self.args.shrink or not right:
            raise SystemExit(1)

    def _listed(self) -> str | None:
        """Return the text to print in place of a run, or None."""
        if self.args.print_pipeline:
            return pipeline_text(self.pipeline.passes)
        if self.args.list_passes:
            return "\n".join(list_of_passes())
        if self.args.show_dialects:
            return "\n".join(list_of_dialects(self.ctx))
        return None if self.args.help_pass is None else help_of_pass(self.args.help_pass)

    def _run(self) -> bool:
        if (wanted := self._listed()) is not None:
            print(wanted, flush=True)
            return True
        kind = self._input.format(self.available_frontends)
        translated = kind in MODELS and MODELS[kind].front is not None and self.args.stage == "graph"
        if self.args.semantics != "specification" and not translated:
            hint = "FRONT has its own: -p 'convert-onnx-to-ov{semantics=onnxruntime}'"
            raise Error("bad-option", "--semantics needs an ONNX model that is imported to GRAPH", hint=hint)
        chunks = self._input.chunks()
        right = True
        with self._output() as output:
            if self.args.generate_checks:
                output.write(head_of_test(self._given, self.args, is_text=kind == "mlir"))
            for number, chunk in enumerate(chunks):
                if number:
                    output.write("// -----\n")
                if self.args.verify_diagnostics:
                    right &= self._compare(chunk, kind, output)
                elif self.args.split_input_file:
                    right &= self._tried(chunk, kind, output)
                else:
                    self._say(chunk, kind, output)
                output.flush()
        return right

    def _tried(self, chunk: Chunk, kind: str, output: IO[str]) -> bool:
        """Process a part of the input, and print its error.

        The other parts do not depend on it.
        """
        try:
            with only_errors():
                self._say(chunk, kind, output)
        except Error as error:
            print_error("loomir-opt", error, traceback=self.args.traceback)
            return False
        return True

    def _say(self, chunk: Chunk, kind: str, output: IO[str]) -> None:
        with printed_warnings("loomir-opt"), printed_remarks(self.args, self._input.name):
            try:
                output.write(self._result(chunk, kind))
            except Error as error:
                if not self.args.parsing_diagnostics or error.identifier != "mlir-syntax":
                    raise
                print(error)

    def _result(self, chunk: Chunk, kind: str) -> str:
        with self._observation.phase("parse"):
            module = self._module(chunk, kind)
        # (Passes change the module.)
        given = text_of_input(module, chunk.data, kind) if self.args.generate_checks else ""
        try:
            self.apply_passes(module)
        except ShrinkException:
            print("Success, can shrink")
            raise SystemExit(0) from None
        with self._observation.phase("print"):
            if self.args.generate_checks:
                return test_of(given, module, generic=self.args.print_op_generic)
            return self.output_resulting_program(module)

    def _compare(self, chunk: Chunk, kind: str, output: IO[str]) -> bool:
        """Process a part of the input and compare its diagnostics.

        Differences from the diagnostics that the part expects are reported.
        """
        said: list[Diagnostic] = []

        wanted = remarks_filter(self.args)

        def tell(remark: Remark) -> None:
            if not wanted(remark):
                return
            file, *at = remark.position or (None,)
            said.append(Diagnostic("remark", remark.message, file, (at[0], at[1]) if at else None))

        def warning(text: str) -> None:
            said.append(Diagnostic("warning", text))

        with listening(tell if wants_remarks(self.args) else None), printed_warnings("loomir-opt", warning):
            try:
                with only_errors():
                    result = self._result(chunk, kind)
            except Error as error:
                if crash_of(error) is not None:
                    raise
                said += diagnostics_of_error(error)
            else:
                output.write(result)
        expected = Expectations.of(chunk.data.decode("utf-8", "replace"), chunk.first_line)
        problems = expected.problems(said, self._input.name)
        for problem in problems:
            print(problem, file=sys.stderr)
        return not problems

    @contextmanager
    def _output(self) -> Iterator[IO[str]]:
        path = self.args.output_file
        if path is None:
            yield sys.stdout
            return
        # (After an error the file stays as it was.)
        output = StringIO()
        yield output
        try:
            write_together({Path(path): [output.getvalue().encode()]})
        except (OSError, ValueError) as error:
            raise file_unwritable(path, error) from error

    @contextmanager
    def _verification(self) -> Iterator[None]:
        """With `--disable-verify` attributes are not verified either, while this lasts."""
        verified = Attribute.__post_init__
        if self.args.disable_verify:
            Attribute.__post_init__ = lambda self: None
        try:
            yield
        finally:
            Attribute.__post_init__ = verified


def _not_from_here(stream: IO[bytes]) -> ModuleOp:
    raise AssertionError("importers read files: LoomirOpt._module")


def main() -> None:
    """Entry point of the command."""
    try:
        with only_errors():
            tool = LoomirOpt()
    except Error as error:
        print_error("loomir-opt", error, traceback="--traceback" in sys.argv)
        raise SystemExit(1) from error
    try:
        tool.run()
    except KeyboardInterrupt:
        interrupted("loomir-opt")


if __name__ == "__main__":
    main()
