"""What is said to have happened: held against what ran, what was asked for, and what became of it."""
