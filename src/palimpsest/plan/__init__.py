"""What to compact: pure functions from a state to a decision."""
