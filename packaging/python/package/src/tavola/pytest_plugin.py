"""Fixtures for pytest. Installing the package is enough; nothing starts before a test asks for it."""
from __future__ import annotations

from typing import Any, Callable, Iterator

import pytest

from tavola import Server, environment


@pytest.fixture(scope="session")
def _tavola_process() -> Iterator[Server]:
    with Server() as server:
        yield server


@pytest.fixture
def tavola_server(_tavola_process: Server) -> Iterator[Server]:
    """A server without tables: one for the whole run, emptied behind each test. AWS's variables point to it meanwhile."""
    with environment(_tavola_process):
        yield _tavola_process
    client = _tavola_process.client()
    for page in client.get_paginator("list_tables").paginate():
        for name in page["TableNames"]:
            try:
                client.delete_table(TableName=name)
            except client.exceptions.ClientError:  # it is protected
                client.update_table(TableName=name, DeletionProtectionEnabled=False)
                client.delete_table(TableName=name)


@pytest.fixture
def tavola_client(tavola_server: Server) -> Any:
    """boto3's client of that server."""
    return tavola_server.client()


@pytest.fixture
def tavola_table(tavola_server: Server) -> Callable[..., Any]:
    """Creates tables: `tavola_table("Music", "Artist", "Song:N")` returns boto3's Table with that partition and sort key."""
    types = {"S", "N", "B"}

    def create(name: str = "test", partition_key: str = "pk", sort_key: str | None = None, **settings: Any) -> Any:
        keys = [key.partition(":") for key in (partition_key, sort_key) if key]
        definitions = [{"AttributeName": key, "AttributeType": kind or "S"} for key, _, kind in keys]
        if not all(definition["AttributeType"] in types for definition in definitions):
            raise ValueError(f"a key is a name, or a name with its type like created:N, not {partition_key}, {sort_key}")
        schema = [{"AttributeName": key, "KeyType": role} for (key, _, _), role in zip(keys, ("HASH", "RANGE"))]
        return tavola_server.resource().create_table(
            **{"TableName": name, "BillingMode": "PAY_PER_REQUEST", "AttributeDefinitions": definitions, "KeySchema": schema, **settings})

    return create
