"""LocalStack without a container: DynamoDB from moto, functions in child processes (see localstack_host)."""

from __future__ import annotations

from collections.abc import Mapping

from infra.local import tools
from infra.local.emulator import HOST, Emulator


class LocalStack(Emulator):
    """The last release line that needs no token; it keeps nothing when it stops."""

    name = "LocalStack"
    version = "4.12.0"
    health_path = "/_localstack/health"

    def command(self) -> list[str]:
        return [str(tools.localstack()), "localstack.runtime.main"]

    def settings(self, port: int) -> Mapping[str, str]:
        address = f"{HOST}:{port}"
        return {
            "GATEWAY_LISTEN": address,
            "LOCALSTACK_HOST": address,
            "FILESYSTEM_ROOT": str(self.state / "files"),
            "EAGER_SERVICE_LOADING": "0",
            # No calls home: neither usage events nor a certificate nor a name server.
            "DISABLE_EVENTS": "1",
            "SKIP_SSL_CERT_DOWNLOAD": "1",
            "DNS_ADDRESS": "0",
            "PROVIDER_OVERRIDE_DYNAMODB": "moto",
            "PROVIDER_OVERRIDE_DYNAMODBSTREAMS": "moto",
            "LAMBDA_RUNTIME_EXECUTOR": "process",
            "LAMBDA_PROCESS_PYTHON": str(tools.functions()),
        }
