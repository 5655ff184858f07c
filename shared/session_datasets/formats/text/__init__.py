"""What all text formats share: encodings, compression, numbers as written, hints, and blocks put aside."""
