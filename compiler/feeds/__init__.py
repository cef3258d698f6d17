"""Inputs and outputs of a call.

They are read from `main`, checked, fitted, spread and packed.
"""
