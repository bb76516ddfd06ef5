#include "lens/key_tree.h"

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "design/items/entity_item.h"
#include "json/writer.h"
#include "lens/key_readers.h"
#include "lens/reading.h"
#include "lens/shown_item.h"

namespace tavola::lens {
namespace {

constexpr std::int64_t kTreeItems = 5'000;
constexpr std::int64_t kTreeItemsMax = 20'000;
constexpr std::size_t kLargestMax = 100;
constexpr std::size_t kSamplesMax = 10;

// An entity and the template of its sort key there, of which a lifecycle has one for each state.
using Twig = std::pair<const design::Entity*, std::string>;

struct Branch {
  std::int64_t items = 0;
  std::map<std::string, std::pair<Value, std::int64_t>> partitions;  // by the JSON of the value
  std::map<Twig, std::int64_t> twigs;
};

class KeyTree {
 public:
  // `begun` is the partition that the page before ended in; null at the first page.
  KeyTree(const Subject& subject, std::string_view index, const Value* begun)
      : subject_(subject), index_(index), begun_(begun == nullptr ? std::string() : to_json(*begun)) {}

  void add(const Item& item) {
    const design::Decoded decoded = design::decode(subject_.design, item);
    const design::Template* const hash =
        decoded.entity == nullptr ? nullptr : hash_template(*decoded.entity, index_, decoded.fields);
    if (hash == nullptr) return add_unknown(item, decoded);
    const design::Template* const range = range_template(*decoded.entity, index_, decoded.fields);
    Branch& branch = branches_[hash->text()];
    ++branch.items;
    ++branch.twigs[{decoded.entity, range == nullptr ? std::string() : range->text()}];
    const Value& value = item.at(hash_of(subject_.design, index_).name);
    auto& partition = branch.partitions[to_json(value)];
    partition.first = value;
    ++partition.second;
  }

  void write(json::Writer& json) const {
    json.name("unknown").integer(unknown_);
    json.name("samples").begin_list();
    for (const auto& [key, why] : samples_) {
      json.begin_object();
      json.name("key").raw() += to_json(key);
      json.name("why").text(why);
      json.end_object();
    }
    json.end_list();
    json.name("branches").begin_list();
    for (const std::string& text : in_order()) write_branch(json, text, branches_.at(text));
    json.end_list();
  }

 private:
  void add_unknown(const Item& item, const design::Decoded& decoded) {
    ++unknown_;
    if (samples_.size() == kSamplesMax) return;
    samples_.emplace_back(key_of_item(subject_.design, item),
                          decoded.entity == nullptr
                              ? decoded.why_none
                              : decoded.entity->name + " has no key in " + std::string(index_));
  }

  // Returns the templates in the order of the entities that have them.
  std::vector<std::string> in_order() const {
    std::vector<std::string> texts;
    for (const design::Entity& entity : subject_.design.entities) {
      for (const auto& [text, branch] : branches_) {
        const bool has =
            std::ranges::any_of(branch.twigs, [&](const auto& twig) { return twig.first.first == &entity; });
        if (has && std::ranges::find(texts, text) == texts.end()) texts.push_back(text);
      }
    }
    return texts;
  }

  void write_branch(json::Writer& json, const std::string& text, const Branch& branch) const {
    json.begin_object();
    json.name("hash").text(text);
    json.name("items").integer(branch.items);
    json.name("partitions")
        .integer(std::ssize(branch.partitions) - (branch.partitions.contains(begun_) ? 1 : 0));
    json.name("largest").begin_list();
    std::vector<std::pair<Value, std::int64_t>> largest;
    largest.reserve(branch.partitions.size());
    for (const auto& [name, partition] : branch.partitions) largest.push_back(partition);
    std::ranges::sort(largest, [](const auto& a, const auto& b) {
      return a.second != b.second ? a.second > b.second : to_json(a.first) < to_json(b.first);
    });
    if (largest.size() > kLargestMax) largest.resize(kLargestMax);
    for (const auto& [value, items] : largest) {
      json.begin_object();
      json.name("value").raw() += to_json(value);
      json.name("items").integer(items);
      json.end_object();
    }
    json.end_list();
    json.name("entities").begin_list();
    for (const design::Entity& entity : subject_.design.entities) {
      for (const auto& [twig, items] : branch.twigs) {
        if (twig.first == &entity) write_twig(json, twig, items);
      }
    }
    json.end_list();
    json.end_object();
  }

  void write_twig(json::Writer& json, const Twig& twig, std::int64_t items) const {
    json.begin_object();
    json.name("entity").text(twig.first->name);
    json.name("title").text(twig.first->notes.title);
    json.name("range").text(twig.second);
    json.name("items").integer(items);
    json.name("patterns").begin_list();
    for (const design::Pattern* pattern : readers_of(subject_.design, *twig.first, index_))
      json.text(pattern->name);
    json.end_list();
    json.end_object();
  }

  const Subject& subject_;
  std::string_view index_;
  std::string begun_;                       // its JSON
  std::map<std::string, Branch> branches_;  // by the template of the partition key
  std::int64_t unknown_ = 0;
  std::vector<std::pair<Item, std::string>> samples_;
};

// Returns the request that reads the keys alone.
ScanRequest scan_of_keys(const design::Design& design, std::string_view index) {
  ScanRequest request{.table_name = design.table.name, .index_name = std::string(index)};
  const auto add = [&](const std::string& name) {
    if (name.empty()) return;
    const std::string placeholder = "#n" + std::to_string(request.names.size());
    const bool known =
        std::ranges::any_of(request.names, [&](const auto& one) { return one.second == name; });
    if (known) return;
    request.projection_expression += (request.names.empty() ? "" : ", ") + placeholder;
    request.names.emplace(placeholder, name);
  };
  add(design.table.hash.name);
  add(design.table.range ? design.table.range->name : "");
  if (!index.empty()) {
    add(hash_of(design, index).name);
    const design::KeyAttribute* const range = range_of(design, index);
    add(range == nullptr ? "" : range->name);
  } else {
    add(design.table.entity_attribute);
  }
  return request;
}

}  // namespace

Result<std::string> key_tree(const Subject& subject, const Question& question) {
  TAVOLA_TRY(const std::string index, index_of_question(subject.design, question));
  TAVOLA_TRY(const std::int64_t items, question.count("items", kTreeItems, kTreeItemsMax));
  TAVOLA_TRY(const std::optional<Item> start, question.item("page"));
  ScanRequest request = scan_of_keys(subject.design, index);
  if (start) {
    TAVOLA_TRY(request.exclusive_start_key, pack(*start));
  }
  const auto begun = start ? start->find(hash_of(subject.design, index).name)
                           : std::map<std::string, Value>::const_iterator();
  KeyTree tree(subject, index, start && begun != start->end() ? &begun->second : nullptr);
  TAVOLA_TRY(const Reading reading, read_pages(subject, std::move(request), items, [&](const Item& item) {
               tree.add(item);
               return Result<void>();
             }));
  std::string answer;
  json::Writer json(answer);
  json.begin_object();
  json.name("read").integer(reading.items);
  json.name("next").raw() += next_json(reading.next);
  tree.write(json);
  json.end_object();
  return answer;
}

}  // namespace tavola::lens
