"""S3 and DynamoDB: the only boto3 on the server, the only place that builds keys."""
