// The functions that all section readers share: scalars, templates, ranges and rules, with exact positions of mistakes.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "design/language/problems.h"
#include "design/language/text_span.h"
#include "design/model/model.h"
#include "design/model/vocabulary.h"
#include "yaml/node.h"

namespace tavola::design {

// ---- Nodes that passed check_language ----

std::string text_at(const yaml::Node& map, std::string_view key);  // empty if missing
Word word_at(const yaml::Node& map, std::string_view key);
bool flag_at(const yaml::Node& map, std::string_view key);
std::optional<Number> number_at(const yaml::Node& map, std::string_view key);
std::optional<std::uint64_t> count_at(const yaml::Node& map, std::string_view key);
// Returns a list; a single text is a list of one.
std::vector<Word> words_at(const yaml::Node& map, std::string_view key);
std::vector<std::string> texts_at(const yaml::Node& map, std::string_view key);
Notes read_notes(const yaml::Node& part);
// Returns the value by YAML's core schema and by JSON.
Value plain_value(const yaml::Node& node);
// Returns the entries of a map; none if the map is missing.
const std::vector<yaml::Entry>& entries_at(const yaml::Node& map, std::string_view key);

Word word_of(const yaml::Node& node);

// "tags as tag", "File.claim"
struct Pair {
  Word first;
  Word second;
};
std::optional<Pair> split(const yaml::Node& scalar, std::string_view separator);

// ---- Small languages ----

std::optional<Template> read_template(const yaml::Node& node, Problems& problems);
std::optional<RangeCondition> read_range(const yaml::Node& node, Problems& problems);
std::optional<Rule> read_rule(const yaml::Node& node, Rule::Form form, const Vocabulary& names,
                              Problems& problems);
// {field: expression}
std::vector<Assignment> read_assignments(const yaml::Node& map, std::string_view key, const Vocabulary& names,
                                         Problems& problems);
// Returns the assignment field = `rule`, which the file does not contain. Returns nullopt if the names cannot
// stand in a rule.
std::optional<Assignment> implied(const std::string& field, std::string_view rule, const Vocabulary& names,
                                  const Span& at);
bool assigns(const std::vector<Assignment>& assignments, std::string_view field);

// ---- Sections ----

void read_table(const yaml::Node& root, Design& design);
void read_indexes(const yaml::Node& root, Design& design);
// Infers the types of index keys that are fields. Called after the entities are read.
void infer_key_types(const yaml::Node& root, Design& design);
void read_entities(const yaml::Node& root, Design& design, Problems& problems);
void read_copies(const yaml::Node& root, Design& design, Problems& problems);
void read_consequences(const yaml::Node& root, Design& design, Problems& problems);
void read_patterns(const yaml::Node& root, Design& design, Problems& problems);
// Reads the groups, measures and parameters of an aggregate. Called after the other patterns are read.
void read_aggregate(const yaml::Node& node, const Design& design, Pattern& pattern, Problems& problems);
void read_operations(const yaml::Node& root, Design& design, Problems& problems);
// Reads every `on_delete`. Called after the patterns are read and before hide_deleted().
void read_cascades(const yaml::Node& root, Design& design, Problems& problems);
// Also reads the consequences for entities that expire. Called after the entities are read and before their
// fields are used.
void read_retention(const yaml::Node& root, Design& design);
// Makes patterns and steps exclude soft-deleted items unless they name the mark. Called after both are read.
void hide_deleted(Design& design);
void read_roles(const yaml::Node& root, Design& design);
void read_groups(const yaml::Node& root, Design& design);
void read_capacity(const yaml::Node& root, Design& design);
void read_policy(const yaml::Node& root, Design& design);
void read_revisions(const yaml::Node& root, Design& design);

// ---- Parts of entities ----

// Returns the field without the bounds that are newer than stored designs: a pattern, which was once read differently,
// and the list of permissions.
Attribute as_once_checked(Attribute field);
// Reads a value of the design in the form of the field.
std::optional<Value> read_value(const yaml::Node& node, const Attribute& field, Problems& problems);
Attribute read_attribute(const yaml::Entry& entry, Problems& problems);
// Reads the rules of attributes, which may use all fields and states.
void read_attribute_rules(const yaml::Node& attributes, std::vector<Attribute>& fields,
                          const Vocabulary& names, Problems& problems);
Lifecycle read_lifecycle(const yaml::Entry& entry, Problems& problems);
void read_transition_rules(const yaml::Node& lifecycle, Lifecycle& read, const Vocabulary& names,
                           Problems& problems);
Example read_example(const yaml::Node& node, const Entity& entity);

}  // namespace tavola::design
