"""A suite as users of the wheel write it."""
import os

import boto3
import pytest
import tavola


@pytest.mark.parametrize("run", [1, 2])
def test_each_test_has_an_empty_database(tavola_server, tavola_table, run):
    assert tavola_server.client().list_tables()["TableNames"] == []
    tavola_table("Music")
    tavola_table("Films")


def test_a_table_has_the_keys(tavola_table):
    songs = tavola_table("Music", "Artist", "Year:N")
    songs.put_item(Item={"Artist": "Nina Simone", "Year": 1965})
    songs.put_item(Item={"Artist": "Nina Simone", "Year": 1958})
    assert [item["Year"] for item in songs.scan()["Items"]] == [1958, 1965]


def test_a_key_of_another_type_is_refused(tavola_table):
    with pytest.raises(ValueError, match="created:N"):
        tavola_table("Music", "Artist:X")


def test_streams_are_there(tavola_server, tavola_table):
    tavola_table(StreamSpecification={"StreamEnabled": True, "StreamViewType": "NEW_IMAGE"})
    assert len(tavola_server.client("dynamodbstreams").list_streams()["Streams"]) == 1


def test_the_client_is_ready(tavola_client):
    assert tavola_client.list_tables()["TableNames"] == []


def test_variables_point_to_the_server(tavola_server):
    assert os.environ["AWS_ENDPOINT_URL_DYNAMODB"] == tavola_server.endpoint
    client = boto3.client("dynamodb", endpoint_url=os.environ["AWS_ENDPOINT_URL_DYNAMODB"])
    assert client.list_tables()["TableNames"] == []


def test_data_stay_in_a_folder(tmp_path):
    for expected in ([], ["Music"]):
        with tavola.Server(data=tmp_path / "data") as server:
            assert server.client().list_tables()["TableNames"] == expected
            if not expected:
                server.client().create_table(TableName="Music", BillingMode="PAY_PER_REQUEST",
                                             AttributeDefinitions=[{"AttributeName": "k", "AttributeType": "S"}],
                                             KeySchema=[{"AttributeName": "k", "KeyType": "HASH"}])


def test_a_server_that_cannot_start_says_why():
    with pytest.raises(RuntimeError, match="--port"):
        tavola.Server(args=["--port", "x"])
