"""Rewrites of loops and branches that passes of several stages share.

Each is written once, for `ov` and `scf`. The passes that are named for a dialect hold its policy: what may be copied, and what it costs.
"""
