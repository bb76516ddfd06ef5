#include "workshop/exchange/first_design.h"

#include <algorithm>
#include <cctype>
#include <map>
#include <set>

#include "workshop/texts/words.h"

namespace tavola::workshop {
namespace {

std::string upper(std::string_view text) {
  std::string big;
  for (const char c : text) big += static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return big;
}

std::string trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(' ');
  if (first == std::string_view::npos) return {};
  return std::string(text.substr(first, text.find_last_not_of(' ') - first + 1));
}

// Returns the parts between commas, without empty ones.
std::vector<std::string> listed(std::string_view text) {
  std::vector<std::string> parts;
  while (!text.empty()) {
    const std::size_t comma = std::min(text.find(','), text.size());
    if (std::string part = trimmed(text.substr(0, comma)); !part.empty()) parts.push_back(std::move(part));
    text.remove_prefix(std::min(comma + 1, text.size()));
  }
  return parts;
}

bool is_name(std::string_view text) {
  return !text.empty() && std::isalpha(static_cast<unsigned char>(text.front())) != 0 &&
         std::ranges::all_of(
             text, [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; });
}

yaml::Node query_of(const std::string& entity, const DraftEntry& entry) {
  yaml::Node query = map_node(yaml::Style::Flow);
  put_text(query, "query", entity);
  put_text(query, "via", entry.index);
  put_text(query, "hash", entry.hash);
  return query;
}

// Builds one entity, its index entries, its patterns and its operation.
class EntityWriter {
 public:
  EntityWriter(const FirstEntity& said, Draft& draft) : said_(said), draft_(draft) {}

  Result<void> write() {
    DraftEntity entity;
    entity.name = said_.name;
    entity.hash = said_.hash;
    entity.range = said_.range;
    TAVOLA_CHECK(add_attributes(entity));
    add_ids(entity);
    TAVOLA_CHECK(add_indexes(entity));
    draft_.entities.push_back(std::move(entity));
    add_list();
    add_operation();
    return {};
  }

 private:
  Result<void> add_attributes(DraftEntity& entity) {
    for (std::string part : listed(said_.attributes)) {
      const std::size_t colon = part.find(':');
      std::string type = colon == std::string::npos ? "string" : trimmed(part.substr(colon + 1));
      std::string name = trimmed(part.substr(0, colon));
      const bool is_required = name.ends_with('!') || type.ends_with('!');
      if (name.ends_with('!')) name.pop_back();
      if (type.ends_with('!')) type.pop_back();
      if (!is_name(name) || type.empty())
        return fail(
            Error::validation("an attribute is written as name, or as name: type (was " + part + ")"));
      DraftField field{.name = name};
      put_text(field.said, "type", type);
      if (is_required) put(field.said, "required", bool_node(true));
      known_.insert(name);
      if (!is_required) optional_.insert(name);
      entity.attributes.push_back(std::move(field));
    }
    return {};
  }

  void add_ids(DraftEntity& entity) {
    for (const std::string& name : placeholders(said_.hash + said_.range)) {
      if (!known_.insert(name).second) continue;
      DraftField field{.name = name};
      put_text(field.said, "type", "string");
      entity.ids.push_back(std::move(field));
    }
  }

  Result<void> add_indexes(DraftEntity& entity) {
    std::size_t number = 0;
    for (const std::string& field : listed(said_.found_by)) {
      if (!known_.contains(field))
        return fail(Error::validation(said_.name + " has no field " + field + " to be found by"));
      const std::string index = "GSI" + std::to_string(++number);
      if (draft_.indexes.size() < number) {
        draft_.indexes.push_back({.name = index,
                                  .hash = {index + "PK"},
                                  .range = DraftKey{index + "SK"},
                                  .projection = {.type = ProjectionType::All}});
      }
      const std::string hash = upper(said_.name) + "#" + upper(field) + "#<" + field + ">";
      entity.indexes.push_back({.index = index,
                                .hash = hash,
                                .range = said_.hash,
                                .when = optional_.contains(field) ? "exists(" + field + ")" : ""});
      draft_.patterns.push_back(
          {field_case(said_.name) + "By" + type_case(field), query_of(said_.name, entity.indexes.back())});
    }
    return {};
  }

  // Items whose sort keys differ in a field are listed by their common partition key.
  void add_list() {
    const std::size_t field = said_.range.find('<');
    if (field == std::string::npos || field == 0) return;
    yaml::Node query = map_node(yaml::Style::Flow);
    put_text(query, "query", said_.name);
    put_text(query, "hash", said_.hash);
    put_text(query, "range", "begins_with " + said_.range.substr(0, field));
    draft_.patterns.push_back({"list" + said_.name, std::move(query)});
  }

  void add_operation() {
    yaml::Node step = map_node(yaml::Style::Flow);
    put_text(step, "put", said_.name);
    put(step, "exists", bool_node(false));
    yaml::Node operation = map_node(yaml::Style::Flow);
    put(operation, "steps", list_node({std::move(step)}));
    draft_.operations.push_back({"add" + said_.name, std::move(operation)});
  }

  const FirstEntity& said_;
  Draft& draft_;
  std::set<std::string, std::less<>> known_;
  std::set<std::string, std::less<>> optional_;
};

}  // namespace

FirstEntity usual_entity(const std::string& name, const FirstDesign& design) {
  return {.name = name,
          .hash = upper(name) + "#<" + field_case(name) + "Id>",
          .range = design.range.empty() ? "" : "META",
          .attributes = "name!"};
}

Result<Draft> first_draft(const FirstDesign& design) {
  Draft draft;
  draft.name = design.name;
  draft.table = design.table;
  draft.hash.name = design.hash;
  if (!design.range.empty()) draft.range = DraftKey{design.range};
  draft.comments = {"# A first design, to be changed. Every word of the language: docs/DESIGN-LANGUAGE.md"};
  for (const FirstEntity& entity : design.entities) TAVOLA_CHECK(EntityWriter(entity, draft).write());
  return draft;
}

void add_index_patterns(Draft& draft) {
  const auto is_read = [&](const DraftEntity& entity, const DraftEntry& entry) {
    return std::ranges::any_of(draft.patterns, [&](const DraftPattern& pattern) {
      const yaml::Node* const query = pattern.said.find("query");
      const yaml::Node* const via = pattern.said.find("via");
      return query != nullptr && via != nullptr && query->text == entity.name && via->text == entry.index;
    });
  };
  for (const DraftEntity& entity : draft.entities) {
    for (const DraftEntry& entry : entity.indexes) {
      if (is_read(entity, entry)) continue;
      draft.patterns.push_back({field_case(entity.name) + "Via" + entry.index, query_of(entity.name, entry)});
    }
  }
}

void explain_sections(Draft& draft) {
  draft.section_comments = {
      {"table", {"# The table in DynamoDB: its name and its key attributes."}},
      {"indexes", {"# Global indexes: each answers questions that the keys of the table cannot."}},
      {"entities",
       {"# Kinds of items. <field> in a key stands for the value of a field; a field that only keys hold is",
        "# listed under ids. Attributes may have required, unique, min, max, pattern, default, derive, …"}},
      {"patterns",
       {"# Questions to the table, by name: /v1/" + draft.name + "/NAME, and methods of generated code."}},
      {"operations", {"# Changes, by name: one transaction each, with conditions and named refusals."}}};
}

}  // namespace tavola::workshop
