"""`loomir-opt`: run passes on a module and print it, the way `mlir-opt` does.

Takes `.mlir`, and models (`.xml`, `.onnx`, `.onnxtxt`) through loomir's importers.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass
from xdsl.utils.exceptions import DiagnosticException, ParseError, VerifyException
from xdsl.xdsl_opt_main import xDSLOptMain

from loomir.compiler.context import USED_DIALECTS
from loomir.compiler.pipeline import VerifyEach, Watch, available_passes
from loomir.errors import Error
from loomir.tools.arguments import add_check_arguments, add_semantics_argument, check_options


@dataclass
class PrintIR:
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

    def failed(self, instance: ModulePass, context: Context, error: Exception) -> None:
        pass

    def _print(self, when: str, module: ModuleOp, instance: ModulePass) -> None:
        print(f"// -----// IR Dump {when} {instance.name} //----- //\n{module!s}\n", file=sys.stderr)


class LoomirOpt(xDSLOptMain):
    """xDSL's driver with loomir's dialects, passes and model formats (they come with the universe's entry point)."""

    def __init__(self, args: Sequence[str] | None = None) -> None:
        super().__init__(description="loomir pass runner", args=args)
        for name in USED_DIALECTS:
            self.ctx.load_registered_dialect(name)
        self.ctx.load_registered_dialect("ov")

    def register_all_arguments(self, arg_parser: argparse.ArgumentParser) -> None:
        super().register_all_arguments(arg_parser)
        arg_parser.add_argument(
            "--full-constants",
            action="store_true",
            help="print large constants in full, as other tools expect",
        )
        arg_parser.add_argument(
            "--verify-stage",
            choices=("graph", "structured", "loops"),
            help="check that the result is legal for this stage",
        )
        arg_parser.add_argument(
            "--verify-each",
            action="store_true",
            help="check SSA dominance after each pass too (operations are verified anyway)",
        )
        for when in ("before", "after"):
            arg_parser.add_argument(
                f"--print-ir-{when}",
                action="append",
                default=[],
                metavar="PASS",
                help=f"print the program {when} this pass, on standard error (again for each pass)",
            )
            arg_parser.add_argument(
                f"--print-ir-{when}-all",
                action="store_true",
                help=f"print the program {when} every pass, on standard error",
            )
        add_check_arguments(arg_parser)
        add_semantics_argument(arg_parser)
        arg_parser.add_argument(
            "--check-inputs",
            type=Path,
            metavar="FILE.npz",
            help="run the program on these inputs rather than on samples (see --check-each-pass)",
        )
        arg_parser.add_argument(
            "--shape",
            action="append",
            default=[],
            metavar="INPUT=N,N,…",
            help="set the shape of a model's input before it is imported (again for each input)",
        )

    def register_all_passes(self) -> None:
        for name, factory in available_passes().items():
            self.register_pass(name, factory)

    def register_all_frontends(self) -> None:
        super().register_all_frontends()
        for extension in ("xml", "onnx", "onnxtxt"):
            self.available_frontends[extension] = self._import_model

    def _import_model(self, stream: IO[bytes]) -> ModuleOp:
        from loomir.compiler.frontends import load_module
        from loomir.tools.arguments import parse_shapes, printed_warnings

        stream.close()
        shapes = parse_shapes(self.args.shape)
        with printed_warnings("loomir-opt"):
            return load_module(self.args.input_file, shapes=shapes, semantics=self.args.semantics)

    def apply_passes(self, prog: ModuleOp) -> None:
        prog.verify()
        watches = self._watches()
        passes = self.pipeline.passes
        tell = self.pipeline.callback
        if tell is not None:
            tell(None, prog, passes[0] if passes else None)
        # What xDSL's pipeline does, and the watches beside it.
        for instance, following in zip(passes, (*passes[1:], None)):
            for watch in watches:
                watch.before(prog, instance, self.ctx)
            try:
                instance.apply(self.ctx, prog)
            except Exception as error:
                for watch in watches:
                    watch.failed(instance, self.ctx, error)
                raise
            for watch in watches:
                watch.after(prog, instance, self.ctx)
            if tell is not None:
                tell(instance, prog, following)
        prog.verify()
        if self.args.verify_stage:
            from loomir.compiler.stages import verify_stage

            verify_stage(prog, self.args.verify_stage)

    def _watches(self) -> list[Watch]:
        """What was asked for to see the passes run."""
        watches: list[Watch] = []
        options = self.args
        every = (options.print_ir_before_all, options.print_ir_after_all)
        if any(every) or options.print_ir_before or options.print_ir_after:
            watches.append(PrintIR(options.print_ir_before, options.print_ir_after, *every))
        if options.verify_each:
            watches.append(VerifyEach())
        if options.check_each_pass or options.check_inputs:
            from loomir.compiler.checking.checker import PassChecker
            from loomir.compiler.checking.report import read_feed

            feeds = [read_feed(options.check_inputs)] if options.check_inputs else None
            watches.append(PassChecker(check_options(options), feeds))
        return watches

    def output_resulting_program(self, prog: ModuleOp) -> str:
        if self.args.full_constants:
            from loomir.dialects.blob import with_full_constants

            prog = with_full_constants(prog)
        return super().output_resulting_program(prog)

    def setup_pipeline(self) -> None:
        from xdsl.utils.exceptions import ArgSpecParseError

        try:
            super().setup_pipeline()
        except (ArgSpecParseError, ValueError, TypeError, ParseError) as error:
            raise Error("bad-pipeline", f"'{self.args.passes}' is no pass pipeline: {error}") from error

    def run(self) -> None:
        try:
            super().run()
        except OSError as error:
            print(f"loomir-opt: error: {error.filename}: {error.strerror}", file=sys.stderr)
            raise SystemExit(1) from error
        except Error as error:
            if self.args.verify_diagnostics:
                print(error)
                return
            print(f"loomir-opt: error: {error}", file=sys.stderr)
            raise SystemExit(1) from error
        except (VerifyException, ParseError, DiagnosticException) as error:
            # The verifier's text repeats the whole module; its last line says what is wrong.
            lines = [line for line in str(error).splitlines() if line.strip()]
            print(f"loomir-opt: error: {lines[-1].strip() if lines else error}", file=sys.stderr)
            if isinstance(error, ParseError):
                print(error, file=sys.stderr)
            raise SystemExit(1) from error


def main() -> None:
    """Entry point of the command."""
    try:
        tool = LoomirOpt()
    except Error as error:
        print(f"loomir-opt: error: {error}", file=sys.stderr)
        raise SystemExit(1) from error
    tool.run()


if __name__ == "__main__":
    main()
