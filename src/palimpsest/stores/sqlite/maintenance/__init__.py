"""Looking after a file: examining, repairing, copying, and taking everything out and in again."""
