"""Comparison of attributes with the requirements of a pattern."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

import numpy as np


def dict_includes_compare_attrs(attr: Any, attr_probe: Any) -> bool:
    """Return True if an attribute satisfies a requirement.

    The attribute must equal the requirement or, if that is a function, the function must return True for the attribute.
    """
    if callable(attr_probe) and not isinstance(attr_probe, type):
        return bool(attr_probe(attr))
    return bool(np.all(attr == attr_probe))


def dict_includes(
    big: Mapping[str, Any], sub_dict: Mapping[str, Any], skip_attr_names: Collection[str] = ()
) -> bool:
    """Return True if `big` satisfies the requirements of `sub_dict`.

    An attribute that `big` lacks counts as None. The names to skip are not compared.
    """
    return all(
        dict_includes_compare_attrs(big.get(name), probe)
        for name, probe in sub_dict.items()
        if name not in skip_attr_names
    )
