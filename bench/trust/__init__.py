"""Commands that try to break what the project promises; each prints its figures, and has a short form in the tests."""
