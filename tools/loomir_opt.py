"""`loomir-opt`: run passes on a module and print it, the way `mlir-opt` does.

Takes `.mlir`, and models (`.xml`, `.onnx`, `.onnxtxt`) through loomir's importers.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from typing import IO

from xdsl.dialects.builtin import ModuleOp
from xdsl.utils.exceptions import DiagnosticException, ParseError, VerifyException
from xdsl.xdsl_opt_main import xDSLOptMain

from loomir.compiler.context import USED_DIALECTS
from loomir.errors import Error


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
            "--shape",
            action="append",
            default=[],
            metavar="INPUT=N,N,…",
            help="set the shape of a model's input before it is imported (again for each input)",
        )

    def register_all_frontends(self) -> None:
        super().register_all_frontends()
        for extension in ("xml", "onnx", "onnxtxt"):
            self.available_frontends[extension] = self._import_model

    def _import_model(self, stream: IO[bytes]) -> ModuleOp:
        from loomir.compiler.frontends import load_module
        from loomir.tools.arguments import parse_shapes

        stream.close()
        return load_module(self.args.input_file, shapes=parse_shapes(self.args.shape))

    def apply_passes(self, prog: ModuleOp) -> None:
        prog.verify()
        self.pipeline.apply(self.ctx, prog)
        prog.verify()
        if self.args.verify_stage:
            from loomir.compiler.stages import verify_stage

            verify_stage(prog, self.args.verify_stage)

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
