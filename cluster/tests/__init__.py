"""Tests of the executor, by searches of the real tool on real clusters."""
