"""The version, alone in a file so that the build and `palimpsest --version` read it without loading anything else."""

__version__ = "0.1.0"
