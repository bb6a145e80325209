"""Report what the engine does: to the log, to OpenTelemetry, to an observer."""
