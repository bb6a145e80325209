"""Models behind the `Complete` port: clients of providers, the user's callables, and scripted models."""
