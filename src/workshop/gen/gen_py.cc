#include "workshop/gen/gen_py.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "base/ascii.h"
#include "design/requests/pattern_request.h"
#include "design/requests/served_patterns.h"
#include "workshop/gen/design_json.h"
#include "workshop/gen/gen_names.h"
#include "workshop/gen/gen_py_types.h"

namespace tavola::workshop {

// Files of runtime/, made by CMakeLists.txt.
extern const char* const kConnectionPy;
extern const char* const kValuesPy;
extern const char* const kRulesPy;
extern const char* const kFieldsPy;
extern const char* const kEntitiesPy;
extern const char* const kAggregatesPy;
extern const char* const kOperationsPy;
extern const char* const kServedPy;
extern const char* const kClientPy;

namespace {

using design::Attribute;
using design::Design;
using design::Entity;
using design::Parameter;
using design::Pattern;

constexpr std::string_view kPyTop = R"(#
# Written by `tavola gen py`: change the design, not this file. Python 3.11; direct requests need boto3.
#
#   db = connect()                               # direct requests to the table, by boto3.client("dynamodb")
#   db = connect(v1="http://127.0.0.1:8000")     # by name, to a server of Tavola
#   db = Async…(connect(…))                      # the same for asyncio: each request runs in a thread
#
# Names are those of the design. Numbers are exact: int, or Decimal, never float. A timestamp of ISO 8601 is a str.
from __future__ import annotations

import asyncio
import base64
import contextlib
import dataclasses
import datetime
import decimal
import functools
import hashlib
import importlib
import json
import os
import random
import re
import secrets
import time
import urllib.error
import urllib.parse
import urllib.request
import uuid
import zoneinfo
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Iterator, Mapping
from decimal import Decimal
from typing import Any, Generic, Literal, NotRequired, TypedDict, TypeVar, cast

)";

constexpr std::string_view kConnect = R"(

def connect(
    client: Any = None,
    *,
    v1: str | None = None,
    token: str | None = None,
    table: str | None = None,
    now: Callable[[], float] = time.time,
    caller: str | None = None,
    core_domain: Callable[[str], str] | None = None,
) -> @Client@:
    """Connects to a server of Tavola (`v1`, with the `token` of the caller), or to a table by a client of boto3.

    Direct requests only: `table` replaces the design's name, `now` returns the seconds since 1970, `caller` is the caller for
    designs that use caller() (the program must verify it), `core_domain` returns the name before the public suffix.
    """
    options = {"table": table, "now": now, "caller": caller, "core_domain": core_domain}
    return @Client@(_source(client, v1, token, options))
)";

std::string py_section(std::string_view name) { return "\n\n# ---- " + std::string(name) + " ----\n"; }

std::string replaced(std::string_view text, std::string_view what, std::string_view with) {
  std::string result;
  for (std::size_t at = text.find(what); at != std::string_view::npos; at = text.find(what)) {
    result.append(text.substr(0, at)).append(with);
    text.remove_prefix(at + what.size());
  }
  return result.append(text);
}

// SKU_TAKEN → SkuTaken, endsAfterStart → EndsAfterStart.
std::string refusal_class(const Design& design, const std::string& refusal) {
  const bool has_case = std::ranges::any_of(refusal, [](char c) { return c >= 'a' && c <= 'z'; });
  std::string lower;
  for (const char c : refusal) lower += has_case ? c : ascii_lower(c);
  std::string name = pascal_case(lower);
  const bool taken = design.find_entity(name) != nullptr || py_class_name(name) != name;
  return taken ? name + "Refusal" : name;
}

// ---- Refusals ----

std::string refusals(const Design& design) {
  std::map<std::string, std::string> classes{{"FORBIDDEN", refusal_class(design, "FORBIDDEN")}};
  for (const design::Operation& operation : design.operations) {
    for (const std::string& name : refusals_of(design, operation))
      if (name != "REFUSED") classes[name] = refusal_class(design, name);
  }
  std::string text;
  std::string all;
  for (const auto& [name, type] : classes) {
    text += "\n\nclass " + type + "(Refused):\n" + py_doc(name, "    ");
    all += "\n    " + py_literal(name) + ": " + type + ",";
  }
  return text + "\n\n_REFUSALS: dict[str, type[Refused]] = {" + all + "\n}\n";
}

// ---- Parameters ----

// ", *, shopId: str, notes: str | None = None"
std::string declared(PyTypes& types, const std::vector<Parameter>& parameters, const std::string& owner) {
  std::string needed;
  std::string others;
  for (const Parameter& parameter : parameters) {
    const Attribute field = field_of(parameter);
    const std::string type = types.type_of(field, owner);
    const std::string start = ", " + py_identifier(parameter.name) + ": " + type;
    (field.required ? needed : others) += start + (field.required  ? ""
                                                   : type == "Any" ? " = None"
                                                                   : " | None = None");
  }
  return needed.empty() && others.empty() ? "" : ", *" + needed + others;
}
std::string without_comma(const std::string& text) { return text.empty() ? text : text.substr(2); }

// {"shopId": shopId}
std::string given(const std::vector<Parameter>& parameters) {
  std::string text;
  for (const Parameter& one : parameters)
    text += (text.empty() ? "" : ", ") + py_literal(one.name) + ": " + py_identifier(one.name);
  return "{" + text + "}";
}
// shopId=shopId, …, each followed by ", "
std::string passed(const std::vector<Parameter>& parameters) {
  std::string text;
  for (const Parameter& one : parameters)
    text += py_identifier(one.name) + "=" + py_identifier(one.name) + ", ";
  return text;
}

// ---- Entities ----

// Returns the class of a pattern's entities: an index that projects some fields has its own.
std::string class_found(const Design& design, const Pattern& pattern) {
  const std::string name = py_class_name(design::found_by(design, pattern)->name);
  return always_projected(design, pattern) ? name + "In" + pascal_case(pattern.via.text) : name;
}

// Returns the members of a dictionary: the class of each pattern's entities.
std::string found_classes(const Design& design) {
  std::string text;
  for (const Pattern& pattern : design.patterns) {
    if (design::is_served(pattern) && pattern.form != Pattern::Form::Union)
      text += "\n    " + py_literal(pattern.name) + ": " + class_found(design, pattern) + ",";
  }
  return text;
}

std::string member(PyTypes& types, const Attribute& field, const std::string& owner) {
  const std::string name = py_identifier(field.name);
  const std::string said = said_about(field.notes);
  const std::string metadata =
      name == field.name ? std::string() : "metadata={\"name\": " + py_literal(field.name) + "}";
  const std::string type = types.type_of(field, owner);
  std::string value = field.required     ? ""
                      : metadata.empty() ? " = None"
                                         : " = dataclasses.field(default=None, ";
  if (field.required && !metadata.empty()) value = " = dataclasses.field(";
  return (said.empty() ? "" : "    # " + replaced(said, "\n", " ") + "\n") + "    " + name + ": " + type +
         (field.required || type == "Any" ? "" : " | None") + value + metadata +
         (metadata.empty() ? "" : ")") + "\n";
}

std::string states_of(const design::Lifecycle& lifecycle) {
  std::string states;
  for (const design::State& state : lifecycle.states)
    states += (states.empty() ? "" : ", ") + py_literal(state.name);
  return "    " + py_identifier(lifecycle.name) + ": Literal[" + states + "]\n";
}

std::string class_of(const std::string& name, const std::string& doc, const std::string& members) {
  const std::string said = py_doc(doc, "    ");
  return "\n\n@dataclasses.dataclass(frozen=True, kw_only=True)\nclass " + name + ":\n" + said +
         (said.empty() || members.empty() ? "" : "\n") +
         (said.empty() && members.empty() ? "    pass\n" : members);
}

class EntityClasses {
 public:
  EntityClasses(const Design& design, PyTypes& types) : design_(design), types_(types) {}

  std::string classes() {
    std::string text;
    for (const Entity& entity : design_.entities) {
      const std::string name = py_class_name(entity.name);
      std::string members;
      for (Attribute field : entity.fields) {
        field.required = is_always_stored(entity, field);
        members += member(types_, field, name);
      }
      for (const design::Lifecycle& lifecycle : entity.lifecycles) {
        if (lifecycle.attribute.empty()) members += states_of(lifecycle);
      }
      text += class_of(name, said_about(entity.notes), members);
    }
    for (const Entity* row : rows_of(design_)) {
      const std::string name = py_class_name(row->name);
      std::string members;
      for (const Attribute& field : row->fields) members += member(types_, field, name);
      text += class_of(name, said_about(row->notes), members);
    }
    return text;
  }

  // Returns a class for each entity in an index that projects some fields.
  std::string projected() {
    std::string text;
    std::set<std::string> written;
    for (const Pattern& pattern : design_.patterns) {
      if (!design::is_served(pattern) || pattern.form == Pattern::Form::Union) continue;
      const std::string name = class_found(design_, pattern);
      const auto always = always_projected(design_, pattern);
      if (!always || !written.insert(name).second) continue;
      const Entity& entity = *design_.find_entity(pattern.entity.text);
      const auto& projected = design_.find_index(pattern.via.text)->projection.attributes;
      std::string members;
      for (Attribute field : entity.fields) {
        field.required = std::ranges::find(*always, field.name) != always->end();
        if (field.required || std::ranges::find(projected, field.name) != projected.end())
          members += member(types_, field, py_class_name(entity.name));
      }
      for (const design::Lifecycle& lifecycle : entity.lifecycles) {
        if (lifecycle.attribute.empty() && lifecycle.index == pattern.via.text)
          members += states_of(lifecycle);
      }
      text += class_of(name, "The fields of " + entity.name + " that the index " + pattern.via.text + " has.",
                       members);
    }
    return text;
  }

  std::string keys() {
    std::string text;
    for (const Entity& entity : design_.entities) {
      std::vector<Parameter> parameters;
      for (const std::string& field : entity.key_fields()) {
        Parameter& parameter = parameters.emplace_back();
        if (const Attribute* found = entity.find_field(field)) parameter.form = *found;
        parameter.name = field;
      }
      const std::string owner = py_class_name(entity.name);
      text += "\n\ndef " + camel_case(entity.name) + "Key(" +
              without_comma(declared(types_, parameters, owner)) + ") -> dict[str, Any]:\n    return _Kind(" +
              py_literal(entity.name) + ", _DESIGN).key(" + given(parameters) + ")\n";
    }
    return text;
  }

 private:
  const Design& design_;
  PyTypes& types_;
};

// ---- Clients ----

class ClientClasses {
 public:
  ClientClasses(const Design& design, PyTypes& types, std::string client)
      : design_(design), types_(types), client_(std::move(client)) {}

  std::string take() {
    for (const Pattern& pattern : design_.patterns) {
      if (!design::is_served(pattern)) continue;
      if (pattern.form == Pattern::Form::Aggregate) {
        write_aggregate(pattern);
      } else if (pattern.form == Pattern::Form::Get) {
        write_get(pattern);
      } else {
        write_query(pattern);
      }
    }
    for (const design::Operation& operation : design_.operations) write_operation(operation);
    const std::string doc = py_doc("The patterns and operations of " + design_.name + ".", "    ");
    const std::string async_doc = py_doc("The same for asyncio; each request runs in a thread.", "    ");
    return "\n\nclass " + client_ + ":\n" + doc +
           "\n    def __init__(self, source: _Source) -> None:\n        self._source = source\n" + sync_ +
           "\n\nclass Async" + client_ + ":\n" + async_doc + "\n    def __init__(self, sync: " + client_ +
           ") -> None:\n        self._sync = sync\n" + async_;
  }

 private:
  std::string type_found(const Pattern& pattern) const {
    std::vector<std::string> names;
    for (const Pattern* part : design::parts_of(design_, pattern)) {
      const std::string name = class_found(design_, *part);
      if (std::ranges::find(names, name) == names.end()) names.push_back(name);
    }
    std::string text;
    for (const std::string& name : names) text += (text.empty() ? "" : " | ") + name;
    return text;
  }

  void write_get(const Pattern& pattern) {
    const std::string name = py_identifier(pattern.name);
    const std::string type = class_found(design_, pattern);
    const std::string head = "(self" + declared(types_, pattern.parameters, pascal_case(pattern.name)) +
                             ") -> " + type + " | None:\n";
    const std::string doc = py_doc(said_about(pattern.notes), "        ");
    sync_ += "\n    def " + name + head + doc + "        return _get(self._source, " + type + ", " +
             py_literal(pattern.name) + ", " + given(pattern.parameters) + ")\n";
    async_ += "\n    async def " + name + head + doc + "        return await asyncio.to_thread(self._sync." +
              name + ", " + passed(pattern.parameters) + ")\n";
  }

  void write_aggregate(const Pattern& pattern) {
    const std::string name = py_identifier(pattern.name);
    const std::string type = class_found(design_, pattern);
    const std::string parameters = declared(types_, pattern.parameters, pascal_case(pattern.name));
    const std::string head = name + "(self" + (parameters.empty() ? ", *" : parameters) +
                             ", limit: int | None = None) -> list[" + type + "]:\n" +
                             py_doc(said_about(pattern.notes), "        ");
    sync_ += "\n    def " + head + "        return _aggregate(self._source, " + type + ", " +
             py_literal(pattern.name) + ", " + given(pattern.parameters) + ", limit)\n";
    async_ += "\n    async def " + head + "        return await asyncio.to_thread(self._sync." + name + ", " +
              passed(pattern.parameters) + "limit=limit)\n";
  }

  void write_query(const Pattern& pattern) {
    const std::string name = py_identifier(pattern.name);
    const std::string type = type_found(pattern);
    const std::string parameters = declared(types_, pattern.parameters, pascal_case(pattern.name));
    const std::string doc = py_doc(said_about(pattern.notes), "        ");
    const std::string page_doc = py_doc("Returns a page of " + pattern.name + ".", "        ");
    const std::string page_head = name + "_page(self" + (parameters.empty() ? ", *" : parameters) +
                                  ", limit: int | None = None, token: str | None = None) -> Page[" + type +
                                  "]:\n";
    const std::string each =
        "(lambda token: self." + name + "_page(" + passed(pattern.parameters) + "token=token))\n";
    sync_ += "\n    def " + name + "(self" + parameters + ") -> Iterator[" + type + "]:\n" + doc +
             "        return _every" + each + "\n    def " + page_head + page_doc +
             "        return _page(self._source, " + py_literal(pattern.name) + ", " +
             given(pattern.parameters) + ", limit, token)\n";
    async_ += "\n    def " + name + "(self" + parameters + ") -> AsyncIterator[" + type + "]:\n" + doc +
              "        return _every_async" + each + "\n    async def " + page_head + page_doc +
              "        return await asyncio.to_thread(self._sync." + name + "_page, " +
              passed(pattern.parameters) + "limit=limit, token=token)\n";
  }

  void write_operation(const design::Operation& operation) {
    const std::string name = py_identifier(operation.name);
    const Entity* const returned = returned_by(design_, operation);
    const std::string type = returned == nullptr ? "None" : py_class_name(returned->name);
    const std::string head = name + "(self" +
                             declared(types_, operation.parameters, pascal_case(operation.name)) + ") -> " +
                             type + ":\n";
    std::string said = said_about(operation.notes);
    std::string names;
    for (const std::string& refusal : refusals_of(design_, operation))
      names +=
          (names.empty() ? "" : ", ") + (refusal == "REFUSED" ? "Refused" : refusal_class(design_, refusal));
    if (!names.empty()) said += (said.empty() ? "Raises " : " Raises ") + names + ".";
    const std::string doc = py_doc(said, "        ");
    sync_ +=
        "\n    def " + head + doc + "        " +
        (returned == nullptr ? "self._source.perform(" : "return _perform(self._source, " + type + ", ") +
        py_literal(operation.name) + ", " + given(operation.parameters) + ")\n";
    async_ += "\n    async def " + head + doc + "        " + (returned == nullptr ? "" : "return ") +
              "await asyncio.to_thread(self._sync." + name + ", " + passed(operation.parameters) + ")\n";
  }

  const Design& design_;
  PyTypes& types_;
  std::string client_;
  std::string sync_;  // methods
  std::string async_;
};

}  // namespace

std::string gen_py(const Design& design) {
  PyTypes types;
  const std::string client = py_class_name(design.name) +
                             (design.find_entity(py_class_name(design.name)) != nullptr ? "Client" : "");
  EntityClasses entities(design, types);
  std::string classes = entities.classes();
  classes += entities.projected();
  classes += entities.keys();
  const std::string clients = ClientClasses(design, types, client).take();
  const std::string said = said_about(design.notes);
  return "# " + design.name + (said.empty() ? "" : ": " + replaced(said, "\n", " ")) + "\n" +
         std::string(kPyTop) + kConnectionPy + refusals(design) + py_section("Entities") +
         types.definitions() + classes + py_section("Patterns and operations") + clients +
         replaced(kConnect, "@Client@", client) + "\n\n" + kValuesPy + "\n\n" + kRulesPy + "\n\n" +
         kFieldsPy + "\n\n" + kAggregatesPy + "\n\n" + kEntitiesPy + "\n\n" + kServedPy + "\n\n" +
         kOperationsPy + "\n\n" + kClientPy + py_section("The design") + "\n_FOUND: dict[str, Any] = {" +
         found_classes(design) + "\n}\n\n_DESIGN: Fields = _exact_json(r\"\"\"" + design_json(design) +
         "\"\"\")\n";
}

}  // namespace tavola::workshop
