"""Patterns and operations through /v1, as any program would call them."""
import decimal
import http.client
import json
import urllib.parse

from cases import Answer, to_json, to_text


class OverHttp:
    name = "/v1"
    ignore = frozenset()  # every field is returned

    def __init__(self, server, case_file, access):
        self.url = server.url
        self.host = server.url.removeprefix("http://")
        self.access = access
        self.who = None  # the caller, {sub, groups}; None: a key that roles do not limit
        self.connection = http.client.HTTPConnection(self.host)
        self.case_file = case_file
        self.root = "/v1/" + case_file.design["name"] + "/"

    def begin(self):
        """Begins a case; nothing was kept from the last one."""

    def close(self):
        self.connection.close()

    def send(self, method, path, body=None):
        if self.who is None:
            headers = self.access.signed(method, self.url + path, body)
        else:
            headers = {"Content-Type": "application/json"} | self.access.bearer(self.who)
        self.connection.request(method, path, body=body, headers=headers)
        response = self.connection.getresponse()
        text = response.read()
        return response.status, json.loads(text, parse_float=decimal.Decimal, parse_int=decimal.Decimal) if text else None

    def perform(self, name, parameters):
        status, body = self.send("POST", self.root + name, to_json(parameters).encode())
        return self.told(status, body)

    def ask(self, name, parameters, limit):
        query = {parameter: to_text(value) for parameter, value in parameters.items()}
        if limit:
            query["limit"] = str(limit)
        items = []
        while True:
            status, body = self.send("GET", self.root + name + "?" + urllib.parse.urlencode(query))
            if status == 404 and body["type"] == "urn:tavola:not-found":
                return Answer(None)
            if status != 200 or "items" not in body:
                return self.told(status, body)
            if limit and len(body["items"]) > limit:
                raise AssertionError(f"a page of {len(body['items'])} items, with limit={limit}")
            items += body["items"]
            if body["next"] is None:
                return Answer(items)
            query["page"] = body["next"]

    @staticmethod
    def told(status, body):
        if status in (200, 204):
            return Answer(body)
        if status in (401, 403, 404, 409, 422) and "refusal" in body:
            return Answer(refused=body["refusal"])
        if status == 400 and "parameter" in body:
            return Answer(invalid=body["parameter"])
        raise AssertionError(f"unexpected answer {status}: {body}")
