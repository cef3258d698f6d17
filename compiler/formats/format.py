"""Records of model formats: their recognition, reading and conversion to GRAPH.

A format is a package of `compiler/formats` that holds a record `FORMAT`. The package is all that a format needs: nothing
else names it. Its `__init__.py` imports the reader only when it reads, for the records of all formats are imported to
recognise a file.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from numpy.typing import ArrayLike
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Dialect

PACKAGE = "loomir.compiler.formats"


@dataclass(frozen=True)
class ReadOptions:
    """Options of `load` that concern readers.

    `shapes` and `values` of inputs; `semantics` where a format has two readings; `external_data_root` is a folder for data
    outside the file. `layers` keeps the file's operators whole for the phases of the Model Optimizer.
    """

    shapes: Mapping[str, Sequence[int]] = field(default_factory=dict)
    values: Mapping[str, ArrayLike] = field(default_factory=dict)
    semantics: str = "specification"
    external_data_root: Path | None = None
    layers: bool = False


@dataclass(frozen=True)
class Format:
    """A model format.

    - `suffixes`: endings of its files, with the dot;
    - `read`: file, or object of `reads_object` → module in FRONT, or in GRAPH if the format has no FRONT. Errors: the reader's;
    - `reads_object`: True for an object that `load` accepts instead of a path, also for the `bytes` of a file's contents;
    - `front`: the dialect of its operators in FRONT, and the prefix of its attributes on the module;
    - `dialects`: name → factory of the dialects that only this format needs;
    - `to_graph`: converts a module from FRONT to GRAPH;
    - `finish`: what `load` does with a module of GRAPH, or of a later stage; None is the path of contents in memory.
    """

    name: str
    suffixes: tuple[str, ...]
    read: Callable[[Any, ReadOptions], ModuleOp]
    reads_object: Callable[[object], bool] = lambda model: False
    front: str | None = None
    dialects: Mapping[str, Callable[[], Dialect]] = field(default_factory=dict)
    to_graph: Callable[[ModuleOp, ReadOptions, str | None], None] | None = None
    """The last parameter is the file, for messages."""
    finish: Callable[[ModuleOp, ReadOptions, Path | None], None] | None = None


def set_inputs(module: ModuleOp, options: ReadOptions) -> None:
    """Give the inputs of a GRAPH module the options' shapes and values.

    Errors: those of `set_shapes` and `set_values`.
    """
    from loomir.compiler.feeds.values import set_shapes, set_values

    set_shapes(module, options.shapes)
    set_values(module, options.values)


@cache
def formats() -> tuple[Format, ...]:
    """Return the records in the folders of `compiler/formats`, by name."""
    package = importlib.import_module(PACKAGE)
    folders = [m.name for m in pkgutil.iter_modules(package.__path__) if m.ispkg]
    modules = [importlib.import_module(f"{PACKAGE}.{folder}") for folder in folders]
    return tuple(module.FORMAT for module in modules if hasattr(module, "FORMAT"))


def format_of_suffix(suffix: str) -> Format | None:
    """Return the format of a file's ending, or None.

    The ending has its dot.
    """
    return next((each for each in formats() if suffix in each.suffixes), None)


def dialects_of_formats() -> dict[str, Callable[[], Dialect]]:
    """Return the factories of the formats' own dialects, by name."""
    return {name: factory for each in formats() for name, factory in each.dialects.items()}


@cache
def front_dialects() -> frozenset[str]:
    """Return the dialects of FRONT, those of all formats."""
    return frozenset(each.front for each in formats() if each.front is not None)
