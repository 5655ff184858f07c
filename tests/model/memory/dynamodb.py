"""Tables with conditions, transactions, and indexes that lag."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

from tests.model.memory.expressions import Expression, Item
from tests.model.memory.faults import client_error

Key = tuple[str, str]


@dataclass
class Table:
    """``items`` by partition and sort key; ``indexed`` is what the indexes have heard of them."""

    partition: str
    sort: str
    indexes: dict[str, tuple[str, str]]
    items: dict[Key, Item] = field(default_factory=dict)
    indexed: dict[Key, Item] = field(default_factory=dict)

    def key(self, of: Item) -> Key:
        return of[self.partition]["S"], of[self.sort]["S"]

    def lagging(self) -> list[Key]:
        """What the indexes have yet to hear of."""
        known = {**self.items, **self.indexed}
        return sorted(key for key in known if self.items.get(key) is not self.indexed.get(key))

    def catch_up(self, keys: Iterable[Key]) -> None:
        for key in keys:
            if key in self.items:
                self.indexed[key] = self.items[key]
            else:
                self.indexed.pop(key, None)


class MemoryDynamoDB:
    """Answers the client's operations by their names."""

    def __init__(self) -> None:
        self.tables: dict[str, Table] = {}

    def CreateTable(self, TableName: str, KeySchema: Any, GlobalSecondaryIndexes: Any = (), **_: Any) -> dict[str, Any]:
        partition, sort = (each["AttributeName"] for each in KeySchema)
        indexes = {
            each["IndexName"]: (each["KeySchema"][0]["AttributeName"], each["KeySchema"][-1]["AttributeName"])
            for each in GlobalSecondaryIndexes
        }
        self.tables[TableName] = Table(partition, sort, indexes)
        return {}

    def GetItem(self, TableName: str, Key: Item, ConsistentRead: bool = False, **more: Any) -> dict[str, Any]:
        _only(more, "ProjectionExpression", "ExpressionAttributeNames")
        # Nothing in the product rests on a read that may be old.
        assert ConsistentRead
        table = self.tables[TableName]
        found = table.items.get(table.key(Key))
        return {"Item": json.loads(json.dumps(found))} if found is not None else {}

    def PutItem(self, **asked: Any) -> dict[str, Any]:
        self._each_or_none("PutItem", [("Put", asked)], "ConditionalCheckFailedException")
        return {}

    def DeleteItem(self, **asked: Any) -> dict[str, Any]:
        self._each_or_none("DeleteItem", [("Delete", asked)], "ConditionalCheckFailedException")
        return {}

    def UpdateItem(self, **asked: Any) -> dict[str, Any]:
        self._each_or_none("UpdateItem", [("Update", asked)], "ConditionalCheckFailedException")
        table = self.tables[asked["TableName"]]
        return {"Attributes": table.items[table.key(asked["Key"])]}

    def TransactWriteItems(self, TransactItems: list[dict[str, Any]], **_: Any) -> dict[str, Any]:
        asked = [next(iter(each.items())) for each in TransactItems]
        self._each_or_none("TransactWriteItems", asked, "TransactionCanceledException")
        return {}

    def BatchWriteItem(self, RequestItems: dict[str, list[dict[str, Any]]]) -> dict[str, Any]:
        for name, requests in RequestItems.items():
            for request in requests:
                ((verb, asked),) = request.items()
                self._write(verb.removesuffix("Request"), {"TableName": name, **asked})
        return {"UnprocessedItems": {}}

    def Query(self, **asked: Any) -> dict[str, Any]:
        table = self.tables[asked["TableName"]]
        if index := asked.get("IndexName"):
            items, by = table.indexed, table.indexes[index]
        else:
            items, by = table.items, (table.partition, table.sort)
            assert asked.get("ConsistentRead")
        found = [item for item in items.values() if by[0] in item and _holds(asked, "KeyConditionExpression", item)]
        found.sort(key=lambda item: item[by[1]]["S"], reverse=not asked.get("ScanIndexForward", True))
        return self._page(asked, table, found)

    def Scan(self, **asked: Any) -> dict[str, Any]:
        table = self.tables[asked["TableName"]]
        return self._page(asked, table, [table.items[key] for key in sorted(table.items)])

    def _page(self, asked: dict[str, Any], table: Table, found: list[Item]) -> dict[str, Any]:
        _only(
            asked,
            *("TableName", "IndexName", "ConsistentRead", "KeyConditionExpression", "FilterExpression"),
            *("ProjectionExpression", "ExpressionAttributeNames", "ExpressionAttributeValues"),
            *("ScanIndexForward", "Limit", "ExclusiveStartKey", "Select"),
        )
        start = 0
        if after := asked.get("ExclusiveStartKey"):
            start = [table.key(item) for item in found].index(table.key(after)) + 1
        end = start + asked.get("Limit", len(found) or 1)
        page = [item for item in found[start:end] if _holds(asked, "FilterExpression", item)]
        answer: dict[str, Any] = {"Items": json.loads(json.dumps(page)), "Count": len(page)}
        if end < len(found):
            answer["LastEvaluatedKey"] = {name: found[end - 1][name] for name in (table.partition, table.sort)}
        return answer

    def _each_or_none(self, operation: str, asked: list[tuple[str, dict[str, Any]]], refused: str) -> None:
        held = [self._held(one) for _, one in asked]
        if not all(held):
            error = client_error(operation, 400, refused)
            reasons = ["None" if each else "ConditionalCheckFailed" for each in held]
            error.response["CancellationReasons"] = [{"Code": reason} for reason in reasons]
            raise error
        for verb, one in asked:
            self._write(verb, one)

    def _held(self, asked: dict[str, Any]) -> bool:
        table = self.tables[asked["TableName"]]
        return _holds(asked, "ConditionExpression", table.items.get(table.key(asked.get("Item") or asked["Key"])))

    def _write(self, verb: str, asked: dict[str, Any]) -> None:
        _only(
            asked,
            *("TableName", "Item", "Key", "ConditionExpression", "UpdateExpression", "ReturnValues"),
            *("ExpressionAttributeNames", "ExpressionAttributeValues", "ReturnValuesOnConditionCheckFailure"),
        )
        table = self.tables[asked["TableName"]]
        key = table.key(asked.get("Item") or asked["Key"])
        changes: dict[str, Callable[[], Item | None]] = {
            "Put": lambda: json.loads(json.dumps(asked["Item"])),
            "Delete": lambda: None,
            "Update": lambda: _expression(asked, "UpdateExpression").updated(
                table.items.get(key) or dict(asked["Key"])
            ),
            "ConditionCheck": lambda: table.items.get(key),
        }
        item = changes[verb]()
        if item is None:
            table.items.pop(key, None)
        else:
            table.items[key] = item


def _expression(asked: dict[str, Any], member: str) -> Expression:
    names, values = asked.get("ExpressionAttributeNames", {}), asked.get("ExpressionAttributeValues", {})
    return Expression(asked[member], names, values)


def _holds(asked: dict[str, Any], member: str, item: Item | None) -> bool:
    return member not in asked or _expression(asked, member).holds(item)


def _only(asked: dict[str, Any], *known: str) -> None:
    if unknown := asked.keys() - set(known):
        raise NotImplementedError(f"{sorted(unknown)}")
