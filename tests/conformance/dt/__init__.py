"""Conformance cases: their notation, their files, and their runner. See ../README.md."""
