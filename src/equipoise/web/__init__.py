"""The dashboard and the HTTP interface: parse, one workflow call, show."""
