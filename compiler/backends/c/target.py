"""`-t c`: the C of a LOOPS module, header and source one after the other."""

from __future__ import annotations

from dataclasses import dataclass
from typing import IO

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, StringAttr
from xdsl.utils.target import Target

from loomir.compiler.backends.c.emit import emit_c


@dataclass(frozen=True)
class CTarget(Target):
    """Prints `<name>.h` and `<name>.c` with a line `// ---- <file>` before each.

    `weights` is `text` or `pointer`, as in `emit_c`; `file` prints only `header` or `source`.
    """

    name = "c"

    weights: str = "text"
    file: str = "both"

    def emit(self, ctx: Context, module: ModuleOp, output: IO[str]) -> None:
        model = module.attributes.get("loomir.name")
        code = emit_c(
            module,
            model.data if isinstance(model, StringAttr) else "model",
            weights="pointer" if self.weights == "pointer" else "text",
        )
        if self.file in ("both", "header"):
            output.write(f"// ---- {code.name}.h\n{code.header}")
        if self.file in ("both", "source"):
            output.write(f"// ---- {code.name}.c\n{code.source}")
