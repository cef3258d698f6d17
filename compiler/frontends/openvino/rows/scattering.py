"""Layer types: scattering."""

from __future__ import annotations

from loomir.compiler.frontends.openvino.attributes import Row, read_bool, read_lower

ROWS: dict[str, Row] = {
    "ScatterElementsUpdate": Row(
        "scattering", "ScatterElementsUpdateOp", {"reduction": read_lower, "use_init_val": read_bool},
        versions=(3, 12),
    ),
    "ScatterNDUpdate": Row("scattering", "ScatterNDUpdateOp", {"reduction": read_lower}, versions=(3, 15)),
    "ScatterUpdate": Row("scattering", "ScatterUpdateOp"),
    "SliceScatter": Row("scattering", "SliceScatterOp"),
}  # fmt: skip
