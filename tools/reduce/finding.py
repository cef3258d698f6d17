"""Search for the failing pass of a pipeline, and its reduction.

The reduction is of a check's failing pass: it finds the smallest program on which the pass still fails.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from loomir.compiler.checking.agreement import Difference
from loomir.compiler.checking.feeds import Feed
from loomir.compiler.checking.one_pass import difference_of_pass
from loomir.compiler.checking.reducer import Failure
from loomir.compiler.checking.running import endless
from loomir.compiler.mlir.context import make_context
from loomir.compiler.pipeline import pass_instances
from loomir.tools.reduce.case import Case
from loomir.tools.reduce.driver import Interesting, Limits, reduce
from loomir.tools.reduce.predicates import allowed_iterations, broken_by_pass


@dataclass(frozen=True)
class FailingPass:
    """Pass that fails on `case`, the program just before it.

    `position` counts from 1.
    """

    name: str
    position: int
    difference: Difference
    case: Case
    interesting: Interesting


def find_failing_pass(
    module: ModuleOp, passes: str | Sequence[str | ModulePass], feeds: Sequence[Feed]
) -> FailingPass | None:
    """Return the first failing pass, or None.

    A pass fails if it changes the results of the program, breaks the program or ends with an exception. Inputs that keep a
    loop running are left out. The module is left unchanged. Error: that of a pass which refuses the program.
    """
    context = make_context()
    module = module.clone()
    feeds = [feed for feed, left_out in zip(feeds, endless(module, feeds)) if left_out is None]
    for position, instance in enumerate(pass_instances(passes), 1):
        for feed in feeds:
            found = difference_of_pass(module, instance, context, feed)
            if found is None:
                continue
            runs = not found.kind.startswith(("exception", "invalid"))
            case = Case(module, feed if runs else None)
            interesting = broken_by_pass(instance, context, found, allowed_iterations(case))
            return FailingPass(str(instance.pipeline_pass_spec()), position, found, case, interesting)
        instance.apply(context, module)
    return None


def reduce_failure(failure: Failure, seconds: float) -> tuple[Failure, str]:
    """Reduce a failure of `--check-each-pass`.

    This is the `Reducer` of `compiler/checking`.
    """
    instance, context, found = failure.instance, failure.context, failure.difference
    case = Case(failure.module, failure.feed)
    bound = allowed_iterations(case)
    interesting = broken_by_pass(instance, context, found, bound)
    if not interesting(case):
        # Such as a pass that keeps something in itself from the programs before.
        return failure, "not reduced: the pass alone does not show it again"
    reduced = reduce(case, interesting, limits=Limits(seconds))
    case = reduced.case
    again = difference_of_pass(case.module, instance, context, case.feed, max_iterations=bound, defined=True)
    smaller = replace(failure, module=case.module, feed=case.feed, difference=again or found)
    return smaller, str(reduced)
