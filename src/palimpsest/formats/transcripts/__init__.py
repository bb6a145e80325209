"""Transcripts of coding agents as messages: a file for each format, and a registry."""

from palimpsest.formats.transcripts.reader_base import Marker, Reading, Skipped, Source, Transcript
from palimpsest.formats.transcripts.registry import FORMATS, Format, detect, read

__all__ = ["FORMATS", "Format", "Marker", "Reading", "Skipped", "Source", "Transcript", "detect", "read"]
