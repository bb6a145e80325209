"""Configuration from several places: the command line, the environment, a project's file, a person's file, a preset.

`layers` merges them and is pure; `peers` reads the files of other agents; `files` alone touches the disk.
"""
