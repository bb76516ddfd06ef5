// The meaning of names in JSON-LD: its context (JSON-LD 1.1, section 3.1).
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "json/reader.h"

namespace crawler {

// Knows the vocabulary, terms and prefixes that a script defines. A context that is only named by its address is not fetched: that of
// schema.org is built in, and names of any other one get its address in front, which tells them apart.
class JsonLdContext {
 public:
  // Returns the context within a node that has `@context`: the outer one, changed by what the node says.
  static std::shared_ptr<const JsonLdContext> within(const std::shared_ptr<const JsonLdContext>& outer,
                                                     const tavola::json::Node& definition);

  // Returns what a name means: "Product" for a name of schema.org, "@type" for a keyword and its aliases, and otherwise the whole name.
  // Empty: the context says that the name means nothing.
  std::string meaning_of(std::string_view name) const;

 private:
  void define(const tavola::json::Node& definition);
  void define_terms(const tavola::json::Node& definition);
  std::string expanded(std::string_view name, int depth) const;

  std::string vocabulary_;  // in front of names without a prefix; empty: schema.org's
  std::map<std::string, std::string, std::less<>>
      terms_;  // as they are written; empty: a name that means nothing
};

}  // namespace crawler
