"""The front phase: operations of the framework, no data nodes."""
