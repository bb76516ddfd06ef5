#!/usr/bin/env python3
"""Resource policies through boto3: stored and returned, and evaluated if credentials are verified. Debian 12's botocore
is older than they are, and gets them added (know_policies).

    tests/clients/boto3_policies_test.py PATH/TO/tavola [TEST ...]
"""
import json
import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest

import boto3
import botocore.config
import botocore.exceptions
import botocore.session

import harness

ONCE = botocore.config.Config(retries={"mode": "legacy", "max_attempts": 0}, read_timeout=30)
SECRETS = {"AKIDADMIN": "secretOfAll", "AKIDANNA": "secretOfAnna", "AKIDREADER": "secretOfReader"}
CREDENTIALS = """AKIDADMIN   secretOfAll
AKIDANNA    secretOfAnna    tables=nothing
AKIDREADER  secretOfReader  read-only
"""
ACCOUNT = "arn:aws:iam::000000000000"
AWS = [found for path in ("/usr/bin", os.environ["PATH"]) if (found := shutil.which("aws", path=path))]
SERVER = None
SESSION = None


def know_policies(folder):
    """boto3 with the operations on policies, as newer versions of its model of DynamoDB have them."""
    session = botocore.session.get_session()
    model = session.get_component("data_loader").load_service_model("dynamodb", "service-2")
    if "PutResourcePolicy" not in model["operations"]:
        text = {"type": "string"}
        members = {"PutResourcePolicy": ["ResourceArn", "Policy", "ExpectedRevisionId", "ConfirmRemoveSelfResourceAccess"],
                   "GetResourcePolicy": ["ResourceArn"], "DeleteResourcePolicy": ["ResourceArn", "ExpectedRevisionId"]}
        answers = {"PutResourcePolicy": ["RevisionId"], "GetResourcePolicy": ["Policy", "RevisionId"],
                   "DeleteResourcePolicy": ["RevisionId"]}
        shapes = model["shapes"]
        shapes["PolicyText"] = text
        shapes["PolicyConfirmation"] = {"type": "boolean"}
        shapes["PolicyNotFoundException"] = {"type": "structure", "members": {"message": {"shape": "PolicyText"}}, "exception": True}
        for name, given in members.items():
            for shape, names in ((name + "Input", given), (name + "Output", answers[name])):
                shapes[shape] = {"type": "structure", "members": {
                    one: {"shape": "PolicyConfirmation" if one.startswith("Confirm") else "PolicyText"} for one in names}}
            model["operations"][name] = {"name": name, "http": {"method": "POST", "requestUri": "/"},
                                         "input": {"shape": name + "Input"}, "output": {"shape": name + "Output"},
                                         "errors": [{"shape": "PolicyNotFoundException"}, {"shape": "ResourceNotFoundException"}]}
        shapes["CreateTableInput"]["members"]["ResourcePolicy"] = {"shape": "PolicyText"}
        shapes["CreateTableInput"]["members"]["DeletionProtectionEnabled"] = {"shape": "PolicyConfirmation"}
        for name in ("PutItemInput", "UpdateItemInput", "DeleteItemInput", "ExecuteStatementInput", "BatchStatementRequest",
                     "ParameterizedStatement"):
            shapes[name]["members"].setdefault("ReturnValuesOnConditionCheckFailure", {"shape": "PolicyText"})
        path = folder / "dynamodb" / model["metadata"]["apiVersion"]
        path.mkdir(parents=True)
        (path / "service-2.json").write_text(json.dumps(model))
        session = botocore.session.get_session()
        session.set_config_variable("data_path", str(folder))
    return boto3.session.Session(botocore_session=session)


def setUpModule():
    global SERVER, SESSION
    print(f"boto3 {boto3.__version__}", flush=True)
    folder = pathlib.Path(unittest.enterModuleContext(tempfile.TemporaryDirectory()))
    SESSION = know_policies(folder / "models")
    keys = folder / "credentials"
    keys.touch(mode=0o600)
    keys.write_text(CREDENTIALS)
    SERVER = unittest.enterModuleContext(harness.Server(harness.PROGRAM, "--in-memory", "--credentials", keys))


def client(key="AKIDADMIN", service="dynamodb", server=None):
    return SESSION.client(service, endpoint_url=(server or SERVER).url, config=ONCE, aws_access_key_id=key,
                        aws_secret_access_key=SECRETS[key])


def statement(effect, action, who="*", **more):
    return {"Effect": effect, "Principal": who, "Action": action, "Resource": "*", **more}


def user(name):
    return {"AWS": f"{ACCOUNT}:user/{name}"}


def policy(*statements):
    return json.dumps({"Version": "2012-10-17", "Statement": statements})


class PolicyTest(unittest.TestCase):
    def setUp(self):
        self.admin = client()
        table = self.admin.create_table(
            TableName="songs", BillingMode="PAY_PER_REQUEST",
            AttributeDefinitions=[{"AttributeName": name, "AttributeType": "S"} for name in ("pk", "sk", "tag")],
            KeySchema=[{"AttributeName": "pk", "KeyType": "HASH"}, {"AttributeName": "sk", "KeyType": "RANGE"}],
            GlobalSecondaryIndexes=[{"IndexName": "byTag", "KeySchema": [{"AttributeName": "tag", "KeyType": "HASH"}],
                                     "Projection": {"ProjectionType": "ALL"}}],
            StreamSpecification={"StreamEnabled": True, "StreamViewType": "KEYS_ONLY"})["TableDescription"]
        self.arn, self.stream = table["TableArn"], table["LatestStreamArn"]
        for pk in ("AKIDANNA", "other"):
            self.admin.put_item(TableName="songs", Item=item(pk))

    def tearDown(self):
        self.admin.delete_table(TableName="songs")

    def put(self, *statements, arn=None, **more):
        return self.admin.put_resource_policy(ResourceArn=arn or self.arn, Policy=policy(*statements), **more)["RevisionId"]

    def refused(self, call, **request):
        with self.assertRaises(botocore.exceptions.ClientError) as caught:
            call(**request)
        self.assertEqual(caught.exception.response["Error"]["Code"], "AccessDeniedException")
        return caught.exception.response["Error"]["Message"]


def item(pk):
    return {"pk": {"S": pk}, "sk": {"S": "1"}, "tag": {"S": "t"}, "secret": {"S": "s"}}


def key(pk):
    return {"pk": {"S": pk}, "sk": {"S": "1"}}


class Kept(PolicyTest):
    def test_put_get_delete(self):
        with self.assertRaises(self.admin.exceptions.PolicyNotFoundException):
            self.admin.get_resource_policy(ResourceArn=self.arn)
        first = self.put(statement("Deny", ["dynamodb:Scan"]))
        self.assertEqual(self.put(statement("Deny", "dynamodb:Scan")), first)
        got = self.admin.get_resource_policy(ResourceArn=self.arn)
        self.assertEqual(got["RevisionId"], first)
        self.assertEqual(json.loads(got["Policy"])["Statement"], [statement("Deny", "dynamodb:Scan")])
        second = self.put(statement("Deny", "dynamodb:Query"), ExpectedRevisionId=first)
        self.assertGreater(second, first)
        with self.assertRaises(self.admin.exceptions.PolicyNotFoundException):
            self.put(statement("Deny", "dynamodb:Scan"), ExpectedRevisionId=first)
        with self.assertRaises(self.admin.exceptions.PolicyNotFoundException):
            self.put(statement("Deny", "dynamodb:Scan"), ExpectedRevisionId="NO_POLICY")
        self.assertEqual(self.admin.delete_resource_policy(ResourceArn=self.arn)["RevisionId"], second)
        self.assertNotIn("RevisionId", self.admin.delete_resource_policy(ResourceArn=self.arn))

    def test_without_credentials_they_are_kept_and_not_evaluated(self):
        with harness.Server(harness.PROGRAM, "--in-memory") as server:
            anybody = client(server=server)
            arn = anybody.create_table(
                TableName="songs", BillingMode="PAY_PER_REQUEST",
                AttributeDefinitions=[{"AttributeName": "pk", "AttributeType": "S"}],
                KeySchema=[{"AttributeName": "pk", "KeyType": "HASH"}],
                ResourcePolicy=policy(statement("Deny", "dynamodb:*")))["TableDescription"]["TableArn"]
            self.assertEqual(anybody.scan(TableName="songs")["Count"], 0)
            self.assertIn("Deny", anybody.get_resource_policy(ResourceArn=arn)["Policy"])

    def test_across_a_restart(self):
        with tempfile.TemporaryDirectory() as folder:
            keys = pathlib.Path(folder, "credentials")
            keys.touch(mode=0o600)
            keys.write_text(CREDENTIALS)
            data = pathlib.Path(folder, "data")
            with harness.Server(harness.PROGRAM, "--data", data) as server:  # no policy is evaluated
                client(server=server).create_table(
                    TableName="songs", BillingMode="PAY_PER_REQUEST",
                    AttributeDefinitions=[{"AttributeName": "pk", "AttributeType": "S"}],
                    KeySchema=[{"AttributeName": "pk", "KeyType": "HASH"}],
                    ResourcePolicy=policy(statement("Deny", "dynamodb:Scan"), statement("Allow", "dynamodb:GetItem", user("AKIDANNA"))))
            with harness.Server(harness.PROGRAM, "--data", data, "--credentials", keys) as server:
                self.refused(client(server=server).scan, TableName="songs")
                client("AKIDANNA", server=server).get_item(TableName="songs", Key={"pk": {"S": "a"}})


class Evaluated(PolicyTest):
    def test_an_allow_gives_more(self):
        anna = client("AKIDANNA")
        self.assertEqual(self.refused(anna.get_item, TableName="songs", Key=key("other")),
                         f"User: {ACCOUNT}:user/AKIDANNA is not authorized to perform: dynamodb:GetItem on resource: {self.arn}")
        self.put(statement("Allow", ["dynamodb:GetItem", "dynamodb:Query"], user("AKIDANNA")),
                 statement("Allow", "dynamodb:PutItem", user("AKIDREADER")))
        self.assertIn("Item", anna.get_item(TableName="songs", Key=key("other")))
        self.assertIn("Item", anna.get_item(TableName=self.arn, Key=key("other")))
        self.assertIn("because no resource-based policy allows the dynamodb:PutItem action",
                      self.refused(anna.put_item, TableName="songs", Item=item("x")))
        client("AKIDREADER").put_item(TableName="songs", Item=item("x"))
        self.refused(client("AKIDREADER").delete_item, TableName="songs", Key=key("x"))
        self.admin.delete_resource_policy(ResourceArn=self.arn)
        self.refused(anna.get_item, TableName="songs", Key=key("other"))

    def test_a_deny_is_for_everybody(self):
        self.put(statement("Deny", ["dynamodb:Scan", "dynamodb:Batch*"]))
        for caller in (self.admin, client("AKIDREADER")):
            self.assertIn("with an explicit deny in a resource-based policy", self.refused(caller.scan, TableName="songs"))
            self.refused(caller.batch_get_item, RequestItems={"songs": {"Keys": [key("x")]}})
        self.assertEqual(self.admin.describe_table(TableName="songs")["Table"]["TableName"], "songs")

    def test_ones_own_items(self):
        self.put(statement("Allow", "dynamodb:*", user("AKIDANNA"),
                           Condition={"ForAllValues:StringEquals": {"dynamodb:LeadingKeys": ["${aws:username}"]},
                                      "Null": {"dynamodb:LeadingKeys": "false"}}))
        anna = client("AKIDANNA")
        self.assertIn("Item", anna.get_item(TableName="songs", Key=key("AKIDANNA")))
        self.refused(anna.get_item, TableName="songs", Key=key("other"))
        found = anna.query(TableName="songs", KeyConditionExpression="pk = :p", ExpressionAttributeValues={":p": {"S": "AKIDANNA"}})
        self.assertEqual(found["Count"], 1)
        self.refused(anna.query, TableName="songs", KeyConditionExpression="pk = :p", ExpressionAttributeValues={":p": {"S": "other"}})
        self.refused(anna.scan, TableName="songs")
        self.refused(anna.transact_write_items, TransactItems=[{"Put": {"TableName": "songs", "Item": item("AKIDANNA")}},
                                                               {"Delete": {"TableName": "songs", "Key": key("other")}}])

    def test_attributes(self):
        self.put(statement("Allow", "dynamodb:GetItem", user("AKIDANNA"),
                           Condition={"ForAllValues:StringEquals": {"dynamodb:Attributes": ["pk", "sk", "tag"]},
                                      "StringEquals": {"dynamodb:Select": "SPECIFIC_ATTRIBUTES"}}))
        anna = client("AKIDANNA")
        self.assertEqual(anna.get_item(TableName="songs", Key=key("other"), ProjectionExpression="tag")["Item"], {"tag": {"S": "t"}})
        self.refused(anna.get_item, TableName="songs", Key=key("other"), ProjectionExpression="tag, secret")
        self.refused(anna.get_item, TableName="songs", Key=key("other"))

    def test_what_a_write_returns(self):
        """A policy on dynamodb:ReturnValues applies to values returned on success, and to those of a failed
        condition."""
        writes = ["dynamodb:UpdateItem", "dynamodb:PutItem", "dynamodb:PartiQLUpdate"]
        condition = {"StringEquals": {"dynamodb:ReturnValues": ["NONE", "UPDATED_NEW"]}}
        self.put(statement("Allow", writes, user("AKIDANNA"), Condition=condition),
                 statement("Deny", writes, user("AKIDREADER"), Condition={"StringEquals": {"dynamodb:ReturnValues": "ALL_OLD"}}),
                 statement("Allow", writes, user("AKIDREADER")),
                 statement("Deny", writes, user("AKIDADMIN"), Condition={"StringEquals": {"dynamodb:ReturnValues": "UPDATED_NEW"}}))
        fails = {"ConditionExpression": "tag = :none", "ReturnValuesOnConditionCheckFailure": "ALL_OLD"}
        update = {"TableName": "songs", "Key": key("other"), "UpdateExpression": "SET plays = :none",
                  "ExpressionAttributeValues": {":none": {"S": "none"}}}
        returning = "UPDATE songs SET plays = 1 WHERE pk = 'other' AND sk = '1' AND tag = 'none' RETURNING MODIFIED NEW *"
        plain = returning.replace(" RETURNING MODIFIED NEW *", "")
        shown = {"ReturnValuesOnConditionCheckFailure": "ALL_OLD"}
        for caller in (client("AKIDANNA"), client("AKIDREADER"), self.admin):
            self.refused(caller.update_item, **update, **fails, ReturnValues="UPDATED_NEW")
            self.refused(caller.execute_statement, Statement=returning, **shown)
            batch = caller.batch_execute_statement(Statements=[{"Statement": returning, **shown}])["Responses"][0]
            self.assertEqual([batch["Error"]["Code"], "Item" in batch], ["AccessDenied", False])
        for caller in (client("AKIDANNA"), client("AKIDREADER")):
            self.refused(caller.update_item, **update, **fails)
            self.refused(caller.transact_write_items, TransactItems=[{"Update": update | fails}])
            self.refused(caller.execute_transaction, TransactStatements=[{"Statement": plain, **shown}])
            self.refused(caller.put_item, TableName="songs", Item=item("other"), ReturnValues="ALL_OLD")
            self.refused(caller.execute_statement, Statement=plain + " RETURNING ALL OLD *")
            caller.update_item(**update, ReturnValues="UPDATED_NEW")

    def test_indexes(self):
        self.admin.put_resource_policy(ResourceArn=self.arn, Policy=json.dumps({"Version": "2012-10-17", "Statement": [
            {"Effect": "Allow", "Principal": user("AKIDANNA"), "Action": "dynamodb:Query", "Resource": self.arn + "/index/*"}]}))
        anna = client("AKIDANNA")
        query = {"KeyConditionExpression": "tag = :t", "ExpressionAttributeValues": {":t": {"S": "t"}}}
        self.assertEqual(anna.query(TableName="songs", IndexName="byTag", **query)["Count"], 2)
        self.assertIn(self.arn + "/index/byTag", self.refused(anna.scan, TableName="songs", IndexName="byTag"))

    def test_statements(self):
        self.put(statement("Allow", "dynamodb:PartiQLSelect", user("AKIDANNA")))
        anna = client("AKIDANNA")
        self.assertEqual(len(anna.execute_statement(Statement="SELECT * FROM songs WHERE pk = 'other'")["Items"]), 1)
        self.assertIn("dynamodb:PartiQLDelete", self.refused(
            anna.execute_statement, Statement="DELETE FROM songs WHERE pk = 'other' AND sk = '1'"))
        self.refused(anna.get_item, TableName="songs", Key=key("other"))

    def test_streams(self):
        anna = client("AKIDANNA", "dynamodbstreams")
        self.refused(anna.describe_stream, StreamArn=self.stream)
        self.put(statement("Allow", ["dynamodb:DescribeStream", "dynamodb:GetRecords", "dynamodb:GetShardIterator"], user("AKIDANNA")),
                 arn=self.stream)
        shards = anna.describe_stream(StreamArn=self.stream)["StreamDescription"]["Shards"]
        records = 0
        for shard in shards:
            place = anna.get_shard_iterator(StreamArn=self.stream, ShardId=shard["ShardId"], ShardIteratorType="TRIM_HORIZON")
            records += len(anna.get_records(ShardIterator=place["ShardIterator"])["Records"])
        self.assertEqual(records, 2)

    def test_where_one_comes_from(self):
        self.put(statement("Deny", "dynamodb:Scan", Condition={"NotIpAddress": {"aws:SourceIp": "127.0.0.0/8"}}),
                 statement("Deny", "dynamodb:Query", Condition={"Bool": {"aws:SecureTransport": "false"}}))
        self.assertEqual(self.admin.scan(TableName="songs")["Count"], 2)
        self.refused(self.admin.query, TableName="songs", KeyConditionExpression="pk = :p", ExpressionAttributeValues={":p": {"S": "x"}})

    def test_nobody_locks_himself_out_unawares(self):
        self.assertEqual(self.refused(self.put_deny_put), "The new resource policy will not allow you to update the resource policy in the future.")
        self.put_deny_put(ConfirmRemoveSelfResourceAccess=True)
        self.refused(self.put_deny_put)
        self.assertIn("Deny", self.admin.get_resource_policy(ResourceArn=self.arn)["Policy"])

    def put_deny_put(self, **more):
        self.put(statement("Deny", "dynamodb:PutResourcePolicy"), **more)

    def test_a_table_is_not_left_without_its_policy(self):
        with self.assertRaises(botocore.exceptions.ClientError) as caught:
            self.admin.create_table(TableName="guarded", BillingMode="PAY_PER_REQUEST", DeletionProtectionEnabled=True,
                                    AttributeDefinitions=[{"AttributeName": "pk", "AttributeType": "S"}],
                                    KeySchema=[{"AttributeName": "pk", "KeyType": "HASH"}],
                                    ResourcePolicy=policy(statement("Deny", "dynamodb:Scan", user("AKIDNOBODY"))))
        self.assertIn("Invalid principal in policy document", caught.exception.response["Error"]["Message"])
        self.assertNotIn("guarded", self.admin.list_tables()["TableNames"])

    def test_unknown_users(self):
        with self.assertRaises(botocore.exceptions.ClientError) as caught:
            self.put(statement("Deny", "dynamodb:Scan", user("AKIDNOBODY")))
        self.assertIn("Invalid principal in policy document", caught.exception.response["Error"]["Message"])


class CommandLine(PolicyTest):
    def aws(self, *words, program=None):
        done = subprocess.run([program or self.program, "dynamodb", *words, "--endpoint-url", SERVER.url, "--output", "json"],
                              env={**harness.environment(), "AWS_ACCESS_KEY_ID": "AKIDADMIN",
                                   "AWS_SECRET_ACCESS_KEY": SECRETS["AKIDADMIN"]},
                              capture_output=True, text=True, timeout=120, check=False)
        return done.returncode, done.stdout, done.stderr

    def test_all_three(self):
        self.program = next((one for one in AWS if "nvalid choice" not in self.aws("put-resource-policy", program=one)[2]), None)
        if self.program is None:
            self.skipTest("the aws-cli of this machine is older than resource policies")
        code, out, err = self.aws("put-resource-policy", "--resource-arn", self.arn, "--policy", policy(statement("Deny", "dynamodb:Scan")))
        self.assertEqual((code, err), (0, ""))
        revision = json.loads(out)["RevisionId"]
        code, out, err = self.aws("get-resource-policy", "--resource-arn", self.arn)
        self.assertEqual(json.loads(out)["RevisionId"], revision)
        code, out, err = self.aws("scan", "--table-name", "songs")
        self.assertIn("AccessDeniedException", err)
        code, out, err = self.aws("delete-resource-policy", "--resource-arn", self.arn, "--expected-revision-id", revision)
        self.assertEqual((code, json.loads(out)), (0, {"RevisionId": revision}))
        code, out, err = self.aws("get-resource-policy", "--resource-arn", self.arn)
        self.assertIn("PolicyNotFoundException", err)


if __name__ == "__main__":
    harness.main()
