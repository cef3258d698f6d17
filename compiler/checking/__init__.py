"""Checks that passes preserve the results of programs.

Programs in any form are run before and after each pass, and the results are compared.
"""
