"""Adapters for programs that take an estimator of their own kind: one module for each, which needs that program."""
