"""Frames as files and back: pandas and polars through Arrow tables, those as Parquet or, where it would lose, Arrow."""
