"""The bucket that holds every workspace, and what the service derives from the files in them."""

from __future__ import annotations

from aws_cdk import Duration
from aws_cdk import aws_s3 as s3
from constructs import Construct

from infra.environments import Environment
from infra.nag import acknowledge


class WorkspacesBucket(s3.Bucket):
    """Versioned, encrypted, private, reachable over TLS only; its events go to EventBridge."""

    def __init__(self, scope: Construct, construct_id: str, *, environment: Environment) -> None:
        super().__init__(
            scope,
            construct_id,
            versioned=True,
            block_public_access=s3.BlockPublicAccess.BLOCK_ALL,
            object_ownership=s3.ObjectOwnership.BUCKET_OWNER_ENFORCED,
            encryption=s3.BucketEncryption.S3_MANAGED,
            enforce_ssl=True,
            minimum_tls_version=1.2,
            lifecycle_rules=[_forget_unfinished_uploads(environment.unfinished_upload_days)],
            removal_policy=environment.removal,
        )
        self._send_events_to_event_bridge()
        acknowledge(
            self,
            "AwsSolutions-S1",
            "Access to files is audited by the functions' logs, which know the caller; an account that must "
            "audit objects as well turns on CloudTrail data events, of which access logs are a late copy.",
        )

    def _send_events_to_event_bridge(self) -> None:
        # The library's own switch adds a function to the stack that sets the bucket's configuration and owns
        # everything under it; CloudFormation has had the property itself for years.
        bucket = self.node.default_child
        assert isinstance(bucket, s3.CfnBucket)
        bucket.add_property_override("NotificationConfiguration.EventBridgeConfiguration.EventBridgeEnabled", True)


def _forget_unfinished_uploads(days: int) -> s3.LifecycleRule:
    return s3.LifecycleRule(id="forget-unfinished-uploads", abort_incomplete_multipart_upload_after=Duration.days(days))
