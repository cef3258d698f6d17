"""Replacements that `replacements.json` describes.

The nodes of a scope that normalise are replaced by the one operator that they are.
"""

from xdsl.ir import SSAValue

from loomir.tools.model_optimizer.convert.replacements import Match
from loomir_acme.package import extension


@extension.replacement("AcmeNormalise", run_before=("AcmeScaledAdd",))
def normalise(match: Match) -> SSAValue:
    (x,) = match.inputs
    axes = match.custom_attributes["axes"]
    return match.build.node(
        "MeanVarianceNormalization", x, attributes={"axes": axes}, label=f"{match.id}/mvn"
    )
