#include "design/load.h"

#include <utility>

#include "design/language.h"
#include "design/language_check.h"
#include "design/lint.h"
#include "design/problems.h"
#include "design/reading.h"
#include "design/validate.h"
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
  read_patterns(root, design, problems);
  read_operations(root, design, problems);
  hide_deleted(design);
  read_roles(root, design);
  read_groups(root, design);
  read_capacity(root, design);
  read_policy(root, design);
  read_revisions(root, design);
  return design;
}

Loaded finish(std::optional<Design> design, Problems& problems) {
  Loaded loaded{.design = std::nullopt, .diagnostics = problems.take()};
  if (design && loaded.diagnostics.empty()) {
    loaded.diagnostics = lint(*design);
    loaded.design = std::move(design);
  }
  sort_by_place(loaded.diagnostics);
  return loaded;
}

}  // namespace

Loaded load(std::string_view text, std::string file) {
  Problems problems(file);
  yaml::Document document = yaml::parse(text);
  for (yaml::Problem& problem : document.problems)
    problems.error(problem.code, problem.span, std::move(problem.message), std::move(problem.advice));
  if (!problems.empty()) return finish(std::nullopt, problems);

  const CheckedTree checked = check_language(std::move(document.root), design_shape(), problems);
  if (!checked.is_whole) return finish(std::nullopt, problems);

  Design design = read_design(checked.tree, std::move(file), problems);
  design.text = text;
  validate(design, problems);
  return finish(std::move(design), problems);
}

}  // namespace tavola::design
