#include <algorithm>
#include <array>
#include <cctype>
#include <iterator>
#include <map>

#include "base/joined.h"
#include "design/model/plain_json.h"
#include "workshop/cost/estimate.h"
#include "workshop/docs/docs_sections.h"

namespace tavola::workshop {
namespace {

using design::Attribute;
using design::Design;
using design::Entity;
using design::Lifecycle;

std::string bounds_text(const Attribute& field) {
  const auto range = [](const auto& low, const auto& high, std::string_view unit) -> std::string {
    if (low && high) return *low + " to " + *high + std::string(unit);
    if (low) return "at least " + *low + std::string(unit);
    return high ? "at most " + *high + std::string(unit) : "";
  };
  const auto number = [](const std::optional<Number>& value) {
    return value ? std::optional(value->to_string()) : std::nullopt;
  };
  const auto count = [](const std::optional<std::uint64_t>& value) {
    return value ? std::optional(std::to_string(*value)) : std::nullopt;
  };
  std::string text = range(number(field.min), number(field.max), "");
  const std::string length = range(count(field.min_length), count(field.max_length), " characters");
  if (!length.empty()) text += (text.empty() ? "" : ", ") + length;
  if (field.max_items)
    text += (text.empty() ? "" : ", ") + ("at most " + std::to_string(*field.max_items) + " items");
  return text;
}

// Returns the source of the value if it is not given.
std::string origin_text(const Attribute& field) {
  if (field.value) return "is " + code(field.value->text());
  if (field.derive) return "is " + code(field.derive->text());
  if (field.only) return "is " + code(field.only->text()) + ", and clients may write no other value";
  switch (field.automatic) {
    case Attribute::Auto::Create:
      return "set when it is created";
    case Attribute::Auto::Update:
      return "set at every change";
    case Attribute::Auto::Transition:
      return "set at every transition";
    case Attribute::Auto::No:
      break;
  }
  if (field.generate == Attribute::Generate::Uuid) return "generated if missing: a UUID";
  if (field.generate == Attribute::Generate::Ulid) return "generated if missing: a ULID";
  return field.otherwise ? "default " + code(design::to_plain_json(*field.otherwise)) : "";
}

std::string rules_text(const Attribute& field) {
  std::vector<std::string> rules;
  if (!field.stored) rules.emplace_back("in the key only");
  if (field.required) rules.emplace_back("required");
  if (field.immutable) rules.emplace_back("never changes");
  if (field.sensitive) rules.emplace_back("sensitive");
  if (std::string origin = origin_text(field); !origin.empty()) rules.push_back(std::move(origin));
  if (!field.values.empty()) rules.push_back("one of " + joined(field.values, code));
  if (!field.suggest.empty()) rules.push_back("such as " + joined(field.suggest, code));
  if (std::string bounds = bounds_text(field); !bounds.empty()) rules.push_back(std::move(bounds));
  if (!field.pattern.empty()) rules.push_back("like " + code(field.pattern.text()));
  if (field.format) rules.push_back("written " + code(field.format->text()));
  if (field.when) rules.push_back("exactly when " + code(field.when->text()));
  if (!field.ref.empty()) rules.push_back("of a " + field.ref);
  if (field.unique) {
    rules.push_back(field.unique->within.empty() ? "unique"
                                                 : "unique within " + joined(field.unique->within, code));
  }
  return joined(rules);
}

std::string field_notes(const Attribute& field) {
  std::string text = field.notes.doc;
  if (!field.purpose.empty()) text += (text.empty() ? "" : " ") + field.purpose;
  if (field.example)
    text += (text.empty() ? "" : " ") + ("Example: " + code(design::to_plain_json(*field.example)));
  return text;
}

void add_fields(std::vector<std::vector<std::string>>& rows, const std::vector<Attribute>& fields,
                const std::string& within) {
  for (const Attribute& field : fields) {
    rows.push_back(
        {code(within + field.name), design::type_text(field.type), rules_text(field), field_notes(field)});
    add_fields(rows, field.of, within + field.name + ".");
  }
}

void write_entity_rules(Markdown& out, const Entity& entity) {
  std::vector<std::vector<std::string>> rows;
  rows.reserve(entity.rules.size());
  for (const design::EntityRule& rule : entity.rules) {
    const std::string notes =
        rule.message + (rule.message.empty() || rule.notes.doc.empty() ? "" : " ") + rule.notes.doc;
    rows.push_back({rule.name, code(rule.that.text()), notes});
  }
  out.table({"Rule", "Holds for every item", "Notes"}, rows);
}

std::string source_text(const design::KeySource& source) {
  return source.from ? code(source.from->text()) : "state of " + source.lifecycle;
}

void write_index_entries(Markdown& out, const Entity& entity) {
  std::vector<std::vector<std::string>> rows;
  rows.reserve(entity.indexes.size());
  for (const design::IndexEntry& entry : entity.indexes) {
    rows.push_back({entry.index, source_text(entry.hash), entry.range ? source_text(*entry.range) : "",
                    entry.when ? code(entry.when->text()) : ""});
  }
  out.table({"In index", "Partition key", "Sort key", "While"}, rows);
}

// Writes what happens to the items that name a deleted one.
void write_deletions(Markdown& out, const Entity& entity) {
  using Action = design::Cascade::Action;
  const auto of = [&](Action action) {
    std::vector<design::Cascade> found;
    std::ranges::copy_if(entity.on_delete, std::back_inserter(found),
                         [&](const design::Cascade& one) { return one.action == action; });
    return found;
  };
  const auto with_pattern = [](const design::Cascade& one) {
    return one.entity.text + " of " + code(one.pattern.text);
  };
  if (const auto deleted = of(Action::Delete); !deleted.empty()) {
    const auto every = [&](const design::Cascade& one) { return "every " + with_pattern(one); };
    out.paragraph("Deleted along with it: " + joined(deleted, every) + ".");
  }
  if (const auto detached = of(Action::Detach); !detached.empty()) {
    const auto every = [&](const design::Cascade& one) {
      return "every " + with_pattern(one) + " loses " + code(one.field.text);
    };
    out.paragraph("With its deletion, " + joined(detached, every) + ".");
  }
  if (const auto restricted = of(Action::Restrict); !restricted.empty()) {
    const auto any = [&](const design::Cascade& one) { return "a " + with_pattern(one); };
    out.paragraph("It cannot be deleted while there is " + joined(restricted, any) + ".");
  }
}

// ---- Lifecycles ----

// Mermaid's keywords, and names with dashes, cannot name a state; they can be its label.
bool is_mermaid_name(std::string_view name) {
  constexpr auto kReserved = std::to_array<std::string_view>(
      {"state", "end", "note", "direction", "class", "classDef", "style", "fork", "join", "choice"});
  const auto is_word = [](unsigned char c) { return std::isalnum(c) != 0 || c == '_'; };
  return std::ranges::all_of(name, is_word) && std::ranges::find(kReserved, name) == kReserved.end();
}

std::string diagram(const Lifecycle& lifecycle) {
  std::string text = "stateDiagram-v2\n";
  std::map<std::string, std::string, std::less<>> nodes;
  for (const design::State& state : lifecycle.states) {
    std::string& node = nodes[state.name] = state.name;
    if (is_mermaid_name(state.name)) continue;
    node = "state" + std::to_string(nodes.size());
    text += "  state \"" + state.name + "\" as " + node + "\n";
  }
  if (!lifecycle.states.empty()) text += "  [*] --> " + nodes[lifecycle.initial().name] + "\n";
  for (const design::Transition& transition : lifecycle.transitions) {
    for (const design::Word& from : transition.from) {
      text += "  " + nodes[from.text] + " --> " + nodes[transition.to.text] + ": " + transition.name + "\n";
    }
  }
  for (const design::State& state : lifecycle.states) {
    if (state.terminal) text += "  " + nodes[state.name] + " --> [*]\n";
  }
  return text;
}

std::string held_in(const Lifecycle& lifecycle) {
  return lifecycle.attribute.empty() ? "the sort key of " + lifecycle.index : code(lifecycle.attribute);
}

void write_lifecycle(Markdown& out, const Lifecycle& lifecycle) {
  out.paragraph("**Lifecycle " + lifecycle.name + "**, held in " + held_in(lifecycle) +
                (lifecycle.notes.doc.empty() ? "." : ". " + lifecycle.notes.doc));
  out.code_block("mermaid", diagram(lifecycle));
  std::vector<std::vector<std::string>> states;
  states.reserve(lifecycle.states.size());
  for (const design::State& state : lifecycle.states) {
    states.push_back({state.name, state.key ? code(state.key->text()) : "",
                      state.stuck_after ? "after " + duration_text(*state.stuck_after) : "",
                      (state.again ? "May be entered again. " : "") + state.notes.doc});
  }
  const bool says_more = std::ranges::any_of(
      states, [](const auto& row) { return !row[1].empty() || !row[2].empty() || !row[3].empty(); });
  if (says_more) out.table({"State", "Key", "Stuck", "Notes"}, states);
  std::vector<std::vector<std::string>> transitions;
  transitions.reserve(lifecycle.transitions.size());
  for (const design::Transition& transition : lifecycle.transitions) {
    transitions.push_back(
        {transition.name, joined(transition.from, &design::Word::text) + " → " + transition.to.text,
         joined(transition.set,
                [](const design::Assignment& one) { return code(one.field + " = " + one.value.text()); }),
         joined(transition.require, [](const design::Word& word) { return code(word.text); }),
         transition.notes.doc});
  }
  out.table({"Transition", "Leads", "Sets", "Needs", "Notes"}, transitions);
  out.bullets(lifecycle.guarantees);
}

}  // namespace

void write_entities(Markdown& out, const Design& design) {
  out.heading(2, "Entities");
  for (const Entity& entity : design.entities) {
    out.heading(3, with_title(entity.name, entity.notes));
    out.paragraph(entity.notes.doc);
    const std::string range = entity.range ? " / " + code(entity.range->text()) : "";
    out.paragraph("Key " + code(entity.hash.text()) + range + ", about " +
                  std::to_string(item_bytes(design, entity)) + " bytes." +
                  (entity.stage.empty() ? "" : " Stage: " + entity.stage + "."));
    std::vector<std::vector<std::string>> rows;
    add_fields(rows, entity.fields, "");
    out.table({"Field", "Type", "Rules", "Notes"}, rows);
    if (entity.closed) out.paragraph("Closed: it has no other attributes.");
    write_entity_rules(out, entity);
    write_index_entries(out, entity);
    write_deletions(out, entity);
    for (const Lifecycle& lifecycle : entity.lifecycles) write_lifecycle(out, lifecycle);
  }
}

}  // namespace tavola::workshop
