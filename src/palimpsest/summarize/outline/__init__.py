"""Outlines: summaries without a model, made of the lines of a conversation that are most likely to be needed again."""
