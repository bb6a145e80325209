"""What all adapters share: where the engine runs, threads as conversations, content blocks as parts."""
