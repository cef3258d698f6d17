"""Element types by name, where extensions import them from."""

from __future__ import annotations

from loomir.tools.model_optimizer.mo.utils.data_types import (
    SUPPORTED_DATA_TYPES,
    data_type_str_to_destination_type,
    data_type_str_to_np,
    data_type_str_to_precision,
    destination_type_to_np_data_type,
    np_data_type_to_destination_type,
    np_data_type_to_precision,
    packed_I4,
    packed_U1,
    packed_U4,
    precision_to_destination_type,
)

__all__ = [
    "SUPPORTED_DATA_TYPES",
    "data_type_str_to_destination_type",
    "data_type_str_to_np",
    "data_type_str_to_precision",
    "destination_type_to_np_data_type",
    "np_data_type_to_destination_type",
    "np_data_type_to_precision",
    "packed_I4",
    "packed_U1",
    "packed_U4",
    "precision_to_destination_type",
]
