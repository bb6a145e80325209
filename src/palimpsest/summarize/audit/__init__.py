"""Holding a model's summary against its source, and putting right what differs."""
