"""Query parsing, ranking and snippets, without a store."""
