"""The word index: its content, and the answers to patterns and questions."""
