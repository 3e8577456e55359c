"""Tables, figures and templates; no calculation."""
