"""The dashboard and HTTP API: parse, one workflow call, show."""
