"""A pytest plugin that keeps every small OpenVINO model which loads: `COLLECT=folder pytest -p tests.hostile.collecting …`."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path

from xdsl.dialects.builtin import ModuleOp

from loomir.compiler.formats.openvino import reader

FOLDER = Path(os.environ["COLLECT"])
BYTES = 40_000
"""Of the `.xml` and of the `.bin`."""

_load = reader._load


def _collected(path: Path) -> ModuleOp:
    module = _load(path)
    text = path.read_bytes()
    weights = path.with_suffix(".bin")
    data = weights.read_bytes() if weights.exists() else b""
    if max(len(text), len(data)) <= BYTES:
        name = hashlib.sha1(text + data).hexdigest()[:12]
        (FOLDER / f"{name}.xml").write_bytes(text)
        (FOLDER / f"{name}.bin").write_bytes(data)
    return module


reader._load = _collected
