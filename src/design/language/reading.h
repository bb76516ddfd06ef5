// What all sections of a file need while they are read: scalars, templates, ranges and rules, with exact places of mistakes.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "design/language/place.h"
#include "design/language/problems.h"
#include "design/model/model.h"
#include "design/model/vocabulary.h"
#include "yaml/node.h"

namespace tavola::design {

// ---- Nodes that passed check_language ----

std::string text_at(const yaml::Node& map, std::string_view key);  // empty when it is not there
Word word_at(const yaml::Node& map, std::string_view key);
bool flag_at(const yaml::Node& map, std::string_view key);
std::optional<Number> number_at(const yaml::Node& map, std::string_view key);
std::optional<std::uint64_t> count_at(const yaml::Node& map, std::string_view key);
// One text is a list of one.
std::vector<Word> words_at(const yaml::Node& map, std::string_view key);
std::vector<std::string> texts_at(const yaml::Node& map, std::string_view key);
Notes read_notes(const yaml::Node& part);
// The value that YAML's core schema and JSON give.
Value plain_value(const yaml::Node& node);
// The entries of a map; none when it is not there.
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
// field = `rule`, which is not written in the file. Nothing when the names cannot stand in a rule.
std::optional<Assignment> implied(const std::string& field, std::string_view rule, const Vocabulary& names,
                                  const Span& at);
bool assigns(const std::vector<Assignment>& assignments, std::string_view field);

// ---- Sections ----

void read_table(const yaml::Node& root, Design& design);
void read_indexes(const yaml::Node& root, Design& design);
// The types of index keys that are fields; after the entities are read.
void infer_key_types(const yaml::Node& root, Design& design);
void read_entities(const yaml::Node& root, Design& design, Problems& problems);
void read_copies(const yaml::Node& root, Design& design, Problems& problems);
void read_patterns(const yaml::Node& root, Design& design, Problems& problems);
void read_operations(const yaml::Node& root, Design& design, Problems& problems);
// Also what follows for entities that expire; after these are read, and before what uses their fields.
void read_retention(const yaml::Node& root, Design& design);
// Patterns and steps that do not name the mark of soft deletion leave out what has it; after both are read.
void hide_deleted(Design& design);
void read_roles(const yaml::Node& root, Design& design);
void read_groups(const yaml::Node& root, Design& design);
void read_capacity(const yaml::Node& root, Design& design);
void read_policy(const yaml::Node& root, Design& design);
void read_revisions(const yaml::Node& root, Design& design);

// ---- Parts of entities ----

// Returns the field without the bounds that are newer than stored designs: a pattern, which was once read differently, and
// the permissions that there are.
Attribute as_once_checked(Attribute field);
// A value that stands in the design, in the form of the field.
std::optional<Value> read_value(const yaml::Node& node, const Attribute& field, Problems& problems);
Attribute read_attribute(const yaml::Entry& entry, Problems& problems);
// The rules of attributes, which may use all fields and states.
void read_attribute_rules(const yaml::Node& attributes, std::vector<Attribute>& fields,
                          const Vocabulary& names, Problems& problems);
Lifecycle read_lifecycle(const yaml::Entry& entry, Problems& problems);
void read_transition_rules(const yaml::Node& lifecycle, Lifecycle& read, const Vocabulary& names,
                           Problems& problems);
Example read_example(const yaml::Node& node, const Entity& entity);

}  // namespace tavola::design
