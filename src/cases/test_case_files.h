// Designs and files of cases for tests. For tests only.
#pragma once

#include <string>

#include "base/test_files.h"
#include "cases/case_file.h"
#include "design/load.h"

namespace tavola::cases {

inline Result<design::Design> load_design(const std::string& file) {
  design::Loaded loaded = design::load(text_of_file(file), file);
  if (!loaded.design) return fail(Error::validation(file + " has errors"));
  return *std::move(loaded.design);
}

}  // namespace tavola::cases
