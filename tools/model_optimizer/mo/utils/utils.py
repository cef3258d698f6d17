"""Small functions that extensions import from `utils.utils`."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from functools import wraps
from itertools import pairwise
from typing import Any

import numpy as np

from loomir.tools.model_optimizer.mo.front.common.partial_infer.utils import dynamic_dimension
from loomir.tools.model_optimizer.mo.ops.attributes import joined


def refer_to_faq_msg(question_num: int) -> str:
    """Return a message suffix that refers to the Model Optimizer's FAQ.

    It names the question of the FAQ about the message.
    """
    return f" (question {question_num} of the Model Optimizer's FAQ)"


def check_values_equal(val1: Any, val2: Any) -> Any:
    """Return True if two values are equal; each may be None."""
    if val1 is None or val2 is None:
        return val1 is None and val2 is None
    return val1 == val2


class NamedAttrsClass:
    """An object with these fields."""

    def __init__(self, class_attrs: dict[str, Any]) -> None:
        vars(self).update(class_attrs)


def match_shapes(pattern: np.ndarray, shape: np.ndarray) -> bool:
    """Return True if `shape` matches `pattern`.

    Zeros and unknown dimensions of the pattern match any extent.
    """
    if pattern.size != shape.size:
        return False
    asked = [
        i for i, dimension in enumerate(pattern) if dimension is not dynamic_dimension and dimension != 0
    ]
    return bool(np.ma.allequal(pattern[asked], shape[asked]))


def symm_match_shapes(shape1: np.ndarray, shape2: np.ndarray) -> bool:
    """Return True if one of the shapes matches the other as pattern."""
    return match_shapes(shape1, shape2) or match_shapes(shape2, shape1)


def deprecated_api(
    class_name: Any = None, new_method_name: str | None = None
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """A decorator: calls warn, and name what to use."""

    def deprecated(function: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(function)
        def warning(*arguments: Any, **options: Any) -> Any:
            owner = getattr(class_name, "__name__", class_name)
            better = f": use {owner}.{new_method_name or function.__name__}" if owner else ""
            warnings.warn(f"{function.__name__} is deprecated{better}", DeprecationWarning, stacklevel=2)
            return function(*arguments, **options)

        return warning

    return deprecated


array_to_str = joined


def shrink_str_value(value: Any, max_symbols: int = 100) -> str:
    """`value` as text of at most that many characters."""
    text = str(value)
    return text if len(text) <= max_symbols else text.strip("\n")[: max_symbols - 3] + "..."


def group_by_with_binary_predicate(
    xs: Sequence[Any], predicate: Callable[[Any, Any], bool]
) -> list[list[Any]]:
    """Split `xs` into groups of consecutive elements.

    A new group begins where `predicate` of an element and the next is false.
    """
    groups: list[list[Any]] = [[xs[0]]] if xs else []
    for before, after in pairwise(xs):
        if predicate(before, after):
            groups[-1].append(after)
        else:
            groups.append([after])
    return groups


def unique_by(xs: Sequence[Any], predicate: Callable[[Any, Any], bool]) -> list[Any]:
    """The first of each of those groups."""
    return [group[0] for group in group_by_with_binary_predicate(xs, predicate)]
