#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "json/reader.h"
#include "page/json_ld_context.h"
#include "page/structured_data.h"
#include "web/url.h"

namespace crawler {
namespace {

using tavola::json::Node;

constexpr int kJsonLdDepthMax = 16;
constexpr std::size_t kContextsMax = 100;  // of one script

using Context = std::shared_ptr<const JsonLdContext>;

std::size_t bytes_of(const Thing& thing) {
  std::size_t bytes = sizeof(Thing) + thing.id.size();
  for (const std::string& type : thing.types) bytes += sizeof(type) + type.size();
  for (const ThingProperty& property : thing.properties) {
    bytes += sizeof(property) + property.name.size() + property.text.size();
    for (const Thing& inner : property.thing) bytes += bytes_of(inner);
  }
  return bytes;
}

class JsonLdReader {
 public:
  std::vector<Thing> read(const Node& node) {
    read_top(node, std::make_shared<JsonLdContext>(), 0);
    for (Thing& thing : things_) follow_references(thing, 0);
    return std::move(things_);
  }

 private:
  void read_top(const Node& node, const Context& outer, int depth) {
    if (depth > kJsonLdDepthMax) return;
    if (node.is_list()) {
      for (const Node& element : node.elements) read_top(element, outer, depth + 1);
    }
    if (!node.is_object()) return;
    const Context context = context_of(node, outer);
    bool has_type = false;
    const Node* graph = nullptr;
    for (const auto& [name, value] : node.members) {
      const std::string meaning = name == "@context" ? name : context->meaning_of(name);
      has_type = has_type || meaning == "@type";
      if (meaning == "@graph") graph = &value;
    }
    if (graph != nullptr) read_top(*graph, context, depth + 1);
    if (has_type || graph == nullptr) things_.push_back(read_thing(node, context, depth));
  }

  Context context_of(const Node& node, const Context& outer) {
    const Node* const definition = node.find("@context");
    if (definition == nullptr || contexts_ == kContextsMax) return outer;
    ++contexts_;
    return JsonLdContext::within(outer, *definition);
  }

  // `context` is the one within the node.
  Thing read_thing(const Node& node, const Context& context, int depth) {
    Thing thing;
    for (const auto& [name, value] : node.members) {
      const std::string meaning = context->meaning_of(name);
      if (meaning == "@id") thing.id = value.text;
      if (meaning == "@type") read_types(value, *context, thing);
      if (!meaning.empty() && !meaning.starts_with('@'))
        read_value(meaning, value, context, Place{thing, depth});
    }
    if (!thing.id.empty() && !thing.types.empty()) by_id_.emplace(thing.id, thing);
    return thing;
  }

  static void read_types(const Node& value, const JsonLdContext& context, Thing& thing) {
    if (value.is_text()) thing.types.push_back(context.meaning_of(value.text));
    for (const Node& element : value.elements) {
      if (element.is_text()) thing.types.push_back(context.meaning_of(element.text));
    }
  }

  struct Place {
    Thing& thing;  // that gets the property
    int depth;
  };
  void read_value(const std::string& name, const Node& value, const Context& context, Place place) {
    if (place.depth > kJsonLdDepthMax) return;
    if (value.is_list()) {
      for (const Node& element : value.elements)
        read_value(name, element, context, {place.thing, place.depth + 1});
    } else if (!value.is_object()) {
      if (value.kind != Node::Kind::Null) place.thing.properties.push_back({name, value.text, {}});
    } else if (const Node* const inner = value.find("@value")) {
      place.thing.properties.push_back({name, inner->text, {}});
    } else if (const Node* const list =
                   value.find("@list") != nullptr ? value.find("@list") : value.find("@set")) {
      read_value(name, *list, context, {place.thing, place.depth + 1});
    } else {
      place.thing.properties.push_back(
          {name, {}, {read_thing(value, context_of(value, context), place.depth + 1)}});
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
  std::size_t contexts_ = 0;
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
