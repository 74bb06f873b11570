"""Benchmarks: ``python -m benchmarks NAME`` from the root of the sources, with handik installed."""
