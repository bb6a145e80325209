"""Maintenance of a database file: verification, repair, backup, export and import."""
