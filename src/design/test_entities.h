// Random small designs, and random instances of their entities, for property tests. Include in tests only.
//
// Every design is valid: keys of different entities begin with different words. The designs have no rules: examples
// test the results of expressions.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "design/model/field_value.h"
#include "design/model/model.h"
#include "value/test_generators.h"

namespace tavola::design {

inline Template must_parse(std::string_view text) { return Template::parse(text).value(); }

inline AttributeType type_named(std::string_view name) { return parse_type(name).value(); }

class RandomDesign {
 public:
  explicit RandomDesign(Dice& dice) : dice_(dice) {}

  Design design() {
    Design design;
    design.name = "random";
    design.table.hash.name = "PK";
    if (dice_.below(4) > 0) design.table.range = KeyAttribute{.name = "SK", .at = {}};
    if (dice_.coin()) design.table.entity_attribute = "kind";
    design.indexes.push_back(index("GSI1", "gsi1_pk", "gsi1_sk"));
    design.indexes.push_back(index("GSI2", "gsi2_pk", "gsi2_sk"));
    for (std::size_t i = 1 + dice_.below(3); i > 0; --i) design.entities.push_back(entity(design, i));
    return design;
  }

  // Returns fields as a creator of the entity gives them: the required ones, some of the others, no computed
  // ones.
  Item instance(const Entity& entity) {
    Item fields;
    const std::vector<std::string> keys = entity.key_fields();
    for (const Attribute& field : entity.fields) {
      const bool needed = field.required || std::ranges::find(keys, field.name) != keys.end();
      if (!field.is_computed() && (needed || dice_.coin())) fields[field.name] = value(field);
    }
    for (const Lifecycle& lifecycle : entity.lifecycles) {
      if (fields.contains("doneAt") && dice_.coin()) fields[lifecycle.name] = "DONE";
    }
    return fields;
  }

 private:
  static Index index(std::string name, std::string hash, std::string range) {
    Index index;
    index.name = std::move(name);
    index.hash.name = std::move(hash);
    index.range = KeyAttribute{.name = std::move(range), .at = {}};
    return index;
  }

  // Returns a word without '#', so that it may stand in a key.
  std::string word() {
    std::string text;
    for (std::size_t left = 1 + dice_.below(6); left > 0; --left)
      text += dice_.pick({"a", "b", "-", "é", "漢", "<", ">"});
    return text;
  }

  Attribute field(std::string name, std::string_view type) {
    Attribute field;
    field.name = std::move(name);
    field.type = type_named(type);
    return field;
  }

  Attribute key_field(std::string name) {
    Attribute made =
        field(std::move(name), dice_.pick({"string", "integer", "uuid", "timestamp", "timestamp(epoch_ms)",
                                           "timestamp(epoch_s)", "boolean", "number", "date"}));
    made.stored = dice_.coin();
    made.required = dice_.coin();
    return made;
  }

  // Returns a placeholder that may write the field.
  std::string placeholder(const Attribute& field) {
    using Kind = AttributeType::Kind;
    std::string format;
    if (field.type.kind == Kind::Integer) format = dice_.pick({"", ":012", ":number", ":desc"});
    if (field.type.is_timestamp()) format = dice_.pick({"", ":iso", ":ms", ":desc"});
    return "<" + field.name + format + ">";
  }

  void add_keys(const Design& design, Entity& entity) {
    entity.fields.push_back(key_field("id"));
    std::string hash = entity.name + "#" + placeholder(entity.fields[0]);
    if (dice_.coin()) {
      entity.fields.push_back(key_field("part"));
      hash += std::string(dice_.pick({"#", "#P#"})) + placeholder(entity.fields[1]);
    }
    entity.hash = must_parse(hash);
    if (!design.table.range) return;
    if (dice_.below(3) == 0) {
      entity.range = must_parse("META");
    } else {
      entity.fields.push_back(key_field("sort"));
      entity.fields.push_back(field("rest", "string"));
      entity.fields.back().raw = true;
      entity.range = must_parse("R#" + placeholder(entity.fields[entity.fields.size() - 2]) + "#<rest>");
    }
  }

  void add_attributes(Entity& entity) {
    for (std::size_t left = dice_.below(6); left > 0; --left) {
      entity.fields.push_back(
          field("a" + std::to_string(left),
                dice_.pick({"string", "number", "integer", "boolean", "binary", "url", "email", "phone",
                            "hash(md5)", "timestamp(epoch_ms)", "list<string>", "set<integer>", "set<string>",
                            "map", "any"})));
      if (dice_.coin()) entity.fields.back().required = true;
    }
    Attribute created =
        field("createdAt", dice_.pick({"timestamp", "timestamp(epoch_ms)", "timestamp(epoch_s)"}));
    created.automatic = Attribute::Auto::Create;
    entity.fields.push_back(created);
    Attribute made = field("made", "string");  // made of a field that is itself made, and comes later
    made.value = must_parse("M#<later>");
    entity.fields.push_back(made);
    Attribute later = field("later", "string");
    later.value = must_parse("L-<id>");
    later.raw = true;
    if (entity.fields[0].type.kind != AttributeType::Kind::TimestampIso || dice_.coin())
      entity.fields.push_back(later);
    Attribute status = field("status", "enum");
    status.values = {"NEW", "OLD"};
    if (dice_.coin()) status.otherwise = Value("NEW");
    entity.fields.push_back(status);
  }

  void add_indexes(Entity& entity) {
    Attribute category = field("category", "string");
    category.format = dice_.coin() ? std::optional(must_parse("C#<c>")) : std::nullopt;
    entity.fields.push_back(category);
    entity.indexes.push_back({.index = "GSI1",
                              .hash = {.from = must_parse("<category>"), .lifecycle = {}, .at = {}},
                              .range = KeySource{.from = must_parse("S#<status>"), .lifecycle = {}, .at = {}},
                              .when = {},
                              .at = {}});
    Attribute done = field("doneAt", "timestamp");
    entity.fields.push_back(done);
    Lifecycle life;
    life.name = "life";
    life.index = "GSI2";
    life.states.resize(2);
    life.states[0].name = "FRESH";
    life.states[0].key = must_parse("FRESH#");
    life.states[1].name = "DONE";
    life.states[1].key = must_parse("DONE#<doneAt>");
    entity.lifecycles.push_back(life);
    entity.indexes.push_back({.index = "GSI2",
                              .hash = {.from = must_parse("<category>"), .lifecycle = {}, .at = {}},
                              .range = KeySource{.from = {}, .lifecycle = "life", .at = {}},
                              .when = {},
                              .at = {}});
  }

  Entity entity(const Design& design, std::size_t number) {
    Entity entity;
    entity.name = "E" + std::to_string(number);
    add_keys(design, entity);
    add_attributes(entity);
    if (dice_.coin()) add_indexes(entity);
    return entity;
  }

  Value value(const Attribute& field) {
    using Kind = AttributeType::Kind;
    if (!field.values.empty()) return field.values[dice_.below(field.values.size())];
    if (field.name == "rest" && dice_.coin()) return word() + "#" + word();
    const WallTime moment(std::chrono::seconds(dice_.below(4'000'000'000)));
    switch (field.type.kind) {
      case Kind::Number:
        return dice_.number();
      case Kind::Integer:
        return static_cast<std::int64_t>(dice_.below(1'000'000'000'000));
      case Kind::Boolean:
        return dice_.coin();
      case Kind::Binary:
        return Binary{dice_.bytes()};
      case Kind::Url:
        return "https://" + word() + "/#" + word();
      case Kind::Email:
        return word() + "@" + word();
      case Kind::Phone:
        return "+" + std::to_string(dice_.below(1'000'000));
      case Kind::Md5:
        return std::string(32, 'a');
      case Kind::Date:
        return iso8601(moment).substr(0, 10);
      case Kind::TimestampIso:
      case Kind::TimestampMs:
      case Kind::TimestampS:
        return write_moment(field.type, moment);
      case Kind::List:
        return List{Value(word()), Value("")};
      case Kind::Set:
        return field.type.element.front().kind == Kind::Integer ? Value(*NumberSet::of({1, 2}))
                                                                : Value(*StringSet::of({word()}));
      case Kind::Map:
        return dice_.map(2);
      case Kind::Any:
        return dice_.value(2);
      default:
        return word();
    }
  }

  Dice& dice_;
};

}  // namespace tavola::design
