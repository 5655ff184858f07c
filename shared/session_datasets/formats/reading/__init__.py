"""What leaves: pages of rows, and the series of a chart."""
