"""Control-flow programs with inputs and truths: models to measure a compiler with.

    python examples/make_corpus.py build/corpus     # model, inputs and expected results of each

The package needs numpy and onnx, not loomir.
"""

from __future__ import annotations

from importlib import import_module
from pathlib import Path

from corpus.program import PROGRAMS, Program

for _module in sorted(path.stem for path in Path(__file__).parent.glob("*.py")):
    import_module(f"corpus.{_module}")

__all__ = ["PROGRAMS", "Program"]
