"""What LocalStack needs on a machine without Docker and Java. Runs inside LocalStack's own interpreter."""
