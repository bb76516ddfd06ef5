// The lenses: questions about a table that only its design can answer. Each is a function from JSON to JSON.
//
//   TAVOLA_TRY(const std::string facets, look({.design = design, .database = *db}, "facets", R"({"items": […]})"));
#pragma once

#include <span>
#include <string>
#include <string_view>

#include <tavola/error.h>

#include "lens/question.h"
#include "lens/subject.h"

namespace tavola::lens {

struct Lens {
  std::string_view name;
  std::string_view members;  // of its question, with blanks between them
  Result<std::string> (*look)(const Subject& subject, const Question& question);
};

// Returns all lenses, by their names.
std::span<const Lens> all_lenses();

// Looks through the lens of this name. Fails with Validation for a wrong question, and with ResourceNotFound if there is no such lens;
// otherwise as the database does.
Result<std::string> look(const Subject& subject, std::string_view lens, std::string_view question);

}  // namespace tavola::lens
