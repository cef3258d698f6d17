"""The importer of OpenVINO IR v11 (`.xml` + `.bin`).

`xml` reads the file safely, `weights` maps the `.bin`, `network` turns `<layers>` and `<edges>` into a checked graph,
`attributes` says how each layer type becomes an `ov` operation, `control_flow` imports Loop, TensorIterator and If,
`reader` puts it together.
"""

from loomir.compiler.frontends.openvino.reader import load_openvino

__all__ = ["load_openvino"]
