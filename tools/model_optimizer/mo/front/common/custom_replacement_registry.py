"""The replacements of the configuration files that were read."""

from __future__ import annotations

import logging

from loomir.tools.model_optimizer.mo.scope import known
from loomir.tools.model_optimizer.mo.utils.custom_replacement_config import (
    CustomReplacementDescriptor,
    parse_custom_replacement_config_file,
)

log = logging.getLogger(__name__)


class CustomReplacementRegistry:
    """Registry of custom replacements, shared within a conversion.

    Each object of the class has the same `registry`, which maps an id to a list of descriptions.
    """

    @property
    def registry(self) -> dict[str, list[CustomReplacementDescriptor]]:
        return known().replacements

    def add_custom_replacement_description_from_config(self, file_name: str) -> None:
        """Adds what the file says. Errors: `mo-replacement-file`."""
        for descriptor in parse_custom_replacement_config_file(file_name):
            self.registry.setdefault(descriptor.id, []).append(descriptor)

    def get_custom_replacement_description(
        self, replacement_id: str
    ) -> list[CustomReplacementDescriptor] | None:
        if replacement_id not in self.registry:
            log.warning("no configuration file describes '%s'", replacement_id)
        return self.registry.get(replacement_id)

    def get_all_replacements_descriptions(self) -> list[CustomReplacementDescriptor]:
        return [descriptor for descriptors in self.registry.values() for descriptor in descriptors]
