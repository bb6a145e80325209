"""The version, in a file of its own so that the build and `palimpsest --version` can read it without other imports."""

__version__ = "0.1.0"
