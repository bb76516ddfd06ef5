#include <algorithm>

#include "design/lint/lints.h"
#include "design/model/key_templates.h"
#include "design/requests/pattern_request.h"
#include "value/limits.h"

namespace tavola::design {
namespace {

using Kind = AttributeType::Kind;

// The number of values up to which they count as few.
constexpr int kFewValues = 100;

bool has_few_values(const Attribute& field) {
  if (field.low_cardinality || field.type.kind == Kind::Boolean) return true;
  if (field.type.kind == Kind::Enum || !field.values.empty()) return true;
  if (!field.min || !field.max) return false;
  const Result<Number> many = *field.max - *field.min;
  return field.type.kind == Kind::Integer && many && *many < Number(kFewValues);
}

bool has_few_values(const Entity& entity, const Template& key) {
  return std::ranges::all_of(key.fields(), [&](const std::string& name) {
    const Attribute* field = entity.find_field(name);
    return field != nullptr && has_few_values(*field);
  });
}

void lint_partitions(Lints& lints) {
  for (const Index& index : lints.design().indexes) {
    std::string hot;
    for (const Entity& entity : lints.design().entities) {
      for (const Template& hash : keys_in(lints.design(), entity, index.name).hash) {
        if (has_few_values(entity, hash)) hot += (hot.empty() ? "" : ", ") + hash.text();
      }
    }
    if (hot.empty()) continue;
    lints.add("hot-partition", index.at, {&index.notes},
              "the partition key of index " + index.name + " has few values: " + hot,
              "Add a field with many values to the partition key, or accept the lint and give the reason why "
              "the load stays low.");
  }
}

// Returns how many bytes a field may have in a key; nullopt if there is no bound.
std::optional<std::uint64_t> key_bytes_max(const Attribute& field) {
  constexpr std::uint64_t kUsualId = 128;  // for texts without a bound: ids
  constexpr std::uint64_t kBytesPerCharacter = 4;
  constexpr std::uint64_t kNumber = 40;
  if (field.type.kind == Kind::Url) return field.max_length;  // ASCII
  if (field.type.kind != Kind::String) return kNumber;
  if (field.format || !field.values.empty()) return kUsualId;
  return field.max_length ? *field.max_length * kBytesPerCharacter : kUsualId;
}

void lint_length(Lints& lints, const Entity& entity, const Template& key, const Span& at,
                 std::uint64_t most) {
  std::uint64_t bytes = 0;
  for (const Template::Part& part : key.parts()) {
    if (const auto* text = std::get_if<std::string>(&part)) {
      bytes += text->size();
      continue;
    }
    const Attribute* field = entity.find_field(std::get<Placeholder>(part).field);
    if (field == nullptr) continue;
    const std::optional<std::uint64_t> more = key_bytes_max(*field);
    bytes += more.value_or(most + 1);
  }
  if (bytes <= most) return;
  lints.add("key-length", at, {&entity.notes},
            "the key " + key.text() + " may have more than " + std::to_string(most) + " bytes",
            "Give the fields in it a max_length, or put a hash of them into the key.");
}

void lint_lengths(Lints& lints) {
  for (const Entity& entity : lints.design().entities) {
    lint_length(lints, entity, entity.hash, entity.hash_at, limits::kPartitionKeyBytesMax);
    if (entity.range) lint_length(lints, entity, *entity.range, entity.range_at, limits::kSortKeyBytesMax);
    for (const IndexEntry& entry : entity.indexes) {
      if (entry.hash.from)
        lint_length(lints, entity, *entry.hash.from, entry.hash.at, limits::kPartitionKeyBytesMax);
      if (entry.range && entry.range->from) {
        lint_length(lints, entity, *entry.range->from, entry.range->at, limits::kSortKeyBytesMax);
      }
    }
  }
}

// Returns the kinds of timestamps that a key holds.
std::vector<Kind> timestamps_in(const Entity& entity, const Template& key) {
  std::vector<Kind> kinds;
  for (const Template::Part& part : key.parts()) {
    const auto* placeholder = std::get_if<Placeholder>(&part);
    const Attribute* field = placeholder == nullptr ? nullptr : entity.find_field(placeholder->field);
    if (field == nullptr || !field->type.is_timestamp()) continue;
    switch (placeholder->format) {
      case Placeholder::Format::Iso:
        kinds.push_back(Kind::TimestampIso);
        break;
      case Placeholder::Format::Milliseconds:
        kinds.push_back(Kind::TimestampMs);
        break;
      case Placeholder::Format::Descending:
      case Placeholder::Format::Date:
        break;
      default:
        kinds.push_back(field->type.kind);
    }
  }
  return kinds;
}

// Keys of one index that begin alike should hold times in one form.
void lint_timestamps(Lints& lints, std::string_view where) {
  struct Seen {
    const Entity* entity;
    Template key;
    Kind kind;
  };
  std::vector<Seen> seen;
  for (const Entity& entity : lints.design().entities) {
    for (const Template& key : keys_in(lints.design(), entity, where).range) {
      for (const Kind kind : timestamps_in(entity, key)) {
        const auto other = std::ranges::find_if(
            seen, [&](const Seen& one) { return one.kind != kind && one.key.prefix() == key.prefix(); });
        if (other != seen.end()) {
          const IndexEntry* entry = entity.find_index(where);
          lints.add("mixed-timestamps", entry != nullptr ? entry->at : entity.range_at, {&entity.notes},
                    "the key " + key.text() + " of " + entity.name + " and " + other->key.text() + " of " +
                        other->entity->name + " hold timestamps of two forms",
                    "Write both in one form: <" + key.fields().front() + ":iso> or <" + key.fields().front() +
                        ":ms>.");
        }
        seen.push_back({&entity, key, kind});
      }
    }
  }
}

void lint_collections(Lints& lints) {
  for (const Entity& entity : lints.design().entities) {
    if (!entity.range || timestamps_in(entity, *entity.range).empty()) continue;
    if (lints.design().find_retention(entity.name) != nullptr) continue;
    lints.add("unbounded-collection", entity.range_at, {&entity.notes},
              entity.name + " grows with time under " + entity.hash.text() + ", and has no retention",
              "Add keep, expire or archive under retention.");
  }
}

// Returns whether a query can be limited to a part of a partition, however much is written to it.
bool has_start(const std::optional<RangeCondition>& range) {
  using Operator = RangeCondition::Operator;
  if (!range || range->op == Operator::Less || range->op == Operator::LessEqual) return false;
  return range->op != Operator::BeginsWith || !range->first.fields().empty();
}

// Returns whether the items of a pattern become more with time, without end.
bool reads_ever_more(const Design& design, const Pattern& pattern) {
  if (pattern.form == Pattern::Form::Scan) return true;
  const Entity* const entity = design.find_entity(pattern.entity.text);
  if (pattern.form != Pattern::Form::Query || entity == nullptr || has_start(pattern.range)) return false;
  return std::ranges::any_of(keys_in(design, *entity, pattern.via.text).range,
                             [&](const Template& key) { return !timestamps_in(*entity, key).empty(); });
}

void lint_aggregates(Lints& lints) {
  const Design& design = lints.design();
  for (const Pattern& pattern : design.patterns) {
    if (pattern.form != Pattern::Form::Aggregate) continue;
    for (const Pattern* part : parts_of(design, pattern)) {
      if (!reads_ever_more(design, *part)) continue;
      lints.add("unbounded-aggregate", pattern.at, {&pattern.notes},
                pattern.name + " reads all items of " + part->name + ", which become more with time",
                "Aggregate a pattern whose range has a start, or let a counter with `create: true` keep the "
                "result.");
    }
  }
}

}  // namespace

void lint_keys(Lints& lints) {
  lint_partitions(lints);
  lint_lengths(lints);
  lint_timestamps(lints, "table");
  for (const Index& index : lints.design().indexes) lint_timestamps(lints, index.name);
  lint_collections(lints);
  lint_aggregates(lints);
}

}  // namespace tavola::design
