"""Names that passes outside of the tree build on (docs/plugins.md).

>>> from loomir.passes.api import LoopOp, Remarks, comes_from_outside, walk

These names stay: each is the function or class that loomir's own passes use, documented at its definition. Everything else
may move. The tables in docs/plugins.md say what is here, by subject.
"""

from __future__ import annotations

from loomir.dialects.control_flow.rewriting import take_arm
from loomir.dialects.diagnostics import MissedReason, Remarks, layer_name, located
from loomir.dialects.ov.canonicalization.identities import constant_of
from loomir.dialects.ov.canonicalization.loops import first_trip_comes, static_trips
from loomir.dialects.ov.facts import Dim, Fact
from loomir.dialects.ov.graph_builder import GraphBuilder, RewriteBuilder
from loomir.dialects.ov.operators.constant import ConstantOp
from loomir.dialects.ov.operators.control_flow import IfOp, LoopOp, NextOp, YieldOp
from loomir.dialects.region_flow import (
    captured,
    comes_from_outside,
    counterparts,
    enclosing,
    exclusive,
    owning_operation,
    predecessor_values,
    region_flow,
    successor_values,
    terminator,
)
from loomir.dialects.speculation import speculatable
from loomir.dialects.upstream.effects import is_side_effect_free
from loomir.dialects.upstream.rewriting import rewrite
from loomir.dialects.upstream.walking import walk
from loomir.passes.analysis.analyses import analyses_of
from loomir.passes.analysis.costs import code_size, cost_of
from loomir.passes.analysis.inference import Inference, infer
from loomir.passes.analysis.inference.loops import trip_bounds
from loomir.passes.analysis.machines import Machine, machine_of
from loomir.passes.analysis.value_ranges import IntegerRanges
from loomir.passes.control_flow.guards import can_be_guarded, guard_loop
from loomir.passes.graph.lib.loop_copies import Copies, replace_loop
from loomir.passes.graph.ov_infer import retype

__all__ = [
    "ConstantOp",
    "Copies",
    "Dim",
    "Fact",
    "GraphBuilder",
    "IfOp",
    "Inference",
    "IntegerRanges",
    "LoopOp",
    "Machine",
    "MissedReason",
    "NextOp",
    "Remarks",
    "RewriteBuilder",
    "YieldOp",
    "analyses_of",
    "can_be_guarded",
    "captured",
    "code_size",
    "comes_from_outside",
    "constant_of",
    "cost_of",
    "counterparts",
    "enclosing",
    "exclusive",
    "first_trip_comes",
    "guard_loop",
    "infer",
    "is_side_effect_free",
    "layer_name",
    "located",
    "machine_of",
    "owning_operation",
    "predecessor_values",
    "region_flow",
    "replace_loop",
    "retype",
    "rewrite",
    "speculatable",
    "static_trips",
    "successor_values",
    "take_arm",
    "terminator",
    "trip_bounds",
    "walk",
]
