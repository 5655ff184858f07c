"""A stand-in for S3 that counts every request and byte, and takes the time that a network would take."""
