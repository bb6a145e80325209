"""Models behind the `Complete` port: any callable of the user's, and the scripted fake."""
