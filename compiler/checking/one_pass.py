"""Effect of a single pass on a program.

It is evaluated repeatedly while a failing program is reduced.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from loomir.compiler.checking.agreement import Difference, Outcome, compare
from loomir.compiler.checking.running import (
    OTHER_FILL,
    claims_of,
    crash_of,
    gives_capacity,
    invalid,
    only_defined,
    run_program,
)
from loomir.compiler.checking.stepwise import Stepwise
from loomir.compiler.default_limits import DEFAULT_MAX_ITERATIONS
from loomir.errors import Error


def difference_of_pass(
    module: ModuleOp,
    instance: ModulePass,
    context: Context,
    feed: Mapping[str, Any] | None,
    *,
    max_iterations: int = DEFAULT_MAX_ITERATIONS,
    defined: bool = False,
) -> Difference | None:
    """Return the difference that one pass causes on a module, or None.

    Running the program before and after the pass reveals it. The module is not changed.

    Without a feed the program isn't run. A program that the pass rejects (`loomir.Error`) counts as correct. With
    `defined`, elements that the program never wrote are not compared.
    """
    before: Outcome | None = None
    if feed is not None:
        (before,) = run_program(module, [feed], max_iterations=max_iterations)
        if before.crash is not None:
            return None
    changed, claims = module.clone(), claims_of(instance)
    stepwise = Stepwise(changed) if claims["steps"] else None
    try:
        instance.apply(context, changed)
    except Error:
        return None
    except Exception as error:
        return crash_of(error)
    finally:
        if stepwise is not None:
            stepwise.close()
    found = invalid(changed)
    if found is not None or before is None or feed is None:
        return found
    (after,) = run_program(changed, [feed], max_iterations=max_iterations, bounded=gives_capacity(instance))
    if stepwise is not None and not before.failed and not after.failed:
        before, found = stepwise.run(changed, feed, claims["steps"], max_iterations=max_iterations)
    found = found or compare(before, after, **claims)
    if found is None or found.kind == "steps" or not defined:
        return found
    (other,) = run_program(module, [feed], max_iterations=max_iterations, fill=OTHER_FILL)
    return compare(*only_defined(before, other, after), **claims)
