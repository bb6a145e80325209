"""Whether a reply is a summary of its source at all: its language, its matter, whose orders it follows."""
