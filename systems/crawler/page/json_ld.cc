#include <algorithm>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "json/reader.h"
#include "page/structured_data.h"
#include "web/url.h"

namespace crawler {
namespace {

using tavola::json::Node;

constexpr int kJsonLdDepthMax = 16;
constexpr std::size_t kContextBytesMax = 500;  // every name gets it

std::string beginning_of(const std::string& context) { return context.substr(0, kContextBytesMax) + " "; }

std::size_t bytes_of(const Thing& thing) {
  std::size_t bytes = sizeof(Thing) + thing.id.size();
  for (const std::string& type : thing.types) bytes += sizeof(type) + type.size();
  for (const ThingProperty& property : thing.properties) {
    bytes += sizeof(property) + property.name.size() + property.text.size();
    for (const Thing& inner : property.thing) bytes += bytes_of(inner);
  }
  return bytes;
}

// Returns what the names of a context mean: nothing for schema.org, or without one; otherwise the vocabulary, to tell them apart.
std::string vocabulary_of(const Node* context) {
  if (context == nullptr) return {};
  if (context->is_text()) return context->text.contains("schema.org") ? "" : beginning_of(context->text);
  if (context->is_list()) {
    // Later contexts replace what earlier ones say; schema.org in any place defines the names that we ask for.
    std::string vocabulary;
    for (const Node& element : context->elements) {
      vocabulary = vocabulary_of(&element);
      if (vocabulary.empty()) return {};
    }
    return vocabulary;
  }
  if (!context->is_object()) return {};
  const std::string vocabulary = context->text_at("@vocab");
  return vocabulary.empty() || vocabulary.contains("schema.org") ? "" : beginning_of(vocabulary);
}

class JsonLdReader {
 public:
  std::vector<Thing> read(const Node& node) {
    read_top(node, {}, 0);
    for (Thing& thing : things_) follow_references(thing, 0);
    return std::move(things_);
  }

 private:
  void read_top(const Node& node, const std::string& outer, int depth) {
    if (depth > kJsonLdDepthMax) return;
    if (node.is_list()) {
      for (const Node& element : node.elements) read_top(element, outer, depth + 1);
    }
    if (!node.is_object()) return;
    const Node* const context = node.find("@context");
    const std::string vocabulary = context == nullptr ? outer : vocabulary_of(context);
    if (const Node* const graph = node.find("@graph")) read_top(*graph, vocabulary, depth + 1);
    if (node.find("@type") != nullptr || node.find("@graph") == nullptr)
      things_.push_back(read_thing(node, vocabulary, depth));
  }

  static std::string name_in(const std::string& vocabulary, std::string_view name) {
    const std::string shortened = short_name(name);
    return vocabulary.empty() || shortened.size() != name.size() ? shortened : vocabulary + shortened;
  }

  Thing read_thing(const Node& node, std::string vocabulary, int depth) {
    Thing thing;
    if (const Node* const context = node.find("@context")) vocabulary = vocabulary_of(context);
    for (const auto& [name, value] : node.members) {
      if (name == "@id" || name == "id") thing.id = value.text;
      if (name == "@type" || name == "type") read_types(value, vocabulary, thing);
      if (name.starts_with('@') || name == "type") continue;
      read_value(name_in(vocabulary, name), value, vocabulary, Place{thing, depth});
    }
    if (!thing.id.empty() && !thing.types.empty()) by_id_.emplace(thing.id, thing);
    return thing;
  }

  static void read_types(const Node& value, const std::string& vocabulary, Thing& thing) {
    if (value.is_text()) thing.types.push_back(name_in(vocabulary, value.text));
    for (const Node& element : value.elements) {
      if (element.is_text()) thing.types.push_back(name_in(vocabulary, element.text));
    }
  }

  struct Place {
    Thing& thing;  // that gets the property
    int depth;
  };
  void read_value(const std::string& name, const Node& value, const std::string& vocabulary, Place place) {
    if (place.depth > kJsonLdDepthMax) return;
    if (value.is_list()) {
      for (const Node& element : value.elements)
        read_value(name, element, vocabulary, {place.thing, place.depth + 1});
    } else if (!value.is_object()) {
      if (value.kind != Node::Kind::Null) place.thing.properties.push_back({name, value.text, {}});
    } else if (const Node* const inner = value.find("@value")) {
      place.thing.properties.push_back({name, inner->text, {}});
    } else if (const Node* const list =
                   value.find("@list") != nullptr ? value.find("@list") : value.find("@set")) {
      read_value(name, *list, vocabulary, {place.thing, place.depth + 1});
    } else {
      place.thing.properties.push_back({name, {}, {read_thing(value, vocabulary, place.depth + 1)}});
    }
  }

  // {"@id": "#offer"} stands for the thing with this id elsewhere in the script.
  void follow_references(Thing& thing, int depth) {
    if (depth > kJsonLdDepthMax / 2) return;
    for (ThingProperty& property : thing.properties) {
      for (Thing& inner : property.thing) {
        const auto found =
            inner.properties.empty() && inner.types.empty() ? by_id_.find(inner.id) : by_id_.end();
        if (found != by_id_.end() && may_copy(found->second)) inner = Thing(found->second);
        follow_references(inner, depth + 1);
      }
    }
  }

  bool may_copy(const Thing& thing) {
    if (copied_bytes_ > kCopiedBytesMax || ++followed_ > kFollowedMax) return false;
    copied_bytes_ += bytes_of(thing);
    return copied_bytes_ <= kCopiedBytesMax;
  }

  static constexpr std::size_t kFollowedMax = 2000;
  static constexpr std::size_t kCopiedBytesMax = std::size_t{16} * 1024 * 1024;
  std::vector<Thing> things_;
  std::map<std::string, Thing, std::less<>> by_id_;
  std::size_t followed_ = 0;
  std::size_t copied_bytes_ = 0;
};

}  // namespace

std::vector<Thing> read_json_ld(std::string_view text) {
  const auto parsed = tavola::json::parse(trimmed(text));
  if (!parsed) return {};
  return JsonLdReader().read(*parsed);
}

}  // namespace crawler
