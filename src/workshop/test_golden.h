// Compares texts with files under testdata/. TAVOLA_UPDATE_GOLDEN=1 in the environment writes the files instead: review
// the result with git.
#pragma once

#include <cstdlib>
#include <fstream>
#include <string>

#include <gtest/gtest.h>

#include "workshop/test_designs.h"

namespace tavola::workshop {

inline void expect_golden(const std::string& file, const std::string& text) {
  const std::string path = TAVOLA_SOURCE_DIR "/src/workshop/testdata/" + file;
  if (std::getenv("TAVOLA_UPDATE_GOLDEN") != nullptr) std::ofstream(path, std::ios::binary) << text;
  EXPECT_EQ(text, read_text(path)) << file;
}

inline const design::Design& library() {
  static const design::Design loaded =
      load_design(read_text(TAVOLA_SOURCE_DIR "/src/workshop/testdata/library/design.yaml"));
  return loaded;
}

}  // namespace tavola::workshop
