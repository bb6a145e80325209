"""What a request costs and when a compaction pays: prices of models, prompt caches, and the economic rules."""
