#include <algorithm>
#include <array>

#include "workshop/exchange/draft.h"
#include "workshop/exchange/json_nodes.h"
#include "workshop/exchange/onetable.h"

namespace tavola::workshop {
namespace {

using yaml::Kind;
using yaml::Node;
using yaml::Style;

// account#${id} is account#<id>; ${n:6:0} is <n:06>; ${_type} is the model's name.
std::string template_of(std::string_view text, std::string_view model, std::string_view type_field) {
  std::string out;
  while (!text.empty()) {
    const std::size_t begin = text.find("${");
    const std::size_t end = text.find('}', begin);
    out += text.substr(0, begin);
    if (begin == std::string_view::npos || end == std::string_view::npos) break;
    const std::string_view inside = text.substr(begin + 2, end - begin - 2);
    const std::string_view name = inside.substr(0, inside.find(':'));
    text.remove_prefix(end + 1);
    if (name == type_field) {
      out += model;
      continue;
    }
    out += "<" + std::string(name);
    if (const std::size_t width = inside.find(':');
        width != std::string_view::npos && inside.ends_with(":0")) {
      out += ":0" + std::string(inside.substr(width + 1, inside.size() - width - 3));
    }
    out += ">";
  }
  return out;
}

std::string lower(std::string text) {
  std::ranges::transform(text, text.begin(),
                         [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

class SchemaReader {
 public:
  SchemaReader(const Node& schema, std::string_view name) : schema_(schema) {
    draft_.name = name;
    draft_.table = name;
    draft_.comments = {"# Imported from a OneTable schema."};
    const Node* params = schema.find("params");
    if (params == nullptr) return;
    if (const std::string field = text_of(*params, "typeField"); !field.empty()) type_field_ = field;
    // `timestamps` is true, or names the one that is kept: create or update.
    const std::string timestamps = text_of(*params, "timestamps");
    if (timestamps == "true" || timestamps == "create") created_field_ = "createdAt";
    if (timestamps == "true" || timestamps == "update") updated_field_ = "updatedAt";
    const std::string created = text_of(*params, "createdField");
    const std::string updated = text_of(*params, "updatedField");
    if (!created_field_.empty() && !created.empty()) created_field_ = created;
    if (!updated_field_.empty() && !updated.empty()) updated_field_ = updated;
    iso_ = is_true(*params, "isoDates");
  }

  std::string read() {
    draft_.entity_attribute = type_field_;
    if (const Node* indexes = schema_.find("indexes")) read_indexes(*indexes);
    if (const Node* models = schema_.find("models")) {
      for (const yaml::Entry& model : models->entries) read_model(model.key.text, model.value);
    }
    if (draft_.entities.empty()) draft_.entities.push_back(unknown_entity(draft_));
    return write(draft_);
  }

 private:
  void read_indexes(const Node& indexes) {
    for (const yaml::Entry& entry : indexes.entries) {
      const std::string hash = text_of(entry.value, "hash");
      const std::string sort = text_of(entry.value, "sort");
      if (entry.key.text == "primary") {
        draft_.hash.name = hash;
        if (!sort.empty()) draft_.range = DraftKey{sort};
        continue;
      }
      DraftIndex index{.name = entry.key.text, .hash = {hash}, .range = {}, .projection = {}};
      if (!sort.empty()) index.range = DraftKey{sort};
      index.local = text_of(entry.value, "type") == "local";
      if (index.local && hash.empty()) index.hash = draft_.hash;
      const Node* project = entry.value.find("project");
      if (project != nullptr && project->text == "keys") index.projection.type = ProjectionType::KeysOnly;
      if (project != nullptr && project->kind == Kind::List) {
        index.projection.type = ProjectionType::Include;
        for (const Node& name : project->items) index.projection.attributes.push_back(name.text);
      }
      draft_.indexes.push_back(std::move(index));
    }
  }

  void read_model(const std::string& name, const Node& model);
  DraftField field_of(const std::string& name, const Node& said, DraftEntity& entity);
  std::string type_of(const Node& said) const;
  void add_entry(const DraftIndex& index, const std::string& model_name, const Node& model,
                 DraftEntity& entity);
  std::string key_of(const std::string& attribute, const std::string& model_name, const Node& model) const;
  bool is_key(std::string_view attribute) const;

  const Node& schema_;
  Draft draft_;
  std::string type_field_ = "_type";
  std::string created_field_;  // empty: the schema keeps no such timestamp
  std::string updated_field_;
  bool iso_ = false;
};

bool SchemaReader::is_key(std::string_view attribute) const {
  return attribute == draft_.hash.name || (draft_.range && attribute == draft_.range->name);
}

// Returns the template of a key attribute, which a model may rename (`map`). A key without one is a field.
std::string SchemaReader::key_of(const std::string& attribute, const std::string& model_name,
                                 const Node& model) const {
  for (const yaml::Entry& entry : model.entries) {
    const std::string mapped = text_of(entry.value, "map");
    if ((mapped.empty() ? entry.key.text : mapped) != attribute) continue;
    const std::string value = text_of(entry.value, "value");
    return value.empty() ? "<" + entry.key.text + ">" : template_of(value, model_name, type_field_);
  }
  return {};
}

std::string SchemaReader::type_of(const Node& said) const {
  std::string type = lower(text_of(said, "type"));
  if (said.find("enum") != nullptr && type != "array") return "enum";
  if (type == "number" || type == "boolean") return type;
  if (type == "date")
    return iso_ || text_of(said, "isoDates") == "true" ? "timestamp" : "timestamp(epoch_ms)";
  if (type == "object") return "map";
  if (type == "binary" || type == "buffer" || type == "arraybuffer") return "binary";
  if (type == "array" || type == "set") {
    const Node* items = said.find("items");
    const std::string element = items == nullptr ? "string" : type_of(*items);
    return type == "set" ? "set<" + element + ">" : items == nullptr ? "list<any>" : "list<" + element + ">";
  }
  return "string";
}

DraftField SchemaReader::field_of(const std::string& name, const Node& said, DraftEntity& entity) {
  DraftField field{.name = name};
  const std::string value = text_of(said, "value");
  put_text(field.said, "type", is_true(said, "ttl") ? "timestamp(epoch_s)" : type_of(said));
  if (const Node* values = said.find("enum")) put(field.said, "values", *values);
  if (is_true(said, "required")) put(field.said, "required", bool_node(true));
  if (const Node* otherwise = said.find("default"); otherwise != nullptr && otherwise->is_scalar()) {
    put(field.said, "default", *otherwise);
  }
  if (is_true(said, "unique")) put(field.said, "unique", bool_node(true));
  const std::string generate = text_of(said, "generate");
  if (generate == "uuid" || generate == "ulid") put_text(field.said, "generate", generate);
  if (generate == "uid") put_text(field.said, "generate", "ulid");
  if (!value.empty()) put_text(field.said, "value", template_of(value, entity.name, type_field_));
  if (const std::string check = text_of(said, "validate"); check.size() > 2 && check.starts_with('/')) {
    put_text(field.said, "pattern", std::string_view(check).substr(1, check.rfind('/') - 1));
  }
  if (const Node* nested = said.find("schema")) {
    Node of = map_node(Style::Flow);
    for (const yaml::Entry& part : nested->entries)
      put(of, part.key.text, field_of(part.key.text, part.value, entity).said);
    put(field.said, "of", std::move(of));
  }
  if (is_true(said, "ttl")) draft_.ttl = name;
  constexpr std::array<std::string_view, 5> kUnsaid{"crypt", "encode", "map", "reference", "scope"};
  for (const std::string_view key : kUnsaid) {
    if (said.find(key) != nullptr) {
      entity.comments.push_back("# " + entity.name + "." + name + ": `" + std::string(key) +
                                "` was left out.");
    }
  }
  return field;
}

void SchemaReader::add_entry(const DraftIndex& index, const std::string& model_name, const Node& model,
                             DraftEntity& entity) {
  const std::string hash = index.local ? entity.hash : key_of(index.hash.name, model_name, model);
  const std::string range = index.range ? key_of(index.range->name, model_name, model) : std::string();
  if (!hash.empty() && (!index.range || !range.empty())) entity.indexes.push_back({index.name, hash, range});
}

void SchemaReader::read_model(const std::string& name, const Node& model) {
  DraftEntity entity;
  entity.name = name;
  entity.hash = key_of(draft_.hash.name, name, model);
  if (draft_.range) entity.range = key_of(draft_.range->name, name, model);
  for (const DraftIndex& index : draft_.indexes) add_entry(index, name, model, entity);

  DraftField type{.name = type_field_};
  put_text(type.said, "value", name);
  entity.attributes.push_back(std::move(type));
  const auto is_index_key = [&](std::string_view attribute) {
    return std::ranges::any_of(draft_.indexes, [&](const DraftIndex& index) {
      return index.hash.name == attribute || (index.range && index.range->name == attribute);
    });
  };
  for (const yaml::Entry& entry : model.entries) {
    const std::string mapped = text_of(entry.value, "map");
    const std::string& stored = mapped.empty() ? entry.key.text : mapped;
    const bool is_made = is_key(stored) || (is_index_key(stored) && entry.value.find("value") != nullptr);
    if (!is_made && stored != type_field_)
      entity.attributes.push_back(field_of(entry.key.text, entry.value, entity));
  }
  for (const auto& [field, when] :
       {std::pair(created_field_, "create"), std::pair(updated_field_, "update")}) {
    const bool is_declared =
        std::ranges::find(entity.attributes, field, &DraftField::name) != entity.attributes.end();
    if (field.empty() || is_declared) continue;
    entity.attributes.push_back({.name = field});
    put_text(entity.attributes.back().said, "type", iso_ ? "timestamp" : "timestamp(epoch_ms)");
    put_text(entity.attributes.back().said, "auto", when);
  }
  for (const std::string& id : placeholders(entity.hash + entity.range)) {
    const auto known = [&](const std::vector<DraftField>& fields) {
      return std::ranges::find(fields, id, &DraftField::name) != fields.end();
    };
    if (known(entity.attributes) || known(entity.ids)) continue;
    entity.ids.push_back({.name = id});
    put_text(entity.ids.back().said, "type", "string");
  }
  draft_.entities.push_back(std::move(entity));
}

}  // namespace

Result<std::string> import_onetable(std::string_view json, std::string_view name) {
  TAVOLA_TRY(const Node schema, parse_tree(json));
  if (!text_of(schema, "format").starts_with("onetable:1.") || schema.find("models") == nullptr) {
    return fail(Error::validation(
        "this is not a OneTable schema: it needs the members format: \"onetable:1.1.0\" and models. "
        "Write the schema object as JSON, with types as texts"));
  }
  return SchemaReader(schema, name).read();
}

}  // namespace tavola::workshop
