// RDFa Core 1.1, section 7.5, with HTML+RDFa. What a page says about itself, the document, is left out.
#include <algorithm>
#include <array>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "page/draft.h"
#include "page/structured_data.h"
#include "web/url.h"

namespace crawler {
namespace {

// Each element may copy those of the elements around it, so they are bounded.
constexpr std::size_t kPrefixesMax = 100;
constexpr std::size_t kVocabularyBytesMax = 500;

// The inheritance of an element from those around it (section 7.1).
struct RdfaContext {
  std::string vocabulary{};
  std::map<std::string, std::string, std::less<>> prefixes{};
};

// A relation whose other end is the next thing within the element: <div rel="offers"><p typeof="Offer">.
struct OpenRelation {
  std::size_t subject = DraftThings::kNone;
  std::vector<std::string> forwards{};
  std::vector<std::string> backwards{};
};

struct RdfaPlace {
  Element element;
  std::size_t object;  // the thing that properties belong to
  std::shared_ptr<const RdfaContext> context;
  std::shared_ptr<const OpenRelation> relation{};  // null: none
};

// The names of an element with their vocabulary; those of schema.org are short.
struct RdfaNames {
  std::vector<std::string> types;
  std::vector<std::string> properties;
  std::vector<std::string> forwards;   // rel
  std::vector<std::string> backwards;  // rev
};

// The things that an element speaks of.
struct RdfaRoles {
  std::size_t subject = DraftThings::kNone;
  std::size_t object = DraftThings::kNone;
  std::size_t typed = DraftThings::kNone;
  bool has_object = false;
  bool is_new = true;  // the subject is not just that of the element around
};

// Relations of HTML, which mean something to browsers. RDFa would read them as properties wherever a vocabulary is set.
bool is_link_type(std::string_view word) {
  constexpr auto kTypes =
      std::to_array<std::string_view>({"alternate", "author", "bookmark", "canonical", "external", "help",
                                       "icon", "license", "next", "nofollow", "noopener", "noreferrer",
                                       "opener", "prev", "search", "sponsored", "stylesheet", "tag", "ugc"});
  return std::ranges::find(kTypes, small_letters(word)) != kTypes.end();
}

class RdfaReader {
 public:
  std::vector<Thing> read(const Document& document) {
    waiting_.push_back({document.root(), DraftThings::kNone, std::make_shared<RdfaContext>()});
    while (!waiting_.empty()) {
      const RdfaPlace place = std::move(waiting_.back());
      waiting_.pop_back();
      visit(place);
    }
    return things_.finished();
  }

 private:
  void visit(const RdfaPlace& place) {
    const Element& element = place.element;
    const auto context = context_of(element, place.context);
    const RdfaNames names = names_of(element, *context);
    const RdfaRoles roles = roles_of(element, names, place.object);
    things_.add_types(roles.typed, names.types);
    auto relation = roles.is_new ? nullptr : place.relation;
    const bool has_relation = !names.forwards.empty() || !names.backwards.empty();
    if (has_relation && roles.has_object) {
      relate({roles.subject, names.forwards, names.backwards}, roles.object);
    } else if (has_relation) {
      relation = std::make_shared<OpenRelation>(roles.subject, names.forwards, names.backwards);
    }
    add_properties(element, names, roles);
    if (roles.is_new && place.relation) relate(*place.relation, roles.subject);
    const std::size_t inner = roles.has_object ? roles.object : roles.subject;
    element.for_each_child_backwards(
        [&](const Element& child) { waiting_.push_back({child, inner, context, relation}); });
  }

  // Steps 5 and 6 of the standard.
  RdfaRoles roles_of(const Element& element, const RdfaNames& names, std::size_t around) {
    const bool has_type = element.has("typeof");
    const bool has_relation = !names.forwards.empty() || !names.backwards.empty();
    const bool is_property = element.has("property") && !element.has("content") && !element.has("datatype");
    const auto about = element.attribute("about");
    const auto address = address_of(element);
    RdfaRoles roles;
    if (has_relation || is_property) {
      roles.subject = about ? thing_at(*about) : around;
      roles.is_new = about.has_value();
      roles.has_object = has_relation ? address || (has_type && !about) : has_type && !about;
      if (roles.has_object) roles.object = address ? thing_at(*address) : things_.add({}, {});
      if (has_type) roles.typed = about ? roles.subject : roles.object;
      return roles;
    }
    // A link or a picture within a product would begin another subject by the standard. Its authors mean the product.
    const bool has_role = has_type || element.has("property") || element.has("resource");
    roles.is_new = about || has_role;
    if (about || (address && has_role)) {
      roles.subject = thing_at(about ? *about : *address);
    } else {
      roles.subject = has_type ? things_.add({}, {}) : around;
    }
    if (has_type) roles.typed = roles.subject;
    return roles;
  }

  // Step 11.
  void add_properties(const Element& element, const RdfaNames& names, const RdfaRoles& roles) {
    if (names.properties.empty()) return;
    const bool is_text = element.has("content") || element.has("datatype");
    const bool has_relation = !names.forwards.empty() || !names.backwards.empty();
    std::size_t thing = DraftThings::kNone;
    std::string text;
    if (is_text) {
      text = text_of(element);
    } else if (const auto address = address_of(element); address && !has_relation) {
      thing = roles.has_object ? roles.object : thing_at(*address);
      text = *address;  // if there are too many things
    } else if (roles.has_object && !has_relation) {
      thing = roles.object;
    } else {
      text = text_of(element);
    }
    for (const std::string& name : names.properties) {
      if (thing == DraftThings::kNone) {
        things_.add_text(roles.subject, name, text);
      } else {
        things_.add_thing(roles.subject, name, thing);
      }
    }
  }

  void relate(const OpenRelation& relation, std::size_t other) {
    for (const std::string& name : relation.forwards) things_.add_thing(relation.subject, name, other);
    for (const std::string& name : relation.backwards) things_.add_thing(other, name, relation.subject);
  }

  // Returns the thing with this address, the same for all elements that name it.
  std::size_t thing_at(std::string_view address) {
    std::string id(trimmed(address));
    if (id.starts_with('[') && id.ends_with(']')) id = id.substr(1, id.size() - 2);
    if (id.empty()) return DraftThings::kNone;  // the document
    const auto known = by_id_.find(id);
    if (known != by_id_.end()) return known->second;
    const std::size_t thing = things_.add({}, id);
    if (thing != DraftThings::kNone) by_id_.emplace(std::move(id), thing);
    return thing;
  }

  static std::shared_ptr<const RdfaContext> context_of(const Element& element,
                                                       const std::shared_ptr<const RdfaContext>& outer) {
    const auto vocabulary = element.attribute("vocab");
    const auto words = words_of(element.attribute("prefix").value_or(""));
    const auto old_prefixes = element.attributes_with_prefix("xmlns:");  // of RDFa 1.0
    if (!vocabulary && words.empty() && old_prefixes.empty()) return outer;
    auto context = std::make_shared<RdfaContext>(*outer);
    if (vocabulary) context->vocabulary = std::string(trimmed(*vocabulary).substr(0, kVocabularyBytesMax));
    const auto define = [&context](std::string_view prefix, std::string_view address) {
      if (context->prefixes.size() < kPrefixesMax)
        context->prefixes[small_letters(prefix)] = trimmed(address).substr(0, kVocabularyBytesMax);
    };
    for (const auto& [prefix, address] : old_prefixes) define(prefix, address);
    for (std::size_t i = 0; i + 1 < words.size(); i += 2) {
      if (words[i].ends_with(':')) define(words[i].substr(0, words[i].size() - 1), words[i + 1]);
    }
    return context;
  }

  static RdfaNames names_of(const Element& element, const RdfaContext& context) {
    const auto names = [&](const char* attribute) {
      return names_in(words_of(element.attribute(attribute).value_or("")), context);
    };
    const auto relations = [&](const char* attribute) {
      auto words = words_of(element.attribute(attribute).value_or(""));
      std::erase_if(words, is_link_type);
      return names_in(words, context);
    };
    return {names("typeof"), names("property"), relations("rel"), relations("rev")};
  }

  // A name without a vocabulary means nothing in RDFa.
  static std::vector<std::string> names_in(const std::vector<std::string_view>& words,
                                           const RdfaContext& context) {
    std::vector<std::string> names;
    for (const std::string_view word : words) {
      const std::size_t colon = word.find(':');
      if (colon == std::string_view::npos) {
        if (!context.vocabulary.empty()) names.push_back(short_name(context.vocabulary + std::string(word)));
        continue;
      }
      const auto prefix = context.prefixes.find(small_letters(word.substr(0, colon)));
      names.push_back(short_name(prefix == context.prefixes.end()
                                     ? std::string(word)
                                     : prefix->second + std::string(word.substr(colon + 1))));
    }
    return names;
  }

  static std::optional<std::string_view> address_of(const Element& element) {
    for (const char* const name : {"resource", "href", "src"}) {
      if (const auto value = element.attribute(name)) return trimmed(*value);
    }
    return std::nullopt;
  }

  static std::string text_of(const Element& element) {
    for (const char* const name : {"content", "datetime"}) {
      if (const auto value = element.attribute(name)) return std::string(trimmed(*value));
    }
    return single_spaced(element.text());
  }

  DraftThings things_;
  std::map<std::string, std::size_t, std::less<>> by_id_;
  std::vector<RdfaPlace> waiting_;
};

}  // namespace

std::vector<Thing> read_rdfa(const Document& document) { return RdfaReader().read(document); }

}  // namespace crawler
