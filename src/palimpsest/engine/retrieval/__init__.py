"""Finding what left the window: by pattern, by question, and without being asked."""
