"""Analyses of a module, computed once and kept while they hold.

An analysis is a function of a module and options, such as `infer`. A pass requests its result from the cache of its run:

```python
inference = analyses_of(ctx).get(infer, module)
```

The result is shared, and describes the module as it was at the request. At the end of a pass everything is dropped that the
pass does not keep, so a pass that does not mention analyses keeps none. A pass that has changed nothing calls `keep_all`; `keep`
declares one analysis true for the changed module. Where passes are verified, kept results are compared with new ones.

The cache belongs to one run of passes (`run_passes`), which gives it to them in a `PassContext`. With any other context
nothing is cached.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass, field, fields
from inspect import BoundArguments, signature
from typing import Any, Concatenate, Generic, ParamSpec, Protocol, Self, TypeVar

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp


class Analysis(Protocol):
    """Result of an analysis."""

    def difference(self, other: Self, module: ModuleOp) -> str | None:
        """Return the first difference from another result for the module, or None."""
        ...


A = TypeVar("A", bound=Analysis)
P = ParamSpec("P")


@dataclass
class _Known(Generic[A]):
    """A request and its result."""

    analysis: Callable[..., A]
    call: BoundArguments
    result: A
    kept: bool = False

    def difference(self, module: ModuleOp) -> str | None:
        return self.result.difference(self.analysis(*self.call.args, **self.call.kwargs), module)


class Analyses:
    """Cache of analyses for one run of passes."""

    def __init__(self) -> None:
        self._known: dict[Hashable, _Known[Any]] = {}

    def get(
        self,
        analysis: Callable[Concatenate[ModuleOp, P], A],
        module: ModuleOp,
        *args: P.args,
        **options: P.kwargs,
    ) -> A:
        """Return `analysis(module, **options)`, computed on first request.

        Errors: those of the analysis.
        """
        call = signature(analysis).bind(module, *args, **options)
        call.apply_defaults()
        key = (analysis, *call.arguments.items())
        if key not in self._known:
            self._known[key] = _Known(analysis, call, analysis(module, *args, **options))
        return self._known[key].result

    def keep(self, analysis: Callable[..., Analysis]) -> None:
        """Keep an analysis that holds for the changed module."""
        for known in self._known.values():
            known.kept |= known.analysis is analysis

    def keep_all(self) -> None:
        """Keep all analyses: the pass has changed nothing."""
        for known in self._known.values():
            known.kept = True

    def invalidate(self) -> None:
        """Drop all analyses: the module has changed."""
        self._known.clear()

    def end_pass(self) -> None:
        """Drop what the pass has not kept."""
        self._known = {key: known for key, known in self._known.items() if known.kept}
        for known in self._known.values():
            known.kept = False

    def difference(self, module: ModuleOp) -> str | None:
        """Return the first difference from newly computed results, or None.

        Errors: those of the analyses.
        """
        return next((found for known in self._known.values() if (found := known.difference(module))), None)


@dataclass
class PassContext(Context):
    """Context of one run of passes, with its analyses."""

    analyses: Analyses = field(default_factory=Analyses)

    @classmethod
    def of(cls, context: Context) -> PassContext:
        """Return a context with the same dialects, and no analyses yet."""
        return cls(**{each.name: getattr(context, each.name) for each in fields(Context)})


def analyses_of(ctx: Context) -> Analyses:
    """Return the analyses of a run of passes, or an empty cache."""
    return ctx.analyses if isinstance(ctx, PassContext) else Analyses()
