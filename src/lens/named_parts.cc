#include "lens/named_parts.h"

#include "design/requests/served_patterns.h"

namespace tavola::lens {
namespace {

Error no_such(std::string_view kind, const std::string& name) {
  return {ErrorCode::ResourceNotFound, "the design has no " + std::string(kind) + " " + name};
}

}  // namespace

Result<const design::Pattern*> pattern_of_question(const design::Design& design, const Question& question) {
  TAVOLA_TRY(const std::string name, question.needed_text("pattern"));
  const design::Pattern* const pattern = design.find_pattern(name);
  if (pattern == nullptr) return fail(no_such("pattern", name));
  if (!design::is_served(*pattern)) return fail(Error::validation("no request serves the pattern " + name));
  return pattern;
}

Result<const design::Operation*> operation_of_question(const design::Design& design,
                                                       const Question& question) {
  TAVOLA_TRY(const std::string name, question.needed_text("operation"));
  const design::Operation* const operation = design.find_operation(name);
  if (operation == nullptr) return fail(no_such("operation", name));
  return operation;
}

Result<const design::Entity*> entity_of_question(const design::Design& design, const Question& question) {
  TAVOLA_TRY(const std::string name, question.needed_text("entity"));
  const design::Entity* const entity = design.find_entity(name);
  if (entity == nullptr) return fail(no_such("entity", name));
  return entity;
}

}  // namespace tavola::lens
