"""The profile: what is measured of every column while its rows pass by."""
