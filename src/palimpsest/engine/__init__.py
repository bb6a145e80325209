"""The pipeline: every step of the way of one message is called here, once, in order."""
