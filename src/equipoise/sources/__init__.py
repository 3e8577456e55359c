"""Bytes outside to domain objects: the only code that knows a file format."""
