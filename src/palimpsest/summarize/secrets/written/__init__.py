"""Secrets that stand in what machines read and print: files of settings, code, commands, tables and logs."""
