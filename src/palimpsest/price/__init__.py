"""What a request costs, and when a compaction pays for itself: prices, prompt caches, rules and their replay."""
