#include "workshop/diff/diff.h"

#include <algorithm>
#include <array>

#include "base/joined.h"
#include "database/enum_names.h"
#include "json/writer.h"
#include "workshop/diff/diff_parts.h"

namespace tavola::workshop {
namespace {

using design::Design;

std::string_view class_name(Difference::Class what) {
  switch (what) {
    case Difference::Class::Change:
      return "change";
    case Difference::Class::Backfill:
      return "backfill";
    case Difference::Class::Breaks:
      return "breaks";
  }
  return "";
}

std::string key_text(const design::KeyAttribute& key) {
  return key.name + " (" + std::string(enum_name(key.type)) + ")";
}
std::string keys_text(const design::KeyAttribute& hash, const std::optional<design::KeyAttribute>& range) {
  return key_text(hash) + (range ? ", " + key_text(*range) : "");
}

void diff_table(Differences& out, const Design& before, const Design& after) {
  const design::Table& old = before.table;
  const design::Table& now = after.table;
  out.add_if_changed("table", "name", old.name, now.name, Difference::Class::Breaks);
  out.add_if_changed("table", "keys", keys_text(old.hash, old.range), keys_text(now.hash, now.range),
                     Difference::Class::Breaks);
  out.add_if_changed("table", "billing", std::string(enum_name(old.billing)),
                     std::string(enum_name(now.billing)));
  out.add_if_changed("table", "entity attribute", old.entity_attribute, now.entity_attribute,
                     Difference::Class::Backfill);
  out.add_if_changed("table", "time to live", old.ttl, now.ttl);
}

std::string projection_text(const IndexProjection& projection) {
  if (projection.type != ProjectionType::Include) return std::string(enum_name(projection.type));
  std::vector<std::string> attributes = projection.attributes;
  std::ranges::sort(attributes);
  return joined(attributes);
}

void diff_design(Differences& out, const Design& before, const Design& after) {
  constexpr std::string_view kWords[] = {"strict", "warn", "off"};
  const auto word = [&](const Design& of) {
    return std::string(kWords[static_cast<std::size_t>(of.enforce)]);
  };
  // Its name is part of the paths under /v1.
  out.add_if_changed("design", "name", before.name, after.name, Difference::Class::Breaks);
  out.add_if_changed("design", "revision", before.revision, after.revision);
  // The first is the strictest.
  out.add_if_changed("design", "enforce", word(before), word(after),
                     after.enforce < before.enforce ? Difference::Class::Breaks : Difference::Class::Change);
}

void diff_indexes(Differences& out, const Design& before, const Design& after) {
  out.each(before.indexes, after.indexes, "index ", Difference::Class::Backfill,
           [&](const design::Index& old, const design::Index& now) {
             const std::string part = "index " + now.name;
             // DynamoDB can change neither: the index must be created again, under another name or after its
             // deletion.
             out.add_if_changed(part, "keys", keys_text(old.hash, old.range), keys_text(now.hash, now.range),
                                Difference::Class::Breaks);
             out.add_if_changed(part, "projection", projection_text(old.projection),
                                projection_text(now.projection), Difference::Class::Backfill);
             if (old.local != now.local) {
               out.add(Difference::Class::Breaks, part, now.local ? "becomes local" : "becomes global");
             }
           });
}

}  // namespace

std::vector<Difference> diff(const Design& before, const Design& after) {
  Differences out;
  diff_design(out, before, after);
  diff_table(out, before, after);
  diff_indexes(out, before, after);
  diff_entities(out, before, after);
  diff_copies(out, before, after);
  diff_consequences(out, before, after);
  diff_patterns(out, before, after);
  diff_operations(out, before, after);
  diff_agreements(out, before, after);
  return out.take();
}

std::string to_text(const Difference& difference) {
  const std::string_view name = class_name(difference.what);
  return std::string(name) + std::string(10 - name.size(), ' ') + difference.part + ": " + difference.message;
}

std::string to_text(const std::vector<Difference>& differences) {
  if (differences.empty()) return "The designs do not differ.\n";
  std::string text;
  std::array<std::size_t, 3> counts{};
  for (const Difference& difference : differences) {
    text += to_text(difference) + "\n";
    ++counts.at(static_cast<std::size_t>(difference.what));
  }
  return text + "\n" + std::to_string(counts[0]) + " changed, " + std::to_string(counts[1]) +
         " to backfill, " + std::to_string(counts[2]) + " breaking\n";
}

std::string to_json(const std::vector<Difference>& differences) {
  std::string out;
  json::Writer json(out);
  json.begin_list();
  for (const Difference& difference : differences) {
    json.begin_object();
    json.name("class").text(class_name(difference.what));
    json.name("part").text(difference.part);
    json.name("message").text(difference.message);
    json.end_object();
  }
  json.end_list();
  return out;
}

}  // namespace tavola::workshop
