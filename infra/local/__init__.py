"""The same stack on one laptop: an emulated AWS in a child process, deployed by the plain CDK command line."""
