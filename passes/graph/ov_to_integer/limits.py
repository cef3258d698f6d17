"""Limits: clamps, maximum or minimum of a tensor and a number, ReLU."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import TypeAlias

import numpy as np
from xdsl.ir import Operation, SSAValue

from loomir.dialects.element_types import dtype_of
from loomir.dialects.ov.graph_builder import GraphBuilder
from loomir.dialects.ov.operators.elementwise_binary import MaximumOp, MinimumOp
from loomir.dialects.ov.operators.elementwise_unary import ClampOp, ReLUOp
from loomir.dialects.ov.operators.quantisation import FakeQuantizeOp
from loomir.dialects.scalars.constants import type_range
from loomir.passes.analysis.known_arrays import known_array
from loomir.passes.graph.ov_to_integer.forms import NEAR, Form, Forms, Pending, keeps_shape
from loomir.passes.graph.ov_to_integer.scaled import FAR, Numbers, constant_of, rounded

_MOST_LIMITS = 4
"""Maximum number of consecutive limits that are looked through.

Networks have two: ONNX's Max and Min.
"""

Limit: TypeAlias = ClampOp | MaximumOp | MinimumOp


def clamp(forms: Forms, op: ClampOp, build: GraphBuilder) -> Form | None:
    """Limits in steps."""
    return _limited(forms, op, op.operands[0], float(op.min.value.data), float(op.max.value.data), build)


def limit(forms: Forms, op: MaximumOp | MinimumOp, build: GraphBuilder) -> Form | None:
    """The greater or the less one of a tensor and a number."""
    for tensor, number in (op.operands, reversed(op.operands)):
        known = known_array(number)
        if known is None or known.size != 1 or np.isnan(known).any() or not keeps_shape(op, tensor):
            continue
        bound = float(known.reshape(()))
        limits = (bound, np.inf) if isinstance(op, MaximumOp) else (-np.inf, bound)
        return _limited(forms, op, tensor, *limits, build)
    return None


def _limited(
    forms: Forms, op: Limit, value: SSAValue, least: float, most: float, build: GraphBuilder
) -> Form | None:
    form, error = forms.get(value), Fraction(0)
    if isinstance(form, Pending):
        return replace(form, least=max(form.least, least), most=min(form.most, most))
    if form is None or _is_limited_again(op.results[0], least, most):
        return form
    low, high = form.low, form.high
    for bound, is_low in ((least, True), (most, False)):
        if np.isinf(bound):
            continue
        exact = np.asarray(Fraction(bound) / form.scale + form.zero, object)
        steps = rounded(exact)
        away = max(abs(number) for number in (exact - steps).reshape(-1))
        if form.is_exact and away > NEAR:
            return None
        error = max(error, away)
        low, high = (_each_maximum(low, steps), high) if is_low else (low, _each_minimum(high, steps))
    ends = [None if np.isinf(bound) else Fraction(bound) for bound in (least, most)]
    terms = form.terms and form.terms.limited(*ends)
    if (low > high).any():
        return terms and form.changed(error=FAR, terms=terms)
    limited, dtype = form.value, dtype_of(form.element)
    if low.size == high.size == 1 and (low != form.low or high != form.high):
        both = {"min": float(low.reshape(-1)[0]), "max": float(high.reshape(-1)[0])}
        limited = build.make(ClampOp, limited, attributes=both)
    elif low.size > 1 or high.size > 1:
        if (low != form.low).any():
            limited = build.make(MaximumOp, limited, constant_of(build, low, dtype))
        if (high != form.high).any():
            limited = build.make(MinimumOp, limited, constant_of(build, high, dtype))
    return form.changed(value=limited, low=low, high=high, error=form.error + error, terms=terms)


def relu(forms: Forms, op: ReLUOp, build: GraphBuilder) -> Form | None:
    """The maximum with the zero point."""
    x = forms.with_offset(op.operands[0])
    lowest, highest = (0, 0) if x is None else type_range(x.element)
    if x is None or x.zero.min() < lowest or x.zero.max() > highest:
        return None
    zero = constant_of(build, x.zero, dtype_of(x.element))
    low = _each_maximum(x.low, x.zero)
    terms = x.terms and x.terms.limited(Fraction(0), None)
    value = build.make(MaximumOp, x.value, zero)
    return x.changed(value=value, low=low, high=_each_maximum(x.high, x.zero), terms=terms)


def _each_minimum(a: Numbers, b: Numbers) -> Numbers:
    return np.asarray(np.minimum(a, b), object)


def _each_maximum(a: Numbers, b: Numbers) -> Numbers:
    return np.asarray(np.maximum(a, b), object)


def _is_limited_again(value: SSAValue, least: float, most: float) -> bool:
    """Return True if every reader limits the value at least as much.

    Such a reader is a FakeQuantize whose range lies within these limits, possibly behind other limits.
    """
    todo, limits, found = [value], set[Operation](), False
    while todo:
        for use in todo.pop().uses:
            reader = use.operation
            if isinstance(reader, Limit):
                if reader not in limits:
                    limits.add(reader)
                    todo.append(reader.results[0])
                if len(limits) > _MOST_LIMITS:
                    return False
                continue
            if not isinstance(reader, FakeQuantizeOp) or use.index:
                return False
            low, high = (known_array(end) for end in reader.operands[1:3])
            if low is None or high is None or not ((least <= low).all() and (high <= most).all()):
                return False
            found = True
    return found
