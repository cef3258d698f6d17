"""Drawings of programs: loops, memory, graphs, and their form in notebooks."""
