"""Mistakes in the canonicalisation of `scf`, and in the patterns that it shares with `ov`."""

from __future__ import annotations

from tests.differential.mutations.mutation import Mutation, Place

_CANONICAL = ("passes/general/canonicalize_scf_*.mlir",)

_ifs = Place("dialects/control_flow/branches.py", _CANONICAL)
_merged = Place("dialects/control_flow/branches.py", _CANONICAL)
_fors = Place("dialects/control_flow/scf_loops.py", _CANONICAL)
_whiles = Place("dialects/control_flow/scf_loops.py", _CANONICAL)
_handed = Place("dialects/control_flow/values.py", _CANONICAL)
_equal = Place("dialects/control_flow/equal_values.py", _CANONICAL)
_known = Place("dialects/control_flow/conditions.py", _CANONICAL)
_counters = Place(
    "dialects/control_flow/scf_loops.py",
    _CANONICAL,
    ("passes/structured/test_scf_uplift_while_to_for.py",),
)

CONTROL_FLOW: tuple[Mutation, ...] = (
    _known(
        "scf-around-in-the-other-arm",
        "in parts_of(around.cond, region is arms_of(around)[0]):",
        "in parts_of(around.cond, True):",
        "in the second arm the condition holds",
    ),
    _known(
        "scf-opposite-around",
        "return None if known is None else not known",
        "return known",
        "where a condition holds its negation does",
    ),
    _known(
        "scf-parts-of-what-does-not-hold",
        "isinstance(made, _AND if truth else _OR)",
        "isinstance(made, _AND | _OR)",
        "where a conjunction does not hold none of its parts does",
    ),
    _known(
        "scf-unsigned-order-as-signed",
        'possible = "<=>" if "=" in possible else "<>"',
        "pass",
        "what is less as a signed number is less as an unsigned one",
    ),
    _known(
        "scf-bounds-one-too-near",
        "            return low, number - 1\n",
        "            return low, number - 3\n",
        "what is less than 5 is less than 3",
    ),
    _known(
        "scf-interval-of-another-value",
        "    elif fact.lhs is not value:\n        return low, high\n",
        "",
        "what holds of one number holds of another",
    ),
    _counters(
        "scf-counter-without-its-begin",
        "before.mul(before.cast(op.lb), -factor)",
        "before.mul(before.cast(op.lb), 0)",
        "a loop that begins at 1 counts from there",
    ),
    _counters(
        "scf-counter-by-no-multiple",
        "                if added % step:\n                    continue\n",
        "",
        "a counter by 3 in a loop by 2 is one by 2",
    ),
    _counters(
        "scf-ends-without-its-last-part",
        'count = numbers.emit("ceildivui", count, op.step)',
        'count = numbers.emit("divui", count, op.step)',
        "an iteration that is a part of a step is none",
    ),
    _equal(
        "scf-alike-whatever-they-read",
        "key = (self.outlines[op], *map(self.of, op.operands))",
        "key = (self.outlines[op],)",
        "equal operations of other values are equal",
    ),
    _equal(
        "scf-alike-whatever-they-do",
        "elif op.results and not op.regions and is_side_effect_free(op):",
        "elif op.results and not op.regions:",
        "what has effects is equal to its like",
    ),
    _ifs(
        "scf-condition-of-both-arms",
        "zip(arms_of(op), (True, False))",
        "zip(arms_of(op), (True, True))",
        "the condition is true in its second arm",
    ),
    _ifs(
        "scf-true-false-exchanged",
        "value = op.cond if if_true else make_negation",
        "value = op.cond if if_false else make_negation",
        "`if c false else true` is `c`",
    ),
    _ifs(
        "scf-select-of-inside-values",
        "if any(owning_block(value) is arm.block for value, arm in zip((a, b), op.regions)):",
        "if all(owning_block(value) is arm.block for value, arm in zip((a, b), op.regions)):",
        "what an arm computes is selected before it",
    ),
    _ifs(
        "scf-select-exchanged",
        "select = make_select(op, a, b, result)",
        "select = make_select(op, b, a, result)",
        "where the condition holds the second arm's value is selected",
    ),
    _ifs(
        "scf-empty-arm-of-two",
        "if not op.results and op.false_region.blocks and _is_empty(op.false_region):",
        "if not op.results and op.false_region.blocks:",
        "a second arm that does something goes",
    ),
    _merged(
        "scf-merged-not-swapped",
        "sides = [arms_of(op)[::-1] if op in negated else",
        "sides = [arms_of(op) if op in negated else",
        "behind `if c` an `if not c` has its arms as they are",
    ),
    _merged(
        "scf-merged-results",
        "new = dict(zip(kept, merged.results))",
        "new = dict(zip(reversed(kept), merged.results))",
        "the results of both branches change places",
    ),
    _merged(
        "scf-inner-otherwise",
        "if any(k is None or given[k][1] is not value for k, value in zip(numbers, otherwise)):",
        "if any(k is None for k, value in zip(numbers, otherwise)):",
        "where the inner branch is not taken it gives what the outer one does",
    ),
    _merged(
        "scf-inner-arm-does-something",
        "if not all(_is_empty(region) for region in (other, arms_of(inner)[1])):",
        "if not _is_empty(other):",
        "what the inner second arm does is lost",
    ),
    _fors(
        "one-step-apart-by-more",
        "elif (step := constant_integer(op.step)) is not None and distance <= step:",
        "elif constant_integer(op.step) is not None:",
        "bounds two steps apart are one iteration",
    ),
    _fors(
        "one-step-apart-of-none",
        "if distance <= 0:",
        "if distance == 0:",
        "a bound below the begin is one iteration",
    ),
    _fors(
        "one-step-that-wraps",
        "difference(op.ub, op.lb, exact=True)",
        "difference(op.ub, op.lb, exact=False)",
        "a sum that may wrap around is greater than what it is made of",
    ),
    _fors(
        "begin-of-one-of-two-readers",
        "by = added.pop() if len(added) == 1 else None",
        "by = added.pop() if added else None",
        "a loop begins where one reader reads, and another reads elsewhere",
    ),
    _fors(
        "same-of-no-iteration",
        "            if trips:\n",
        "            if trips != 0:\n",
        "what each iteration hands on is the result of a loop that may run none",
    ),
    _whiles(
        "scf-never-again-by-its-second-region",
        "if constant_integer(condition) == 0 and first.target is not None:",
        "if constant_integer(condition) is not None and first.target is not None:",
        "a loop whose condition is true is what its first region computes",
    ),
    _whiles(
        "scf-condition-holds-exchanged",
        "if operands == [asked.rhs, asked.lhs]:\n        predicate = EXCHANGED[predicate]",
        "if operands == [asked.rhs, asked.lhs]:\n        pass",
        "where `a < b` holds `b < a` does",
    ),
    _whiles(
        "scf-arguments-by-place",
        "new.results[arguments.index(value)] for value in given",
        "new.results[given.index(value)] for value in given",
        "results of a loop that hands on in another order stay in their places",
    ),
    _handed(
        "scf-handed-on-by-one-way",
        "found = reached.pop() if len(reached) == 1 else None",
        "found = reached.pop()",
        "what may be one of two values is the one",
    ),
    _equal(
        "scf-equal-by-the-last-way",
        "value.type, *forwarded))",
        "value.type, *forwarded[-1:]))",
        "values that go on alike are equal, whatever they begin with",
    ),
    _equal(
        "scf-equal-by-their-types",
        "first_of.setdefault(self.of(value), value)",
        "first_of.setdefault(value.type, value)",
        "all results, and all arguments, of one type are one",
    ),
    _handed(
        "scf-unused-although-read",
        "            if effects.is_dead_if_unused(op):\n",
        "            if True:\n",
        "what only an operation with an effect reads goes",
    ),
)
