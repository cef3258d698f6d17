"""Modules that any tool can read: every constant in full."""

from __future__ import annotations

from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp

from loomir.dialects.blob import BlobAttr, dense_attr
from loomir.dialects.element_types import element_of, signless
from loomir.dialects.interface import Entry, arguments_of, set_arguments
from loomir.dialects.walking import walk


def with_full_constants(module: ModuleOp) -> ModuleOp:
    """Return a copy of the module without blobs, for other tools.

    Every blob becomes a builtin `dense` attribute, as other tools expect it.
    """
    module = module.clone()
    for op in walk(module):
        for table in (op.properties, op.attributes):
            for key, attr in table.items():
                if isinstance(attr, BlobAttr):
                    table[key] = dense_attr(attr.array)
        if isinstance(op, FuncOp):
            set_arguments(op, [_full(entry) for entry in arguments_of(op)])
    return module


def _full(entry: Entry) -> Entry:
    full = dict(entry.attributes)
    for key, attr in full.items():
        if isinstance(attr, BlobAttr):
            full[key] = dense_attr(attr.array, element=signless(element_of(attr.array.dtype)))
    return Entry(full)
