"""How much of everything: the three places the same stack is deployed to.

A construct never asks where it is; it reads one of these numbers.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from aws_cdk import Aws, RemovalPolicy
from aws_cdk import aws_logs as logs

from infra.bundles import LAMBDA, Target, lambda_on_this_machine
from session_datasets.domain.limits import MIB, PROFILED_AT_ONCE_BYTES_MAX
from session_datasets.domain.names import ENDING_VERBS, TABULAR_VERBS, Verb

# Lambda restores a snapshot only of a function whose scratch disk is the smallest there is.
SNAP_START_SCRATCH_MIB = 512


@dataclass(frozen=True)
class Size:
    """What one function may use. Memory also buys processor time: 1,769 MiB is one whole vCPU."""

    memory_mib: int
    timeout_seconds: int
    scratch_mib: int = SNAP_START_SCRATCH_MIB

    @property
    def may_snap_start(self) -> bool:
        return self.scratch_mib <= SNAP_START_SCRATCH_MIB


@dataclass(frozen=True)
class Watch:
    """How closely a stack is watched."""

    calls_somebody: bool  # alarms go to a topic, which people subscribe to
    errors_per_period: int = 1
    queue_minutes: int = 60  # that the oldest profile may wait or be in work, tries included
    throttles_per_period: int = 1
    # Summed over the verbs of nodes. A wrong id now and then is a mistake, and many are a search; a token that has
    # expired is asked with a few times, and forged ones come by the hundred.
    not_found_per_period: int = 50
    turned_away_per_period: int = 100
    missing_files_per_period: int = 1
    claims_per_period: int = 1
    denied_per_period: int = 1
    period_minutes: int = 5
    timeout_fraction: float = 0.8  # of a function's timeout, at the 99th percentile


@dataclass(frozen=True)
class Environment:
    """What every environment answers; the classes below say how they differ."""

    name: str
    target: Target
    # Off only where the function's interpreter has the locked dependencies already.
    carries_dependencies: bool = True
    snap_start: bool = False
    traced: bool = True
    # Data outlives its stack, and neither table nor stack can be deleted in passing.
    keeps_data: bool = False
    # What a deploy supersedes still answers whoever calls it: Lambda's machines take up a moved alias one after
    # the other, and a registration that began before the move may run for minutes.
    keeps_superseded_versions: bool = True
    log_retention: logs.RetentionDays = logs.RetentionDays.TWO_WEEKS
    log_level: str = "INFO"
    unfinished_upload_days: int = 7
    watch: Watch | None = None
    # ARN of who may try the isolation below the doors, when the deploy names nobody; None for nobody.
    operator: str | None = None
    light: Size = Size(memory_mib=512, timeout_seconds=15)
    load: Size = Size(memory_mib=512, timeout_seconds=300)  # copies up to a whole file, server side
    # A call of an end works for ENDING_SECONDS_MAX, and then finishes the page that it is at.
    end: Size = Size(memory_mib=512, timeout_seconds=60)
    read: Size = Size(memory_mib=1769, timeout_seconds=30)
    # Profiles a small file within the call. What does not fit this disk goes to the queue, so it can be the smallest;
    # the time is for a large file of which nobody announced a checksum.
    register: Size = Size(memory_mib=3538, timeout_seconds=900)
    # Profiles a large file, with the longest time and the largest disk that Lambda gives. On the disk lie at once
    # up to three forms of a file of 3 GiB: as it was sent, unpacked or as UTF-8, and with its types decided.
    profile: Size = Size(memory_mib=3538, timeout_seconds=900, scratch_mib=10_240)
    # A batch of a hundred changes is some twenty requests to EventBridge.
    publish: Size = Size(memory_mib=512, timeout_seconds=60)
    # A page of an audit is some five hundred requests, and ten messages may come together.
    audit: Size = Size(memory_mib=512, timeout_seconds=120)
    # Everything is audited once a day, beside what S3 tells at once.
    audits_daily: bool = False
    profiled_at_once_bytes: int = PROFILED_AT_ONCE_BYTES_MAX
    # Of the account's functions that run at a time (1,000 unless AWS was asked for more), those that callers do not
    # wait for.
    profiles_at_a_time: int = 20

    @property
    def removal(self) -> RemovalPolicy:
        """What becomes of the stores and the logs when they leave the stack.

        Where they are kept, a first deploy that failed still takes them back: they are empty, and in the way
        of the next one.
        """
        return RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE if self.keeps_data else RemovalPolicy.DESTROY

    def size_of(self, verb: Verb) -> Size:
        """The size of one verb's function."""
        if verb is Verb.REGISTER_ARTIFACT:
            return self.register
        if verb is Verb.PROFILE_ARTIFACT:
            return self.profile
        if verb is Verb.LOAD_ARTIFACT:
            return self.load
        if verb in ENDING_VERBS:
            return self.end
        if verb is Verb.PUBLISH_EVENTS:
            return self.publish
        if verb is Verb.AUDIT_RECORDS:
            return self.audit
        return self.read if verb in TABULAR_VERBS else self.light


@dataclass(frozen=True)
class Local(Environment):
    """One laptop: an emulator that has the dependencies, nobody to alarm, nothing worth keeping."""

    name: str = "local"
    target: Target = field(default_factory=lambda_on_this_machine)
    carries_dependencies: bool = False
    keeps_superseded_versions: bool = False
    traced: bool = False
    log_retention: logs.RetentionDays = logs.RetentionDays.ONE_DAY
    unfinished_upload_days: int = 1
    # Whoever has the emulator has its account.
    operator: str | None = f"arn:{Aws.PARTITION}:iam::{Aws.ACCOUNT_ID}:root"
    # A file that shows how large ones are profiled is made in a second.
    profiled_at_once_bytes: int = 32 * MIB


@dataclass(frozen=True)
class Sandbox(Environment):
    """A real account for trying things: everything works, and everything may be thrown away."""

    name: str = "sandbox"
    target: Target = LAMBDA
    watch: Watch | None = Watch(calls_somebody=False)


@dataclass(frozen=True)
class Production(Environment):
    """A real account with data in it."""

    name: str = "production"
    target: Target = LAMBDA
    snap_start: bool = True
    keeps_data: bool = True
    audits_daily: bool = True
    log_retention: logs.RetentionDays = logs.RetentionDays.THREE_MONTHS
    watch: Watch | None = Watch(calls_somebody=True)


ENVIRONMENTS: dict[str, type[Environment]] = {"local": Local, "sandbox": Sandbox, "production": Production}


def environment_named(name: str) -> Environment:
    """The environment called ``name``; ``ValueError`` names the ones there are."""
    try:
        environment = ENVIRONMENTS[name]
    except KeyError:
        raise ValueError(f"no environment {name!r}: choose one of {', '.join(ENVIRONMENTS)}") from None
    return environment()  # type: ignore[call-arg]  # every one of them has defaults for all
