"""What the engine tells of its work: to the log, to OpenTelemetry, to an observer."""
