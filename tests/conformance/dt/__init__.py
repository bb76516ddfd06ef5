"""Conformance cases: their notation, the files that hold them, and what runs them. See ../README.md."""
