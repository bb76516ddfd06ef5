#include "page/json_ld_context.h"

#include <algorithm>

#include "page/thing.h"

namespace crawler {
namespace {

using tavola::json::Node;

constexpr std::size_t kTermsMax = 200;
constexpr std::size_t kTermBytesMax = 500;  // every name may get it
constexpr int kExpansionsMax = 4;           // a prefix may be defined by another one

bool is_schema_org(std::string_view text) { return text.contains("schema.org"); }

}  // namespace

std::shared_ptr<const JsonLdContext> JsonLdContext::within(const std::shared_ptr<const JsonLdContext>& outer,
                                                           const Node& definition) {
  auto context = std::make_shared<JsonLdContext>(*outer);
  const auto names_schema_org = [](const Node& one) { return one.is_text() && is_schema_org(one.text); };
  context->define(definition);
  // Beside other contexts schema.org's still defines the names that we ask for.
  if (std::ranges::any_of(definition.elements, names_schema_org)) context->vocabulary_.clear();
  return context;
}

void JsonLdContext::define(const Node& definition) {
  if (definition.kind == Node::Kind::Null) *this = {};
  if (definition.is_text())
    vocabulary_ = is_schema_org(definition.text) ? "" : definition.text.substr(0, kTermBytesMax) + " ";
  for (const Node& element : definition.elements) {
    if (!element.is_list()) define(element);
  }
  if (definition.is_object()) define_terms(definition);
}

void JsonLdContext::define_terms(const Node& definition) {
  if (const Node* const vocabulary = definition.find("@vocab"))
    vocabulary_ = is_schema_org(vocabulary->text) ? "" : vocabulary->text.substr(0, kTermBytesMax);
  for (const auto& [term, value] : definition.members) {
    const Node* const id = value.is_object() ? value.find("@id") : &value;
    if (term.starts_with('@') || id == nullptr || terms_.size() >= kTermsMax) continue;
    terms_[term] = id->is_text() ? id->text.substr(0, kTermBytesMax) : "";
  }
}

std::string JsonLdContext::meaning_of(std::string_view name) const {
  if (name == "type") return "@type";  // schema.org's own context says so
  if (name == "id") return "@id";
  const auto term = terms_.find(name);
  if (term != terms_.end() && term->second.empty()) return {};
  return expanded(name, 0);
}

std::string JsonLdContext::expanded(std::string_view name, int depth) const {
  if (name.starts_with('@') || depth == kExpansionsMax) return std::string(name);
  if (const auto term = terms_.find(name); term != terms_.end() && term->second != name)
    return expanded(term->second, depth + 1);
  const std::size_t colon = name.find(':');
  if (colon == std::string_view::npos) return short_name(vocabulary_ + std::string(name));
  const auto prefix = terms_.find(name.substr(0, colon));
  const bool is_address = name.substr(colon + 1).starts_with("//");
  if (is_address || prefix == terms_.end()) return short_name(name);
  return short_name(expanded(prefix->second, depth + 1) + std::string(name.substr(colon + 1)));
}

}  // namespace crawler
