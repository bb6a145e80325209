"""An agent over the engine, and the session files in its workspace."""
