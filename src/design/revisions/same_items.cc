#include "design/revisions/same_items.h"

#include <algorithm>
#include <array>
#include <span>
#include <string_view>

#include "yaml/parse.h"

namespace tavola::design {
namespace {

using yaml::Entry;
using yaml::Node;

constexpr std::array<std::string_view, 2> kWords = {"title", "doc"};
constexpr std::array<std::string_view, 8> kForPeople = {"title", "doc",    "purpose",  "applies_to",
                                                        "run",   "policy", "capacity", "planned"};
constexpr std::array<std::string_view, 3> kRequests = {"patterns", "operations", "roles"};

bool is_among(std::span<const std::string_view> names, std::string_view name) {
  return std::ranges::find(names, name) != names.end();
}

// Removes what no item depends on.
void strip(Node& design) {
  const bool has_groups = design.find("groups") != nullptr;
  std::erase_if(design.entries, [has_groups](const Entry& entry) {
    return is_among(kForPeople, entry.key.text) || (!has_groups && is_among(kRequests, entry.key.text));
  });
  const auto strip_words = [](Node& part) {
    std::erase_if(part.entries, [](const Entry& entry) { return is_among(kWords, entry.key.text); });
  };
  for (Entry& section : design.entries) {
    if (section.key.text != "entities") continue;
    for (Entry& entity : section.value.entries) {
      strip_words(entity.value);
      for (Entry& member : entity.value.entries) {
        if (member.key.text != "attributes" && member.key.text != "ids") continue;
        for (Entry& attribute : member.value.entries) strip_words(attribute.value);
      }
    }
  }
}

bool are_equal(const Node& a, const Node& b);

bool are_equal(const Entry& a, const Entry& b) {
  return a.key.text == b.key.text && are_equal(a.value, b.value);
}

bool are_equal(const Node& a, const Node& b) {
  constexpr auto kNodes = [](const Node& one, const Node& other) { return are_equal(one, other); };
  constexpr auto kEntries = [](const Entry& one, const Entry& other) { return are_equal(one, other); };
  return a.kind == b.kind && a.text == b.text && std::ranges::equal(a.items, b.items, kNodes) &&
         std::ranges::equal(a.entries, b.entries, kEntries);
}

}  // namespace

bool have_same_items(const Design& older, const Design& newer) {
  yaml::Document before = yaml::parse(older.text);
  yaml::Document after = yaml::parse(newer.text);
  if (!before.problems.empty() || !after.problems.empty()) return false;
  strip(before.root);
  strip(after.root);
  return are_equal(before.root, after.root);
}

}  // namespace tavola::design
