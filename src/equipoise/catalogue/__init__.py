"""Domain objects to Parquet and back: the only code that opens the database."""
