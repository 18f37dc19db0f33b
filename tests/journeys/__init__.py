"""First use in six roles: files as people have them, the command line, a number checked apart."""
