#include <map>
#include <memory>
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

// The inheritance of an element from those around it (RDFa Core 1.1, section 7.1).
struct RdfaContext {
  std::string vocabulary{};
  std::map<std::string, std::string, std::less<>> prefixes{};
};

struct RdfaPlace {
  Element element;
  std::size_t thing;
  std::shared_ptr<const RdfaContext> context;
};

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
    const auto property = element.attribute("property");
    const auto type = element.attribute("typeof");
    std::size_t inner = place.thing;
    if (type) {
      inner = things_.add(names_in(*type, *context), address_of(element));
      for (std::string& name : names_in(property.value_or(""), *context))
        things_.add_thing(place.thing, std::move(name), inner);
    } else if (property && place.thing != DraftThings::kNone) {
      const std::string value = value_of(element);
      for (std::string& name : names_in(*property, *context))
        things_.add_text(place.thing, std::move(name), value);
    }
    element.for_each_child_backwards(
        [&](const Element& child) { waiting_.push_back({child, inner, context}); });
  }

  static std::shared_ptr<const RdfaContext> context_of(const Element& element,
                                                       const std::shared_ptr<const RdfaContext>& outer) {
    const auto vocabulary = element.attribute("vocab");
    const auto prefixes = element.attribute("prefix");
    if (!vocabulary && !prefixes) return outer;
    auto context = std::make_shared<RdfaContext>(*outer);
    if (vocabulary) context->vocabulary = std::string(trimmed(*vocabulary).substr(0, kVocabularyBytesMax));
    const auto words = words_of(prefixes.value_or(""));
    for (std::size_t i = 0; i + 1 < words.size(); i += 2) {
      if (words[i].ends_with(':') && context->prefixes.size() < kPrefixesMax) {
        context->prefixes[small_letters(words[i].substr(0, words[i].size() - 1))] =
            words[i + 1].substr(0, kVocabularyBytesMax);
      }
    }
    return context;
  }

  // Returns the names with their vocabulary; those of schema.org are short. A name without one means nothing in RDFa.
  static std::vector<std::string> names_in(std::string_view list, const RdfaContext& context) {
    std::vector<std::string> names;
    for (const std::string_view word : words_of(list)) {
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

  static std::string address_of(const Element& element) {
    for (const char* const name : {"about", "resource", "href", "src"}) {
      if (const auto value = element.attribute(name)) return std::string(trimmed(*value));
    }
    return {};
  }

  static std::string value_of(const Element& element) {
    if (const auto content = element.attribute("content")) return std::string(trimmed(*content));
    for (const char* const name : {"resource", "href", "src", "datetime"}) {
      if (const auto value = element.attribute(name)) return std::string(trimmed(*value));
    }
    return single_spaced(element.text());
  }

  DraftThings things_;
  std::vector<RdfaPlace> waiting_;
};

}  // namespace

std::vector<Thing> read_rdfa(const Document& document) { return RdfaReader().read(document); }

}  // namespace crawler
