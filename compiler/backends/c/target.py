"""Target `-t c`: the C header of a LOOPS module, then its source."""

from __future__ import annotations

from dataclasses import dataclass
from typing import IO

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.utils.target import Target

from loomir.compiler.backends.c.emit import emit_c
from loomir.compiler.stages.verify import StageError, verify_stage
from loomir.dialects.interface import program_name
from loomir.errors import Error


@dataclass(frozen=True)
class CTarget(Target):
    """Prints `<name>.h` and `<name>.c` with a line `// ---- <file>` before each.

    `weights` is `text` or `pointer`, as in `emit_c`; `file` is `both`, `header` or `source`.
    Error: `c-unknown-option` and those of `emit_c`.
    """

    name = "c"

    weights: str = "text"
    file: str = "both"

    def emit(self, ctx: Context, module: ModuleOp, output: IO[str]) -> None:
        for option, value, known in (
            ("weights", self.weights, ("text", "pointer")),
            ("file", self.file, ("both", "header", "source")),
        ):
            if value not in known:
                raise Error(
                    "c-unknown-option",
                    f"the C target has no {option}={value}",
                    hint=f"known: {', '.join(f'{option}={k}' for k in known)}",
                )
        try:
            verify_stage(module, "loops")
        except StageError as error:
            error.hint = error.hint or "C is made of a LOOPS program: `loomir compile MODEL` lowers it first"
            raise
        weights = "pointer" if self.weights == "pointer" else "text"
        code = emit_c(module, program_name(module) or "model", weights=weights)
        if self.file in ("both", "header"):
            output.write(f"// ---- {code.name}.h\n{code.header}")
        if self.file in ("both", "source"):
            output.write(f"// ---- {code.name}.c\n{code.source}")
