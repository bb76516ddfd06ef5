#include "design/load.h"

#include <algorithm>
#include <utility>

#include "design/language/language.h"
#include "design/language/language_check.h"
#include "design/language/problems.h"
#include "design/language/reading.h"
#include "design/language/validate.h"
#include "design/lint/lint.h"
#include "yaml/parse.h"

namespace tavola::design {
namespace {

Enforce read_enforce(const std::string& word) {
  if (word == "warn") return Enforce::Warn;
  return word == "off" ? Enforce::Off : Enforce::Strict;
}

Design read_design(const yaml::Node& root, std::string file, Problems& problems) {
  Design design;
  design.file = std::move(file);
  design.name = text_at(root, "name");
  design.name_at = word_at(root, "name").at;
  design.revision = text_at(root, "revision");
  design.notes = read_notes(root);
  design.purpose = texts_at(root, "purpose");
  design.enforce = read_enforce(text_at(root, "enforce"));
  design.planned = texts_at(root, "planned");
  read_table(root, design);
  read_indexes(root, design);
  read_entities(root, design, problems);
  infer_key_types(root, design);
  read_retention(root, design);
  read_copies(root, design, problems);
  read_consequences(root, design, problems);
  read_patterns(root, design, problems);
  read_operations(root, design, problems);
  read_cascades(root, design, problems);
  hide_deleted(design);
  read_roles(root, design);
  read_groups(root, design);
  read_capacity(root, design);
  read_policy(root, design);
  read_revisions(root, design);
  return design;
}

// Returns no design, or one whose only mistakes are among the diagnostics.
Loaded read(std::string_view text, std::string file, Origin origin) {
  Problems problems(file, origin);
  yaml::Document document = yaml::parse(text);
  for (yaml::Problem& problem : document.problems)
    problems.error(problem.code, problem.span, std::move(problem.message), std::move(problem.advice));
  if (!problems.empty()) return {.design = std::nullopt, .diagnostics = problems.take()};

  const CheckedTree checked = check_language(std::move(document.root), design_shape(), problems);
  if (!checked.is_whole) return {.design = std::nullopt, .diagnostics = problems.take()};

  Design design = read_design(checked.tree, std::move(file), problems);
  if (problems.is_cut()) return {.design = std::nullopt, .diagnostics = problems.take()};
  design.text = text;
  validate(design, problems);
  return {.design = std::move(design), .diagnostics = problems.take()};
}

Loaded with_lints(Loaded loaded) {
  if (loaded.design && loaded.diagnostics.empty()) loaded.diagnostics = lint(*loaded.design);
  sort_by_place(loaded.diagnostics);
  return loaded;
}

Loaded too_large(const std::string& file) {
  Problems problems(file);
  problems.error("too-large", {},
                 "the design is larger than " + std::to_string(kDesignBytesMax >> 10U) + " KiB",
                 "Split it, or shorten the notes for people.");
  return {.design = std::nullopt, .diagnostics = problems.take()};
}

}  // namespace

Loaded load(std::string_view text, std::string file) {
  if (text.size() > kDesignBytesMax) return too_large(file);
  Loaded loaded = read(text, std::move(file), Origin::Written);
  if (!loaded.diagnostics.empty()) loaded.design.reset();
  return with_lints(std::move(loaded));
}

Loaded load_stored(std::string_view text, std::string file) {
  Loaded loaded = read(text, std::move(file), Origin::Stored);
  if (!std::ranges::all_of(loaded.diagnostics, may_be_stored)) loaded.design.reset();
  return with_lints(std::move(loaded));
}

}  // namespace tavola::design
