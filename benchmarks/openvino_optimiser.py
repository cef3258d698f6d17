"""OpenVINO in a process of its own: what its CPU plugin makes of every `.onnx` of a folder before it runs it, as `.xml` beside it.

The plugin's export holds the model after all its transformations; nothing of it is encoded where the caller brings a codec that does
nothing. What OpenVINO refuses is an empty `.xml`.
"""

from __future__ import annotations

import sys
from pathlib import Path

import openvino as ov

HEAD, END = b'<?xml version="1.0"?>\n<net ', b"</net>"


def optimised(model: bytes) -> bytes:
    """The text of the transformed model."""
    core = ov.Core()
    options = {
        "INFERENCE_PRECISION_HINT": "f32",
        "CACHE_ENCRYPTION_CALLBACKS": [lambda text: text, lambda text: text],
    }
    exported = core.compile_model(core.read_model(model, b""), "CPU", options).export_model()
    blob = exported if isinstance(exported, bytes) else exported.read()
    return blob[blob.index(HEAD) : blob.rindex(END) + len(END)]


def main(folder: Path) -> None:
    for path in sorted(folder.glob("*.onnx")):
        try:
            text = optimised(path.read_bytes())
        except RuntimeError:
            text = b""
        path.with_suffix(".xml").write_bytes(text)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
