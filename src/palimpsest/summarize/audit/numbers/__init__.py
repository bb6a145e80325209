"""What numbers in a summary come to, and whether its source has them: amounts, times, days, quantities."""
