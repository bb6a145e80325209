"""Summaries: written by a model, or made without one as outlines. Pure generators, driven by the engine."""
