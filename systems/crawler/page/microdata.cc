#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "page/draft.h"
#include "page/structured_data.h"
#include "web/url.h"

namespace crawler {
namespace {

// HTML standard, 5.2.4 "Values": which attribute is the value of an element's property.
constexpr std::array<std::pair<std::string_view, const char*>, 15> kMicrodataAttributes = {
    {{"meta", "content"},
     {"audio", "src"},
     {"embed", "src"},
     {"iframe", "src"},
     {"img", "src"},
     {"source", "src"},
     {"track", "src"},
     {"video", "src"},
     {"a", "href"},
     {"area", "href"},
     {"link", "href"},
     {"object", "data"},
     {"data", "value"},
     {"meter", "value"},
     {"time", "datetime"}}};

std::string microdata_value(const Element& element) {
  // The standard gives `content` a meaning on <meta> alone; schema.org's own examples, and shops, use it on every element.
  if (const auto content = element.attribute("content")) return std::string(trimmed(*content));
  for (const auto& [name, attribute] : kMicrodataAttributes) {
    if (element.name() != name) continue;
    if (const auto value = element.attribute(attribute)) return std::string(trimmed(*value));
  }
  return single_spaced(element.text());
}

class MicrodataReader {
 public:
  std::vector<Thing> read(const Document& document) {
    for_each_element(document.root(), [this](const Element& element) {
      if (const auto id = element.attribute("id")) by_id_.emplace(*id, element);
    });
    waiting_.push_back({document.root(), DraftThings::kNone});
    while (!waiting_.empty()) {
      const auto [element, thing] = waiting_.back();
      waiting_.pop_back();
      visit(element, thing);
    }
    return things_.finished();
  }

 private:
  void visit(const Element& element, std::size_t outer) {
    const auto property = element.attribute("itemprop");
    std::size_t inner = outer;
    if (element.has("itemscope")) {
      // An item that is referred to may have been read already, as a part of itself even.
      const auto [item, is_new] = items_.try_emplace(element, DraftThings::kNone);
      if (is_new) item->second = begin_item(element);
      inner = item->second;
      for (const std::string_view name : words_of(property.value_or("")))
        things_.add_thing(outer, short_name(name), inner);
      if (!is_new) return;
    } else if (property && outer != DraftThings::kNone) {
      const std::string value = microdata_value(element);
      for (const std::string_view name : words_of(*property))
        things_.add_text(outer, short_name(name), value);
    }
    element.for_each_child_backwards([&](const Element& child) { waiting_.emplace_back(child, inner); });
    if (element.has("itemscope")) add_references(element, inner);
  }

  std::size_t begin_item(const Element& element) {
    std::vector<std::string> types;
    for (const std::string_view type : words_of(element.attribute("itemtype").value_or("")))
      types.push_back(short_name(type));
    return things_.add(std::move(types), std::string(trimmed(element.attribute("itemid").value_or(""))));
  }

  // itemref names elements elsewhere in the page whose properties belong to the item, too.
  void add_references(const Element& element, std::size_t thing) {
    for (const std::string_view id : words_of(element.attribute("itemref").value_or(""))) {
      const auto found = by_id_.find(id);
      if (found != by_id_.end() && referenced_.emplace(thing, found->first).second &&
          referenced_.size() < kReferencesMax) {
        waiting_.emplace_back(found->second, thing);
      }
    }
  }

  static constexpr std::size_t kReferencesMax = 1000;
  DraftThings things_;
  std::map<Element, std::size_t> items_;
  std::map<std::string_view, Element, std::less<>> by_id_;
  std::set<std::pair<std::size_t, std::string_view>> referenced_;
  std::vector<std::pair<Element, std::size_t>> waiting_;  // with the thing that they belong to
};

}  // namespace

std::vector<Thing> read_microdata(const Document& document) { return MicrodataReader().read(document); }

}  // namespace crawler
