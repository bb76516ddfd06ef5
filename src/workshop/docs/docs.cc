#include "workshop/docs/docs.h"

#include <algorithm>

#include "base/joined.h"
#include "database/enum_names.h"
#include "workshop/docs/docs_sections.h"
#include "yaml/write.h"

namespace tavola::workshop {
namespace {

using design::Consequence;
using design::Copy;
using design::Design;
using design::Retention;
using design::Word;

std::string words(const std::vector<Word>& of) { return joined(of, &Word::text); }

std::string key_text(const design::KeyAttribute& key) {
  return code(key.name) + (key.type == Type::String ? "" : " (" + std::string(enum_name(key.type)) + ")");
}
std::string keys_text(const design::KeyAttribute& hash, const std::optional<design::KeyAttribute>& range) {
  return key_text(hash) + (range ? ", " + key_text(*range) : "");
}

void write_head(Markdown& out, const Design& design) {
  out.heading(1, design.notes.title.empty() ? design.name : design.notes.title);
  out.paragraph(design.notes.doc);
  out.bullets(design.purpose);
  const design::Table& table = design.table;
  std::vector<std::vector<std::string>> rows{
      {"Design", code(design.name) + (design.revision.empty() ? "" : ", revision " + design.revision)},
      {"Table",
       code(table.name) + (table.name_env.empty() ? "" : ", or as " + code(table.name_env) + " says")},
      {"Keys", keys_text(table.hash, table.range)},
      {"Billing", std::string(enum_name(table.billing))}};
  if (!table.entity_attribute.empty()) rows.push_back({"Entity of each item", code(table.entity_attribute)});
  if (!table.ttl.empty()) rows.push_back({"Expires by", code(table.ttl)});
  if (design.enforce != design::Enforce::Strict) {
    rows.push_back({"Writes against the design",
                    design.enforce == design::Enforce::Warn ? "are reported" : "are accepted"});
  }
  out.table({"", "What"}, rows);
}

void write_keys(Markdown& out, const Design& design) {
  out.heading(2, "Keys");
  std::vector<std::vector<std::string>> rows;
  rows.reserve(design.entities.size());
  for (const design::Entity& entity : design.entities) {
    rows.push_back({entity.name, code(entity.hash.text()), entity.range ? code(entity.range->text()) : ""});
  }
  out.table({"Entity", design.table.hash.name, design.table.range ? design.table.range->name : ""}, rows);
}

std::string projection_text(const IndexProjection& projection) {
  if (projection.type == ProjectionType::All) return "everything";
  return projection.type == ProjectionType::KeysOnly ? "keys" : joined(projection.attributes, code);
}

void write_indexes(Markdown& out, const Design& design) {
  if (design.indexes.empty()) return;
  out.heading(2, "Indexes");
  std::vector<std::vector<std::string>> rows;
  for (const design::Index& index : design.indexes) {
    std::vector<std::string> entities;
    for (const design::Entity& entity : design.entities) {
      if (entity.find_index(index.name) != nullptr) entities.push_back(entity.name);
    }
    std::vector<std::string> patterns;
    for (const design::Pattern& pattern : design.patterns) {
      if (pattern.via.text == index.name) patterns.push_back(code(pattern.name));
    }
    rows.push_back({index.name + (index.local ? " (local)" : ""), keys_text(index.hash, index.range),
                    projection_text(index.projection), joined(entities), joined(patterns), index.notes.doc});
  }
  out.table({"Index", "Keys", "Holds", "Of", "For", "Notes"}, rows);
}

// ---- Copies ----

std::string_view kind_text(Copy::Kind kind) {
  switch (kind) {
    case Copy::Kind::Mirror:
      return "mirror";
    case Copy::Kind::Fanout:
      return "fanout";
    case Copy::Kind::Snapshot:
      return "snapshot";
    case Copy::Kind::Counter:
      return "counter";
  }
  return "";
}

std::string_view mode_text(Copy::Mode mode) {
  switch (mode) {
    case Copy::Mode::Transaction:
      return "in the same transaction";
    case Copy::Mode::AtCreate:
      return "once, at its creation";
    case Copy::Mode::Async:
      return "later";
  }
  return "";
}

std::string carried_text(const Copy& copy) {
  const auto assignment = [](const design::Assignment& one) {
    const std::string& value = one.value.text();
    return value == one.field ? code(one.field) : code(one.field + " = " + value);
  };
  std::string text = joined(copy.carry, assignment);
  const auto add = [&text](const std::string& more) { text += (text.empty() ? "" : ", ") + more; };
  if (copy.kind == Copy::Kind::Fanout) add("one for each of " + code(copy.each));
  if (!copy.count.empty()) add(code(copy.count) + " counts");
  for (const design::Assignment& sum : copy.sum) add(code(sum.field) + " sums " + code(sum.value.text()));
  return text;
}

void write_copies(Markdown& out, const Design& design) {
  if (design.copies.empty()) return;
  out.heading(2, "Copies");
  std::vector<std::vector<std::string>> rows;
  rows.reserve(design.copies.size());
  for (const Copy& copy : design.copies) {
    rows.push_back({copy.name, std::string(kind_text(copy.kind)), copy.from.text + " → " + copy.to.text,
                    carried_text(copy), copy.when ? code(copy.when->text()) : "",
                    std::string(mode_text(copy.mode)), copy.notes.doc});
  }
  out.table({"Copy", "Kind", "From → to", "Carries", "If", "Written", "Notes"}, rows);
}

std::string changes_text(const Consequence& consequence) {
  std::vector<std::string> words;
  if (consequence.on_create) words.emplace_back("create");
  if (consequence.on_update) words.emplace_back("update");
  if (consequence.on_delete) words.emplace_back("delete");
  return joined(words) + " " + joined(consequence.of, [](const design::Word& one) { return one.text; });
}

void write_consequences(Markdown& out, const Design& design) {
  if (design.consequences.empty()) return;
  out.heading(2, "Consequences");
  out.paragraph(
      "New items that are written in the transaction of the change that they follow from, whoever makes it.");
  std::vector<std::vector<std::string>> rows;
  rows.reserve(design.consequences.size());
  for (const Consequence& consequence : design.consequences) {
    const std::string fields = joined(consequence.set, [](const design::Assignment& one) {
      const std::string& value = one.value.text();
      return code(value == one.field ? value : one.field + " = " + value);
    });
    const std::string reads = joined(consequence.reads, [](const design::ReadFirst& one) {
      return code(one.name) + " is its " + one.entity.text;
    });
    rows.push_back({consequence.name, changes_text(consequence),
                    consequence.when ? code(consequence.when->text()) : "", consequence.entity.text,
                    reads.empty() ? fields : fields + "; " + reads, consequence.notes.doc});
  }
  out.table({"Consequence", "Of", "If", "Puts", "With", "Notes"}, rows);
}

// ---- Other sections ----

std::string retention_text(const Retention& retention) {
  const std::string age =
      retention.after ? duration_text(*retention.after) + " after " + code(retention.by) : "";
  switch (retention.kind) {
    case Retention::Kind::Keep:
      return "kept " + retention.keep;
    case Retention::Kind::Expire:
      return "expires " + age;
    case Retention::Kind::Archive:
      return "moved to " + retention.archive_to + " " + age;
    case Retention::Kind::SoftDelete:
      return "deleted by setting " + code(retention.attribute);
  }
  return "";
}

void write_retention(Markdown& out, const Design& design) {
  if (design.retention.empty()) return;
  out.heading(2, "Retention");
  std::vector<std::vector<std::string>> rows;
  rows.reserve(design.retention.size());
  for (const Retention& retention : design.retention) {
    rows.push_back({retention.entity, retention_text(retention), retention.why});
  }
  out.table({"Entity", "Is", "Why"}, rows);
}

void write_roles(Markdown& out, const Design& design) {
  if (design.roles.empty()) return;
  out.heading(2, "Roles");
  std::vector<std::vector<std::string>> rows;
  rows.reserve(design.roles.size());
  for (const design::Role& role : design.roles) {
    rows.push_back({role.name + (role.extends.empty() ? "" : " (and " + role.extends + ")"), role.is,
                    words(role.read), words(role.write) + (role.may_import ? " (also imports)" : ""),
                    words(role.run), role.own.empty() ? "" : code(role.own), role.notes.doc});
  }
  out.table({"Role", "Who is", "Reads", "Writes", "Runs", "Only their own, by", "Notes"}, rows);
  if (!design.groups) return;
  const auto source_text = [](const design::Groups::Source& source) {
    return code(source.field.text) + " of the items that " + code(source.pattern.text) + " finds.";
  };
  if (!design.groups->member_of.pattern.empty()) {
    out.paragraph("Groups of a person, in addition to those of the token: " +
                  source_text(design.groups->member_of));
  }
  if (!design.groups->permissions.pattern.empty()) {
    out.paragraph(
        "Further permissions of the members of a group: " + source_text(design.groups->permissions) +
        " Only a person who has a permission may grant it.");
  }
  if (!design.groups->for_others.empty()) {
    out.paragraph("Not limited to a person's own items, if a group permits it: " +
                  words(design.groups->for_others) + ".");
  }
}

void write_capacity(Markdown& out, const Design& design) {
  if (design.capacity.empty()) return;
  out.heading(2, "Capacity");
  const auto counts = [](const std::vector<std::pair<Word, Number>>& of) {
    return joined(of, [](const auto& one) { return one.second.to_string() + " " + one.first.text; });
  };
  std::vector<std::vector<std::string>> rows;
  rows.reserve(design.capacity.size());
  for (const design::CapacitySize& size : design.capacity) {
    rows.push_back({size.name, counts(size.items), counts(size.daily), size.mode,
                    joined(size.words, [](const auto& one) { return one.first + ": " + one.second; })});
  }
  out.table({"Size", "Items", "A day", "Mode", "In words"}, rows);
}

void write_policy(Markdown& out, const Design& design) {
  const design::Policy& policy = design.policy;
  std::vector<std::string> lines;
  if (policy.indexes_max) {
    lines.push_back("At most " + std::to_string(*policy.indexes_max) + " global indexes" +
                    (policy.indexes_unless.empty() ? "" : ", unless " + policy.indexes_unless));
  }
  if (policy.tables_max) lines.push_back("At most " + std::to_string(*policy.tables_max) + " tables");
  if (!policy.authentication.empty()) lines.push_back("Authentication: " + policy.authentication);
  lines.insert(lines.end(), policy.guidance.begin(), policy.guidance.end());
  if (lines.empty()) return;
  out.heading(2, "Policy");
  out.bullets(lines);
}

void write_revisions(Markdown& out, const Design& design) {
  if (design.revisions.empty()) return;
  out.heading(2, "Revisions");
  for (const design::Revision& revision : design.revisions) {
    out.paragraph("From " + revision.from + " to " + revision.to + ":");
    std::vector<std::string> lines;
    for (const design::Change& change : revision.changes) {
      yaml::Document said{.root = change.said, .problems = {}, .comments_end = {}};
      said.root.style = yaml::Style::Flow;
      std::string text = yaml::write(said);
      std::ranges::replace(text, '\n', ' ');
      while (text.ends_with(' ')) text.pop_back();
      lines.push_back(code(text));
    }
    out.bullets(lines);
  }
}

// ---- Accepted lints ----

using Rows = std::vector<std::vector<std::string>>;

void add_accepted(Rows& rows, const std::string& part, const design::Notes& notes) {
  for (const auto& [lint, reason] : notes.accept) rows.push_back({part, lint, reason});
}

void write_accepted(Markdown& out, const Design& design) {
  Rows rows;
  add_accepted(rows, design.name, design.notes);
  add_accepted(rows, "table", design.table.notes);
  for (const auto& index : design.indexes) add_accepted(rows, index.name, index.notes);
  for (const auto& entity : design.entities) {
    add_accepted(rows, entity.name, entity.notes);
    for (const auto& field : entity.fields) add_accepted(rows, entity.name + "." + field.name, field.notes);
    for (const auto& lifecycle : entity.lifecycles) {
      add_accepted(rows, entity.name + "." + lifecycle.name, lifecycle.notes);
      for (const auto& state : lifecycle.states) {
        add_accepted(rows, entity.name + "." + lifecycle.name + "." + state.name, state.notes);
      }
    }
  }
  for (const auto& copy : design.copies) add_accepted(rows, copy.name, copy.notes);
  for (const auto& one : design.consequences) add_accepted(rows, one.name, one.notes);
  for (const auto& pattern : design.patterns) add_accepted(rows, pattern.name, pattern.notes);
  for (const auto& operation : design.operations) add_accepted(rows, operation.name, operation.notes);
  if (rows.empty()) return;
  out.heading(2, "Accepted");
  out.paragraph("Findings of `tavola design lint` that the design accepts, with the reasons.");
  out.table({"Part", "Lint", "Why"}, rows);
}

}  // namespace

std::string with_title(const std::string& name, const design::Notes& notes) {
  return notes.title.empty() ? name : name + ": " + notes.title;
}

std::string duration_text(std::chrono::milliseconds duration) {
  struct Unit {
    std::int64_t milliseconds;
    std::string_view name;
  };
  for (const Unit unit :
       {Unit{86'400'000, "day"}, Unit{3'600'000, "hour"}, Unit{60'000, "minute"}, Unit{1000, "second"}}) {
    if (duration.count() % unit.milliseconds != 0) continue;
    const std::int64_t count = duration.count() / unit.milliseconds;
    return std::to_string(count) + " " + std::string(unit.name) + (count == 1 ? "" : "s");
  }
  return std::to_string(duration.count()) + " ms";
}

std::string place_text(const Design& design, const std::string& via) {
  return design.find_index(via) == nullptr ? "the table" : via;
}

std::string docs(const Design& design) {
  Markdown out;
  write_head(out, design);
  write_keys(out, design);
  write_indexes(out, design);
  write_entities(out, design);
  write_copies(out, design);
  write_consequences(out, design);
  write_patterns(out, design);
  write_operations(out, design);
  write_retention(out, design);
  write_roles(out, design);
  write_capacity(out, design);
  write_policy(out, design);
  if (!design.planned.empty()) {
    out.heading(2, "Planned");
    out.bullets(design.planned);
  }
  write_revisions(out, design);
  write_accepted(out, design);
  return out.take();
}

}  // namespace tavola::workshop
