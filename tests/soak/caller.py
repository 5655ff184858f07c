"""One caller: a session that registers, lists, pages and loads at random, and knows what each answer must be."""

from __future__ import annotations

import threading
from pathlib import Path
from random import Random

from session_datasets import Workspace
from session_datasets.client.errors import SessionDatasetsError
from tests.soak.ledger import Ledger
from tests.soak.table import COLUMNS, Table

# How often each is done.
_WEIGHTS = {"register": 10, "register again": 10, "list": 15, "list conversation": 7, "page": 45, "load": 20}


class Board:
    """What the sessions of one conversation hand to each other."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._begun: set[str] = set()
        self._tables: dict[str, Table] = {}

    def begin(self, name: str) -> None:
        with self._lock:
            self._begun.add(name)

    def publish(self, artifact_id: str, table: Table) -> None:
        with self._lock:
            self._tables[artifact_id] = table

    def registered(self) -> dict[str, Table]:
        with self._lock:
            return dict(self._tables)

    def may_be_there(self) -> set[str]:
        """Names whose registration has begun, whether or not it has ended."""
        with self._lock:
            return set(self._begun)


class Caller:
    """``random`` alone decides what it does; ``directory`` is its own."""

    def __init__(self, name: str, random: Random, workspace: Workspace, board: Board, ledger: Ledger) -> None:
        self._name = name
        self._random = random
        self._workspace = workspace
        self._board = board
        self._ledger = ledger
        self._own: dict[str, Table] = {}
        self._uncertain: set[str] = set()
        self._made = 0

    def step(self) -> None:
        """One thing, whose failure is written down."""
        actions = list(_WEIGHTS) if self._own else ["register"]
        (action,) = self._random.choices(actions, [_WEIGHTS[each] for each in actions])
        try:
            {
                "register": self._register,
                "register again": self._register_again,
                "list": self._list,
                "list conversation": self._list_conversation,
                "page": self._page,
                "load": self._load,
            }[action]()
        except SessionDatasetsError as error:
            self._ledger.note_given_up(action, error)
        except Exception as error:
            self._ledger.note_given_up(action, error)

    def _register(self) -> None:
        self._made += 1
        table = Table.drawn(self._random, f"{self._name}-{self._made}")
        self._board.begin(table.name)
        self._uncertain.add(table.name)
        answer = self._workspace.register_artifact(self._written(table), name=table.name)
        self._uncertain.discard(table.name)
        self._own[answer.artifact_id] = table
        self._board.publish(answer.artifact_id, table)
        shape = answer.profile.shape if answer.profile else None
        found = (shape.rows, shape.columns) if shape else None
        self._ledger.check("register", found, (len(table.rows), len(COLUMNS)))

    def _register_again(self) -> None:
        artifact_id, table = self._random.choice(sorted(self._own.items(), key=_by_name))
        answer = self._workspace.register_artifact(self._written(table), name=table.name)
        self._ledger.check("register again", (answer.artifact_id, answer.created), (artifact_id, False))

    def _list(self) -> None:
        names = sorted(each.name for each in self._workspace.list_artifacts(scope="session"))
        certain = sorted(name for name in names if name not in self._uncertain)
        self._ledger.check("list", certain, sorted(table.name for table in self._own.values()))

    def _list_conversation(self) -> None:
        there = {table.name for table in self._board.registered().values()}
        listed = [each.name for each in self._workspace.list_artifacts(scope="conversation")]
        own = {table.name for table in self._own.values()}
        # Of the others' newest, an index of DynamoDB may lag; own ones it may not.
        found = (len(listed) == len(set(listed)), own - set(listed), set(listed) - self._board.may_be_there() - there)
        self._ledger.check("list conversation", found, (True, set(), set()))

    def _page(self) -> None:
        artifact_id, table = self._any_table()
        offset, limit = self._random.randint(0, len(table.rows) + 3), self._random.randint(1, 500)
        page = self._workspace.read_rows(artifact_id, offset=offset, limit=limit)
        following = offset + limit if offset + limit < len(table.rows) else None
        expected = (list(COLUMNS), table.page(offset, limit), following)
        found = ([column.name for column in page.columns], [list(row) for row in page.rows or ()], page.next_offset)
        self._ledger.check("page", found, expected)

    def _load(self) -> None:
        artifact_id, table = self._any_table()
        path = self._workspace.load_artifact(artifact_id, f"{artifact_id}.csv", overwrite=True)
        self._ledger.check("load", path.read_bytes(), table.csv())
        path.unlink()

    def _any_table(self) -> tuple[str, Table]:
        return self._random.choice(sorted(self._board.registered().items(), key=_by_name))

    def _written(self, table: Table) -> Path:
        path = self._workspace.directory / f"{table.name}.csv"
        path.write_bytes(table.csv())
        return path


def _by_name(registered: tuple[str, Table]) -> str:
    # Names are the same in every soak of the same seed, identifiers are not.
    return registered[1].name
