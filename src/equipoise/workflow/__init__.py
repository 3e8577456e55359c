"""One function per question a user asks; the only layer that joins catalogue and computing."""
