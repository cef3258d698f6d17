"""IREE: `import_onnx`, then code for this processor, run by the synchronous local driver."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from collections.abc import Mapping
from importlib.metadata import version
from pathlib import Path

import iree.compiler.tools as compiler
import iree.runtime as runtime
import numpy as np
import onnx

from engines.protocol import Prepared, Refused, serve

OPSET = "17"
"""The lowest version that `import_onnx` converts a model to, as IREE's documentation suggests."""


def prepare(model: Path, feed: Mapping[str, np.ndarray]) -> Prepared:
    """Inputs are on the device before a run; its results are as well."""
    # The binary of the feed before is still mapped: each feed has files of its own.
    folder = Path(tempfile.mkdtemp(dir=model.parent))
    text, binary = folder / "model.mlir", folder / "model.vmfb"
    importer = [sys.executable, "-m", "iree.compiler.tools.import_onnx", str(model), "-o", str(text)]
    imported = subprocess.run(
        [*importer, "--opset-version", OPSET], capture_output=True, text=True, check=False
    )
    if imported.returncode:
        raise Refused(imported.stderr.strip().splitlines()[-1])
    compiler.compile_file(
        str(text),
        output_file=str(binary),
        target_backends=["llvm-cpu"],
        extra_args=["--iree-llvmcpu-target-cpu=host"],
    )
    config = runtime.Config("local-sync")
    module = runtime.load_vm_module(
        runtime.VmModule.mmap(config.vm_instance, str(binary)),  # pyright: ignore[reportAttributeAccessIssue]
        config,
    )
    graph = onnx.load(model).graph
    constant = {tensor.name for tensor in graph.initializer}
    names = [port.name for port in graph.input if port.name not in constant]
    given = [runtime.asdevicearray(config.device, np.ascontiguousarray(feed[name])) for name in names]
    function = module[graph.name]

    def collect(results: object) -> dict[str, np.ndarray]:
        found = results if isinstance(results, tuple | list) else [results]
        return {
            port.name: each.to_host() if hasattr(each, "to_host") else np.asarray(each)
            for port, each in zip(graph.output, found)
        }

    return Prepared(lambda: function(*given), collect)


if __name__ == "__main__":
    serve(f"IREE {version('iree-base-compiler')}", prepare)
