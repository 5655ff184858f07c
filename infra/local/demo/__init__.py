"""The product's main job on one laptop: a file handed from one node to another by reference, before your eyes."""
