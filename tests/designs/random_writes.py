"""Random writes for the table of a design, of every kind and many of them wrong, for governed_model_test.py.

There are few ids, so that writes conflict; equal seeds give equal writes.
"""
import decimal
import re

PLACEHOLDER = re.compile(r"<(\w+)(?::\w+)?>")
MOMENTS = ["2026-01-15T09:00:00Z", "2026-01-15T09:59:59Z", "2026-01-15T11:00:00Z"]
RESULT = {"totalWords": 3, "uniqueWords": 2, "avgWordLength": decimal.Decimal("2.33"), "top10Words": []}
JUNK = ["", "#", "x" * 300, -1, 10 ** 20, decimal.Decimal("0.5"), True, None, [], ["a", "a"], {"a": {"b": [1]}}, b"\0",
        {"a", "b"}, "PENDING", "SHOP#a", "$unique#x"]


class Field:
    """An attribute or an id of an entity, with the properties needed to make values."""

    def __init__(self, name, said):
        said = {"type": said} if isinstance(said, str) else said
        self.name = name
        self.said = said
        self.type = said.get("type", "string")
        self.is_computed = any(word in said for word in ("value", "derive"))
        self.is_kept = self.is_computed or "auto" in said

    def good(self, chance):
        """Returns a valid value."""
        if "values" in self.said:
            return chance.choice(self.said["values"])
        if self.type == "country":
            return chance.choice(["DE", "COUNTRY#DE", "COUNTRY#AT"])
        if self.type == "domain":
            return chance.choice(["a.com", "b.com", "www.c.co.uk"])
        kind = self.type.split("(")[0]
        if kind == "timestamp":
            moment = chance.randrange(len(MOMENTS))
            return 1768467600000 + moment * 3600000 if "epoch" in self.type else MOMENTS[moment]
        if kind in ("integer", "number"):
            least, most = int(self.said.get("min", -3)), int(self.said.get("max", 6))
            return chance.randint(least, most)
        simple = {"boolean": True, "map": RESULT, "email": "anna@example.com", "phone": "+1234567890"}
        if kind in simple:
            return simple[kind]
        if kind == "url":
            return f"https://example.com/{chance.choice('ab')}"
        if kind == "list<string>":
            return chance.sample(["css", "html", "c#", "web"], chance.randint(0, 3))
        if kind == "hash":
            return chance.choice("0a") * (32 if "md5" in self.type else 64)
        return chance.choice("abc")

    def value(self, chance):
        return chance.choice(JUNK) if chance.random() < 0.08 else self.good(chance)


class Entity:
    def __init__(self, name, said):
        self.name = name
        self.key = said["key"]
        ids = {field: Field(field, spec) for field, spec in said.get("ids", {}).items()}
        self.stored = {field: Field(field, spec) for field, spec in said.get("attributes", {}).items()}
        self.fields = ids | self.stored
        self.states = [state.get("key", state_name) for lifecycle in said.get("lifecycles", {}).values()
                       for state_name, state in lifecycle["states"].items()]

    def filled(self, template, values, chance):
        """Returns a template with its fields filled in; valid values for those that `values` lacks."""
        def text(found):
            field = self.fields.get(found[1]) or Field(found[1], "string")
            return str(values.setdefault(found[1], field.good(chance)))
        return PLACEHOLDER.sub(text, template)


class RandomWrites:
    def __init__(self, design, chance):
        self.chance = chance
        self.entities = [Entity(name, said) for name, said in design["entities"].items()]
        copied = {copy["to"] for copy in design.get("copies", {}).values() if copy["kind"] in ("mirror", "fanout")}
        self.weights = [1 if entity.name in copied else 4 for entity in self.entities]  # a copy alone is refused
        self.fields = {name: field for entity in self.entities for name, field in entity.fields.items()}
        self.index_attributes = []
        for index in design.get("indexes", {}).values():
            for part in ("hash", "range"):
                if part in index:
                    self.index_attributes.append(index[part]["name"] if isinstance(index[part], dict) else index[part])

    # ---- Items and changes ----

    def entity(self):
        return self.chance.choices(self.entities, self.weights)[0]

    def key(self, entity, values=None):
        values = {} if values is None else values
        return {attribute: entity.filled(template, values, self.chance) for attribute, template in entity.key.items()}

    def item(self):
        """Returns an item: sometimes right, sometimes with too little or too much."""
        entity = self.entity()
        careful = self.chance.random() < 0.7
        values = {}
        item = self.key(entity, values)
        for name, field in entity.stored.items():
            wanted = field.said.get("required") or self.chance.random() < 0.4
            if careful and (field.is_kept or "when" in field.said) or not wanted or name in item:
                continue
            if name in values:
                item[name] = values[name]
            elif name == "status" and careful:
                continue  # the initial value
            else:
                item[name] = field.good(self.chance) if careful else field.value(self.chance)
        if not careful and self.index_attributes and self.chance.random() < 0.2:
            item.setdefault(self.chance.choice(self.index_attributes), self.chance.choice(JUNK + MOMENTS))
        return item

    def any_key(self):
        return self.key(self.entity())

    def state_key(self, entity):
        return entity.filled(self.chance.choice(entity.states), {}, self.chance)

    def update(self):
        """Returns the members of an UpdateItem, or of an Update in a transaction."""
        entity = self.entity()
        names, values, parts = {}, {}, {"SET": [], "REMOVE": [], "ADD": []}
        for number in range(self.chance.randint(1, 3)):
            names[f"#n{number}"], part, value = self.change(entity)
            if list(names.values()).count(names[f"#n{number}"]) > 1:
                del names[f"#n{number}"]
                continue
            if part == "REMOVE":
                parts[part].append(f"#n{number}")
            else:
                values[f":v{number}"] = value
                parts[part].append(f"#n{number}{' =' if part == 'SET' else ''} :v{number}")
        request = {"Key": self.key(entity), "ExpressionAttributeNames": names,
                   "UpdateExpression": " ".join(f"{part} {', '.join(said)}" for part, said in parts.items() if said)}
        if values:
            request["ExpressionAttributeValues"] = values
        if self.chance.random() < 0.7:  # otherwise it may make a new item
            request["ConditionExpression"] = f"attribute_exists({next(iter(request['Key']))})"
        return request

    def change(self, entity):
        """Returns an attribute, SET, REMOVE or ADD, and the value."""
        roll = self.chance.random()
        if entity.states and roll < 0.4:
            attribute = "status" if "status" in entity.stored else self.chance.choice(["gsi2_sk", "gsi3_sk"])
            return attribute, "SET", self.state_key(entity)
        if self.index_attributes and roll < 0.45:
            return self.chance.choice(self.index_attributes), "SET", self.chance.choice(JUNK + MOMENTS)
        name, field = self.chance.choice(list(entity.stored.items()))
        if field.is_kept and self.chance.random() < 0.7:
            name, field = "note", Field("note", "string")
        if self.chance.random() < 0.2:
            return name, "REMOVE", None
        if field.type in ("integer", "number") and self.chance.random() < 0.4:
            return name, "ADD", self.chance.choice([-2, -1, 1, 2])
        return name, "SET", field.value(self.chance)

    # ---- Requests ----

    def several(self, make):
        """Returns a few, no two with the same key."""
        found = {}
        for _ in range(self.chance.randint(2, 5)):
            key, action = make()
            found[str(sorted(key.items()))] = action
        return list(found.values())

    def key_of(self, item):
        return {name: item[name] for name in self.entities[0].key}

    def batch_write(self):
        def make():
            if self.chance.random() < 0.3:
                key = self.any_key()
                return key, {"DeleteRequest": {"Key": key}}
            item = self.item()
            return self.key_of(item), {"PutRequest": {"Item": item}}
        return self.several(make)

    def transaction(self, table):
        def make():
            roll = self.chance.random()
            if roll < 0.45:
                item = self.item()
                return self.key_of(item), {"Put": {"TableName": table, "Item": item}}
            if roll < 0.75:
                update = self.update()
                return update["Key"], {"Update": {"TableName": table} | update}
            key = self.any_key()
            if roll < 0.9:
                return key, {"Delete": {"TableName": table, "Key": key}}
            return key, {"ConditionCheck": {"TableName": table, "Key": key,
                                            "ConditionExpression": f"attribute_not_exists({next(iter(key))})"}}
        return self.several(make)

    def parameters(self, schema):
        """Returns the parameters of an operation, by its entry in /v1/openapi.json."""
        said = {}
        for name, known in schema.get("properties", {}).items():
            if name not in schema.get("required", ()) and self.chance.random() < 0.5:
                continue
            field = self.fields.get(name) or Field(name, {"type": known.get("type", "string")})
            if known.get("type") == "integer":
                field = Field(name, {"type": "integer", "min": -2, "max": 3})
            said[name] = field.good(self.chance)
        return said
