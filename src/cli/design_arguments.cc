#include "cli/design_arguments.h"

#include "base/joined.h"
#include "design/model/arguments.h"
#include "design/model/nearest.h"
#include "design/requests/operation_plan.h"

namespace tavola::cli {

Result<Texts> read_arguments(const std::vector<std::string>& words) {
  Texts texts;
  for (const std::string& word : words) {
    const std::size_t equals = word.find('=');
    if (equals == std::string::npos || equals == 0) {
      return fail(bad_parameter(word, "a parameter must be given as name=value (was " + word + ")"));
    }
    const std::string name = word.substr(0, equals);
    if (!texts.try_emplace(name, word.substr(equals + 1)).second) {
      return fail(bad_parameter(name, name + " is given twice"));
    }
  }
  return texts;
}

std::string names_text(const design::Design& design) {
  const auto line = [](const std::string& name, const auto& parameters) {
    std::string text = "  " + name;
    for (const auto& parameter : parameters) text += " " + parameter.name + "=…";
    return text + "\n";
  };
  std::string text = design.patterns.empty() ? "" : "Patterns:\n";
  for (const design::Pattern& pattern : design.patterns) text += line(pattern.name, pattern.parameters);
  if (!design.operations.empty()) text += std::string(text.empty() ? "" : "\n") + "Operations:\n";
  for (const design::Operation& operation : design.operations)
    text += line(operation.name, operation.parameters);
  return text;
}

Output without_name(const design::Design& design, const std::string& command) {
  return {.out = names_text(design),
          .err = "tavola: NAME is missing: `" + command + " FILE NAME` with one of these\n",
          .exit_code = kUsageError};
}

Result<void> check_name(const design::Design& design, const std::string& name) {
  if (design.find_pattern(name) != nullptr || design.find_operation(name) != nullptr) return {};
  std::vector<std::string> names;
  names.reserve(design.patterns.size());
  for (const design::Pattern& pattern : design.patterns) names.push_back(pattern.name);
  for (const design::Operation& operation : design.operations) names.push_back(operation.name);
  return fail(bad_parameter(name, design.name + " has no pattern or operation " + name + ". " +
                                      design::did_you_mean(name, names, "It has " + joined(names) + ".")));
}

}  // namespace tavola::cli
