"""Tests compare engines bit for bit: native code is for any processor, as other engines are, where a test does not say what it is for."""

import os

os.environ.setdefault("LOOMIR_MACHINE", "generic")
