"""Afterturn inside other tools: pytest, Inspect, pydantic-evals. Each module needs its tool, and nothing else does.

It imports nothing, since pytest loads the plugin in every project where Afterturn is installed.
"""
