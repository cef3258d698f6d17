"""`loomir-run`: xDSL's `xdsl-run` with loomir's dialects and interpreter functions.

It runs STRUCTURED and LOOPS.

    loomir-run smooth.mlir --verbose --args 'dense<0.5> : tensor<4xf32>'

If the function declares the roles of its arguments (docs/ir.md), `--args` are the inputs, in their order; constants,
extents, output buffers and the arena are created, and outputs have their names. Other functions take all their
arguments, as in `xdsl-run`.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from io import BytesIO
from pathlib import Path
from typing import IO

import numpy as np
from xdsl.dialects.builtin import IndexType, ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.interpreter import Interpreter
from xdsl.ir import Attribute
from xdsl.parser import Parser
from xdsl.tools.xdsl_run import xDSLRunMain
from xdsl.utils.exceptions import InterpretationError, ParseError

from loomir.compiler.engines import InterpreterError, IterationBudget, LoomirInterpreter
from loomir.compiler.engines.lowered import ArgumentFunctions, array_of, register_functions
from loomir.compiler.feeds import Boundary
from loomir.compiler.feeds.signature import Signature
from loomir.compiler.files import MAX_FILE_BYTES, read_file
from loomir.compiler.formats.mlir.parser import decode_text, make_context, parse_module
from loomir.compiler.formats.mlir.programs import is_within
from loomir.compiler.option_names import DEFAULT_MAX_ITERATIONS
from loomir.dialects.interface import arguments_of, results_of
from loomir.errors import Error, only_errors
from loomir.tools.printing import print_outputs

MODELS = "loomir run takes models, and programs of GRAPH"


class LoomirRun(xDSLRunMain):
    """xDSL's runner; what it lacks a hook for is in docs/upstream.md."""

    def __init__(self, args: Sequence[str] | None = None) -> None:
        super().__init__(
            description="Run a function of MLIR text in STRUCTURED or LOOPS with the interpreter.", args=args
        )

    def register_all_dialects(self) -> None:
        self.ctx = make_context()

    def register_all_frontends(self) -> None:
        super().register_all_frontends()
        self.available_frontends["mlir"] = self._read

    def register_all_arguments(self, arg_parser: argparse.ArgumentParser) -> None:
        super().register_all_arguments(arg_parser)
        arg_parser.add_argument(
            "--max-iterations",
            type=int,
            metavar="N",
            default=DEFAULT_MAX_ITERATIONS,
            help="stop after this many loop iterations",
        )

    def get_input_stream(self) -> tuple[IO[bytes], str]:
        if self.args.input_file is None:
            return super().get_input_stream()
        path = Path(self.args.input_file)
        return BytesIO(read_file(path, MAX_FILE_BYTES)), path.suffix.removeprefix(".")

    def register_implementations(self, interpreter: Interpreter) -> None:
        register_functions(interpreter)
        interpreter.register_implementations(ArgumentFunctions())

    def make_interpreter(self, module: ModuleOp) -> Interpreter:
        """The interpreter that runs a module."""
        interpreter = LoomirInterpreter(
            module, index_bitwidth=self.args.index_bitwidth, budget=IterationBudget(self.args.max_iterations)
        )
        self.register_implementations(interpreter)
        return interpreter

    def run(self) -> None:
        """Errors: those of the text, of the arguments, and `runtime-…`; `runtime-program`."""
        stream, ending = self.get_input_stream()
        if ending not in self.available_frontends:
            raise Error(
                "unknown-format", f"'{ending}' is not MLIR text", file=self.get_input_name(), hint=MODELS
            )
        try:
            self._run_text(stream, ending)
        except Error as error:
            raise error.at(file=self.get_input_name()) from error.__cause__

    def _run_text(self, stream: IO[bytes], ending: str) -> None:
        module = self.parse_chunk(stream, ending)
        assert module is not None
        if not is_within(module, "structured"):
            raise Error("not-of-stage", "it has operations of GRAPH", hint=MODELS)
        interpreter = self.make_interpreter(module)
        function = self._function(interpreter)
        with np.errstate(all="ignore"):
            try:
                self._run(interpreter, function)
            except InterpreterError as error:
                raise Error("runtime-program", f"the program has undefined behaviour: {error}") from error

    def _run(self, interpreter: Interpreter, function: FuncOp) -> None:
        attributes = self._attributes()
        if any(entry.attributes for entry in (*arguments_of(function), *results_of(function))):
            self._run_described(interpreter, function, attributes)
            return
        types = function.function_type.inputs.data
        if len(types) != len(attributes):
            what = f"--args: {len(attributes)} values for the {len(types)} arguments of {self.args.symbol}"
            raise Error("bad-option", what, hint=f"they are {', '.join(map(str, types)) or 'none'}")
        given = [interpreter.value_for_attribute(a, type_) for a, type_ in zip(attributes, types)]
        results = interpreter.call_op(function, tuple(given))
        if self.args.verbose:
            print(f"result: {results[0] if len(results) == 1 else results}")

    def _run_described(
        self, interpreter: Interpreter, function: FuncOp, attributes: Sequence[Attribute]
    ) -> None:
        signature = Signature.of(function)
        names = [port.name for port in signature.inputs]
        if len(attributes) > len(names):
            what = f"--args: {len(attributes)} values for {len(names)} inputs"
            raise Error("bad-option", what, hint=f"they are {', '.join(names) or 'none'}")
        if len(attributes) < len(names):
            missing = ", ".join(str(port.info) for port in signature.inputs[len(attributes) :])
            what = f"--args: no value for input '{names[len(attributes)]}'"
            raise Error(
                "input-missing", what, hint=f"attributes such as 'dense<0.5> : tensor<2xf32>', for {missing}"
            )
        arguments = signature.pack(dict(zip(names, map(array_of, attributes))))
        values = [
            int(value) if isinstance(each.type, IndexType) else value
            for each, value in zip(signature.arguments, arguments)
        ]
        outputs = signature.unpack(arguments, interpreter.call_op(function, tuple(values)))
        if self.args.verbose:
            print_outputs(Boundary.of(interpreter.module).assemble(outputs))

    def _read(self, stream: IO[bytes]) -> ModuleOp:
        name = self.get_input_name()
        return parse_module(decode_text(stream.read(), name), name=name, context=self.ctx)

    def _function(self, interpreter: Interpreter) -> FuncOp:
        try:
            function = interpreter.get_op_for_symbol(self.args.symbol)
        except InterpretationError:
            function = None
        if not isinstance(function, FuncOp) or function.is_declaration:
            raise Error("no-main", f"the module has no function {self.args.symbol} with a body")
        return function

    def _attributes(self) -> Sequence[Attribute]:
        parser = Parser(self.ctx, self.args.args, "--args")
        try:
            return (
                parser.parse_optional_undelimited_comma_separated_list(
                    parser.parse_optional_attribute, parser.parse_attribute
                )
                or ()
            )
        except ParseError as error:
            what = str(error).strip().splitlines()[-1].strip("^ ")
            raise Error("bad-option", f"--args: not attributes of MLIR ({what})") from None


def main() -> None:
    """Entry point of the command."""
    try:
        with only_errors():
            LoomirRun().run()
    except Error as error:
        print(f"loomir-run: error: {error}", file=sys.stderr)
        raise SystemExit(1) from error


if __name__ == "__main__":
    main()
