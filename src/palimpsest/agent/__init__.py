"""An agent over the engine: what runs it, and the files it leaves in its workspace."""
