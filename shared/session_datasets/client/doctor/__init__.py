"""Trying a deployed stack from outside: what must not be possible, is it?"""
