"""Formats whose columns have types already (Parquet, Arrow, NumPy, Excel), read in a process of their own."""
