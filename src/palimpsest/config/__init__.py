"""Configuration from the command line, the environment, the project's file, the user's file and a preset.

`precedence` merges them without I/O, `peers` translates the files of other agents, `files` reads the disk.
"""
