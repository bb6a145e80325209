"""What a value looks like: forms of keys, numbers that check themselves, passwords, and what is no secret anywhere."""
