"""Mistakes in the passes and patterns that simplify, merge and move branches."""

from __future__ import annotations

from tests.differential.mutations.mutation import Mutation, Place

_CANONICAL = ("passes/graph/canonicalize_*.mlir", "passes/graph/xla/branch_*.mlir", "dialects/ov/*.mlir")

_merge = Place("passes/graph/ov_if_merge.py", ("passes/graph/ov_if_merge.mlir",))
_merged = Place("dialects/control_flow/branches.py", ("passes/graph/ov_if_merge.mlir",))
_sink = Place(
    "passes/control_flow/sink.py", ("passes/graph/ov_if_sink.mlir", "passes/structured/scf_if_sink.mlir")
)
_thread = Place("passes/graph/ov_if_thread.py", ("passes/graph/ov_if_thread.mlir",))
_selected = Place("dialects/control_flow/rewriting.py", ("passes/graph/ov_if_to_select.mlir",))
_select = Place("passes/graph/ov_if_to_select.py", ("passes/graph/ov_if_to_select.mlir",))
_choices = Place(
    "passes/analysis/costs.py",
    ("passes/graph/ov_if_to_select.mlir", "passes/structured/scf_if_to_select.mlir"),
)
_ranks = Place("passes/graph/ov_if_resolve_ranks.py", ("passes/graph/ov_if_resolve_ranks.mlir",))
_copies = Place(
    "passes/graph/lib/branches.py",
    ("passes/graph/ov_if_thread.mlir", "passes/graph/ov_if_resolve_ranks.mlir"),
)
_ifs = Place("dialects/control_flow/branches.py", _CANONICAL)
_rewriting = Place("dialects/control_flow/rewriting.py", _CANONICAL)
_around = Place("dialects/control_flow/conditions.py", _CANONICAL)
_duplicates = Place("dialects/control_flow/equal_values.py", _CANONICAL)
_results = Place("dialects/control_flow/values.py", _CANONICAL)
_common = Place(
    "dialects/common_operations.py",
    ("passes/graph/canonicalize_common_operations.mlir", "passes/graph/xla/branch_*.mlir"),
)
_trees = Place("dialects/common_trees.py", ("passes/graph/canonicalize_common_trees.mlir",))
_booleans = Place("dialects/ov/canonicalization/identities.py", ("dialects/ov/canonicalize_booleans.mlir",))
_equality = Place(
    "dialects/common_operations.py",
    ("passes/general/cse.mlir", "passes/graph/canonicalize_common_operations.mlir"),
)
_assumptions = Place(
    "passes/analysis/inference/assumptions.py",
    ("passes/graph/ov_infer.mlir",),
    ("passes/analysis/test_assumptions.py",),
    (
        "branch_nested_implied",
        "branch_nested_refuted",
        "branch_nested_implied_in_the_other_arm",
        "branch_nested_implied_by_equality",
        "branch_nested_part_of_a_conjunction",
        "branch_nested_part_of_a_disjunction",
        "branch_nested_equal_comparison",
    ),
)

BRANCHES: tuple[Mutation, ...] = (
    _merged(
        "merged-results-of-the-wrong-arm",
        "use.operation.operands[use.index] = given[side][result]",
        "use.operation.operands[use.index] = given[1 - side].get(result, given[side][result])",
        "in the second branch the first one's results are those of its other arm",
    ),
    _merge(
        "merged-across-a-dependence",
        "                if value in run.dependent:\n                    return None\n",
        "",
        "what is computed from the first branch, and needed by the second one, moves before the first",
    ),
    _merge(
        "dependence-of-regions-forgotten",
        "for operand in operands_of(op):",
        "for operand in op.operands:",
        "what reads the first branch's result in a region does not depend on it",
    ),
    _merge(
        "needed-by-regions-forgotten",
        "for value in operands_of(waiting.pop()):",
        "for value in waiting.pop().operands:",
        "what is read in the arms of the second branch does not move with it",
    ),
    _merge(
        "member-of-another-run-moved",
        "if owner in self._members:",
        "if False:",
        "a branch that has been joined with others moves away from them",
    ),
    _merged(
        "outputs-of-the-last-branch-alone",
        "results = [result for op in branches for result in op.results]",
        "results = [result for op in branches[1:] for result in op.results]",
        "results of the first branch that are read behind both go",
    ),
    _sink(
        "sunk-although-it-may-fail",
        "if not speculatable(op):",
        "if False:",
        "what may fail moves into an arm: runs that take the other one do not fail any more",
    ),
    _sink(
        "sunk-into-one-of-two-arms",
        "if arm is None or (found is not None and arm is not found):",
        "if arm is None:",
        "what both arms need moves into one",
    ),
    _sink(
        "use-behind-the-branch-ignored",
        "if arm is None or (found is not None and arm is not found):\n                return None",
        "if arm is None:\n                continue\n"
        "            if found is not None and arm is not found:\n                return None",
        "what is needed behind the branch, too, moves into an arm",
    ),
    _sink(
        "sunk-into-a-loop",
        "return inside if isinstance(around, kind) and inside is not block else None",
        "return inside if around is not None and inside is not block else None",
        "what a loop alone needs moves into its body",
    ),
    _thread(
        "threaded-without-what-it-needs",
        "if needed.intersection(op.results):",
        "if needed.intersection(op.results[1:]):",
        "what stands between both branches, and the second needs, stays",
    ),
    _choices(
        "selected-although-an-arm-may-fail",
        "if not is_side_effect_free(o) or not speculatable(o):",
        "if not is_side_effect_free(o):",
        "what may fail in an arm runs where it is not taken",
    ),
    _selected(
        "selected-the-wrong-way-round",
        "operands=[branch.cond, a, b]",
        "operands=[branch.cond, b, a]",
        "where the condition holds the second arm's value is chosen",
    ),
    _select(
        "selected-of-open-shapes",
        "or not t.has_static_shape():",
        "or False:",
        "values of extents that differ are selected element by element",
    ),
    _select(
        "selected-of-other-shapes",
        "if any(v.type != t for v in given):",
        "if False:",
        "the arms' values have other extents than the result",
    ),
    _ranks(
        "ranks-of-one-arm",
        "for end in (branch.then_yield, branch.else_yield):",
        "for end in (branch.then_yield, branch.then_yield):",
        "both arms have the ranks of the first one",
    ),
    _copies(
        "copies-of-one-arm-twice",
        "for region in (branch.then_region, branch.else_region):",
        "for region in (branch.else_region, branch.then_region):",
        "the arms change places",
    ),
    _copies(
        "use-elsewhere-lost",
        "outputs = [v for v in made if any(ancestor_in(u.operation, block) not in inside for u in v.uses)]",
        "outputs = [v for v in made if any(u.operation not in inside for u in v.uses)][-1:]",
        "of what moved into the branch only the last result is given",
    ),
    _copies(
        "dependants-by-operands-alone",
        "if any(v in depends for v in operands_of(op)):",
        "if any(v in depends for v in op.operands):",
        "what reads a result in a region does not depend on the branch",
    ),
    _ifs(
        "known-condition-wrong-arm",
        "take_arm(op, arms_of(op)[0 if condition else 1], rewriter)",
        "take_arm(op, arms_of(op)[1 if condition else 0], rewriter)",
        "of a branch on `true` the second arm is left",
    ),
    _around(
        "condition-around-in-the-other-arm",
        "in parts_of(around.cond, region is arms_of(around)[0]):",
        "in parts_of(around.cond, True):",
        "in the arm where the condition does not hold it is taken to hold",
    ),
    _results(
        "same-in-one-arm",
        "found = reached.pop() if len(reached) == 1 else None",
        "found = reached.pop() if len({v.owner for v in reached if v is not None}) == 1 else None",
        "two results of one operation are the same value",
    ),
    _duplicates(
        "duplicates-in-one-arm",
        "if edge.source in done:\n                    forwarded.append(self.of(value))",
        "if edge.source in done:\n                    forwarded[:] = forwarded or [self.of(value)]",
        "results that are the same in the first arm are the same",
    ),
    _ifs(
        "true-false-exchanged",
        "value = op.cond if if_true else make_negation",
        "value = op.cond if if_false else make_negation",
        "`if c false else true` is `c`",
    ),
    _rewriting(
        "last-of-the-kept-first",
        "[operand for k, operand in enumerate(forwarder.operands) if k not in numbers]",
        "list(forwarder.operands)[: len(forwarder.operands) - len(numbers)]",
        "of the results that are left the first ones are handed on",
    ),
    _common(
        "attributes-not-compared",
        "return operation_fingerprint(a) == operation_fingerprint(b)",
        "return operation_fingerprint(a)[3:] == operation_fingerprint(b)[3:] and a.name == b.name",
        "what both arms end with counts as the same operation although its attributes differ",
    ),
    _common(
        "first-attributes-not-compared",
        "own = known.get((*operation_fingerprint(like), *(same.get(v, v) for v in like.operands)))",
        "of = [same.get(v, v) for v in like.operands]\n"
        "        own = next((o for o in known.values() if o.name == like.name and list(o.operands) == of), None)",
        "what both arms begin with counts as the same operation although its attributes differ",
    ),
    _common(
        "moved-before-what-it-needs",
        "if any(isinstance(o, Operation) and o.parent is then and o not in moved for o in needed):",
        "if False:",
        "an operation moves before the branch although what it reads is made in it",
    ),
    _common(
        "moved-although-something-else-fails-first",
        "if own in first or own not in failing:",
        "if True:",
        "what may fail moves before something else that may: the error is another one",
    ),
    _common(
        "moved-behind-although-something-fails-later",
        "if all(o not in failing or o is stop for o, stop in zip(pair, last))",
        "if True",
        "what may fail moves behind something else that may",
    ),
    _common(
        "last-used-elsewhere",
        "and value.owner.parent is end.parent and value.has_one_use()",
        "and value.owner.parent is end.parent",
        "what moves behind the branch is read in it as well",
    ),
    _common(
        "two-operands-differ",
        "if len(differing) != 1:",
        "if not differing:",
        "operations with two operands of their own count as alike but for one",
    ),
    _common(
        "regions-not-compared",
        "return all(a == b for a, b in forms)",
        "return True",
        "loops of the same operands are the same, whatever is in them",
    ),
    _booleans(
        "or-as-and",
        "elif _is_all(otherwise, False):",
        "elif _is_all(then, False):",
        "`select(c, false, d)` is `c and false`",
    ),
    _booleans(
        "neutral-as-decisive",
        "if kept is other or _is_all(other, neutral) or _is_all(kept, not neutral):",
        "if kept is other or _is_all(other, not neutral) or _is_all(kept, neutral):",
        "`c and false` is `c`",
    ),
    _booleans(
        "one-true-of-many",
        "bool((array == wanted).all())",
        "bool((array == wanted).any())",
        "one element that is true makes a constant true",
    ),
    _equality(
        "attributes-left-out",
        "        frozenset(op.properties.items()),\n",
        "",
        "operations are compared without their properties",
    ),
    _assumptions(
        "order-not-mirrored",
        "return others | (GREATER if orders & LESS else 0) | (LESS if orders & GREATER else 0)",
        "return orders",
        "where `a < b` holds `b < a` does",
    ),
    _assumptions(
        "negation-without-not-a-number",
        "holds_for if holds else ANY_ORDER & ~holds_for",
        "holds_for if holds else ANY_ORDER & ~holds_for & ~UNORDERED",
        "where `a < b` does not hold of floats `a >= b` does: one may be NaN",
    ),
    _assumptions(
        "conjunction-refuted-in-all-parts",
        "if holds == neutral or (known is not None and known.size == 1 and bool(known) == neutral):",
        "if True:",
        "where `a and b` does not hold neither does a",
    ),
    _assumptions(
        "less-by-none",
        "apart = not orders & EQUAL",
        "apart = bool(orders & EQUAL)",
        "`k <= 3` says that k is at most 2, and `k < 3` that it is at most 3",
    ),
    _assumptions(
        "without-at-any-place",
        "return lo + (lo == other_lo), hi - (hi == other_lo)",
        "return lo + (lo <= other_lo), hi - (hi == other_lo)",
        "`k != 3` takes the least number away whatever it is",
    ),
    _assumptions(
        "chosen-of-both",
        "if assumptions.assume(op.cond, holds):",
        "if assumptions.assume(op.cond, not holds):",
        "of what is selected each choice is what it is where the other one is taken",
    ),
    _assumptions(
        "inside-is-outside",
        "return block is not None and self._depths.get(block, self._depth) < self._depth",
        "return block is not None",
        "what is made in the branch, or in a loop that was left, is narrowed as if it stood before it",
    ),
    _trees(
        "tree-of-another-operand",
        "if partners or value is None or not isinstance(value.owner, Operation):",
        "if value is None or not isinstance(value.owner, Operation):",
        "one arm reads another value in one of two places",
    ),
    _trees(
        "tree-of-what-is-yielded",
        "(user := others.get(use.operation)) is None or user.operands[use.index] is not op.results[0]",
        "False",
        "the other arm yields what moves behind it",
    ),
)
