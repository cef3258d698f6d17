"""Whether attributes are what a pattern asks for."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

import numpy as np


def dict_includes_compare_attrs(attr: Any, attr_probe: Any) -> bool:
    """Whether an attribute is what is asked for: equal to it or, where it is a function, such that the function says so."""
    if callable(attr_probe) and not isinstance(attr_probe, type):
        return bool(attr_probe(attr))
    return bool(np.all(attr == attr_probe))


def dict_includes(
    big: Mapping[str, Any], sub_dict: Mapping[str, Any], skip_attr_names: Collection[str] = ()
) -> bool:
    """Whether `big` has what `sub_dict` asks for (None where it lacks an attribute), but for the names to skip."""
    return all(
        dict_includes_compare_attrs(big.get(name), probe)
        for name, probe in sub_dict.items()
        if name not in skip_attr_names
    )
