"""Policies know nothing of ``dynamodb:LeadingKeys``: tell them the partition keys that a request names, as IAM is told.

They are those of ``Key``, ``Item`` and ``Keys``, of a query's condition (on an index: the index's own partition key)
and of a batch's items. In a transaction each item is asked about by itself, so it has its own. A request that names
none, such as a scan, has no such key at all.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

from ministack.core import iam_actions as actions
from ministack.core import iam_evaluator as evaluator
from ministack.services import dynamodb

_LEADING_KEYS = "dynamodb:LeadingKeys"
_EQUALS = re.compile(r"(#?[\w.-]+)\s*=\s*(:\w+)|(:\w+)\s*=\s*(#?[\w.-]+)")

Json = Mapping[str, Any]


class _OfOneItem(str):
    """The ARN of a table, as one item of a transaction is asked about."""

    leading_keys: list[str]


def mend() -> None:
    context_of, checks_of, enforce = (
        actions.dynamodb_service_context,
        actions.dynamodb_transaction_checks,
        evaluator.enforce,
    )

    def service_context(body: bytes) -> dict[str, Any]:
        leading = list(_leading_keys(_request(body)))
        return context_of(body) | ({_LEADING_KEYS: leading} if leading else {})

    def transaction_checks(iam_action: str, body: bytes, *more: Any) -> list[tuple[str, str]]:
        checks = checks_of(iam_action, body, *more)
        items = _items_of(_request(body)) if checks else iter(())
        return [(action, _of_one_item(arn, item)) for (action, arn), item in zip(checks, items, strict=True)]

    def enforced(*arguments: Any, resource_arn: str = "*", service_context: Any = None, **more: Any) -> Any:
        if isinstance(resource_arn, _OfOneItem):
            service_context = {**(service_context or {}), _LEADING_KEYS: resource_arn.leading_keys}
        return enforce(*arguments, resource_arn=str(resource_arn), service_context=service_context, **more)

    actions.dynamodb_service_context = service_context
    actions.dynamodb_transaction_checks = transaction_checks
    evaluator.enforce = enforced


def _request(body: bytes) -> Json:
    try:
        request = json.loads(body or b"{}")
    except ValueError:
        return {}
    return request if isinstance(request, dict) else {}


def _leading_keys(request: Json) -> Iterator[str]:
    if isinstance(table := request.get("TableName"), str):
        yield from _of_item(table, request)
        yield from _of_query(table, request)
    requested = request.get("RequestItems")
    for table, wanted in requested.items() if isinstance(requested, dict) else ():
        # Of a batch that reads, and of one that writes.
        for key in wanted.get("Keys", []) if isinstance(wanted, dict) else []:
            yield from _of_item(table, {"Key": key})
        for each in wanted if isinstance(wanted, list) else []:
            for item in each.values():
                yield from _of_item(table, item)


def _items_of(request: Json) -> Iterator[Json]:
    """In the order in which the transaction's items are asked about."""
    for item in request.get("TransactItems", []):
        for member in actions._DYNAMODB_TRANSACT_ITEM_ACTIONS:
            if isinstance(item.get(member), dict) and item[member].get("TableName"):
                yield item[member]


def _of_one_item(arn: str, item: Json) -> _OfOneItem:
    marked = _OfOneItem(arn)
    marked.leading_keys = list(_of_item(item["TableName"], item))
    return marked


def _of_item(table: str, request: Json) -> Iterator[str]:
    for member in ("Key", "Item"):
        if isinstance(named := request.get(member), dict) and (value := named.get(_partition_key(table, None))):
            yield _text(value)


def _of_query(table: str, request: Json) -> Iterator[str]:
    key = _partition_key(table, request.get("IndexName"))
    names, values = request.get("ExpressionAttributeNames", {}), request.get("ExpressionAttributeValues", {})
    for found in _EQUALS.finditer(request.get("KeyConditionExpression", "")):
        name, value = (found[1], found[2]) if found[1] else (found[4], found[3])
        if names.get(name, name) == key and value in values:
            yield _text(values[value])
    for value in request.get("KeyConditions", {}).get(key, {}).get("AttributeValueList", []):
        yield _text(value)


def _partition_key(table: str, index: str | None) -> str | None:
    stored = dynamodb._tables.get(table.rsplit("/", 1)[-1]) or {}
    indexes = [*stored.get("GlobalSecondaryIndexes", []), *stored.get("LocalSecondaryIndexes", [])]
    schemas = (
        [each["KeySchema"] for each in indexes if each["IndexName"] == index]
        if index
        else [stored.get("KeySchema", [])]
    )
    return next((key["AttributeName"] for schema in schemas for key in schema if key["KeyType"] == "HASH"), None)


def _text(value: Any) -> str:
    """As IAM compares it: a string, or a number's digits."""
    return str(next(iter(value.values()), "")) if isinstance(value, dict) else str(value)
