"""lit configuration: FileCheck tests of loomir-opt; `REQUIRES: mlir-opt` where upstream's tool is used."""

import os
import shutil
import sys
from pathlib import Path

import lit.formats

config.name = "loomir"
config.test_format = lit.formats.ShTest()
config.suffixes = [".mlir", ".onnxtxt", ".test"]
config.test_source_root = str(Path(__file__).parent)
config.test_exec_root = str(Path(__file__).parents[2] / "build" / "lit")
bin_folder = str(Path(sys.executable).parent)
config.environment["PATH"] = os.pathsep.join([bin_folder, os.environ["PATH"]])
# Native code that any processor runs, and whose bits are those of the other engines.
config.environment["LOOMIR_MACHINE"] = "generic"
# A copy of the tree (tests/unit/test_examples.py) is tested with the commands of the installed one.
config.environment["PYTHONPATH"] = os.environ.get("LOOMIR_TREE", "")
for tool, feature in (("mlir-opt-22", "mlir-opt"), ("gcc", "gcc"), ("clang", "clang")):
    if shutil.which(tool):
        config.available_features.add(feature)
