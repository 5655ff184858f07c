"""Files as tables: what a file is, how its columns are typed, how its rows are laid out, read and spelled in JSON.

The only room that knows pyarrow. It imports the domain and nothing else of ours. Reading pages needs no numpy; laying
files out, measuring them and reducing series does.
"""
