"""`mlir-opt`: xDSL's pass that runs upstream's tool, with error reports.

It has the tool run passes on the program, and reports the reason if that fails.

```mlir
%c2 = arith.constant 2 : index              // -p 'mlir-opt{arguments="--canonicalize"}'
%n = arith.addi %c2, %c2 : index

%n = arith.constant 4 : index
```

Without `executable`, the tool is the `mlir-opt` of the path, the one that the environment variable `XDSL_MLIR_OPT`
names, or `mlir-opt-22`, as Debian and Ubuntu call that of LLVM 22.
"""

from __future__ import annotations

import shutil
import subprocess
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.transforms.mlir_opt import DEFAULT_MLIR_OPT_EXECUTABLE, MLIROptPass
from xdsl.utils.exceptions import DiagnosticException

from loomir.errors import Error

VERSIONED = "mlir-opt-22"
"""Name of the tool in packages of Debian and Ubuntu."""


@dataclass(frozen=True)
class InstalledMlirOptPass(MLIROptPass):
    """Has `mlir-opt` run passes with these `arguments`.

    Error: `pass-failed` if there is no such tool or if it refuses the program.
    """

    name = "mlir-opt"
    EXACT = True

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        names = [self.executable, *([VERSIONED] if self.executable == DEFAULT_MLIR_OPT_EXECUTABLE else [])]
        found = next((name for name in names if shutil.which(name)), None)
        if found is None:
            raise Error(
                "pass-failed",
                f"the pass {self.name} failed: found no {' and no '.join(names)}",
                hint="install it, or name it: mlir-opt{executable=…}, or the environment variable XDSL_MLIR_OPT",
            )
        try:
            MLIROptPass(found, self.generic, self.arguments).apply(ctx, op)
        except DiagnosticException as error:
            refused = error.__cause__
            if not isinstance(refused, subprocess.CalledProcessError):
                raise
            said = (refused.stderr.strip().splitlines() or [f"exit status {refused.returncode}"])[0]
            raise Error("pass-failed", f"the pass {self.name} failed: {found} says: {said}") from error
