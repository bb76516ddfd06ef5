// The designs of designs/, loaded for tests.
#pragma once

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "design/items/entity_item.h"
#include "design/load.h"
#include "workshop/sample/sample.h"

namespace tavola::workshop {

inline std::string read_text(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

// Returns the names of the files: "fus-main.yaml".
inline std::vector<std::string> design_files() {
  std::vector<std::string> files;
  for (const auto& entry : std::filesystem::directory_iterator(TAVOLA_SOURCE_DIR "/designs")) {
    const std::string name = entry.path().filename().string();
    if (name.ends_with(".yaml") && !name.ends_with(".cases.yaml")) files.push_back(name);
  }
  std::ranges::sort(files);
  return files;
}

// Returns the name of a test parameter.
inline std::string test_name(const testing::TestParamInfo<std::string>& parameter) {
  std::string name = parameter.param;
  std::erase_if(name, [](unsigned char c) { return std::isalnum(c) == 0; });
  return name;
}

inline std::string messages_of(const design::Loaded& loaded) {
  std::string text;
  for (const design::Diagnostic& problem : loaded.diagnostics) {
    if (problem.severity == design::Severity::Error) {
      text += std::to_string(problem.span.begin.line) + ": " + problem.code + ": " + problem.message + "\n";
    }
  }
  return text;
}

inline design::Design load_design(const std::string& text) {
  design::Loaded loaded = design::load(text, "test.yaml");
  EXPECT_TRUE(loaded.design) << messages_of(loaded) << text;
  return loaded.design ? *std::move(loaded.design) : design::Design{};
}

inline const design::Design& design_of(const std::string& file) {
  static std::map<std::string, design::Design, std::less<>> loaded;
  const auto found = loaded.find(file);
  if (found != loaded.end()) return found->second;
  return loaded.emplace(file, load_design(read_text(TAVOLA_SOURCE_DIR "/designs/" + file))).first->second;
}

struct Sampled {
  const design::Entity* entity;
  Item fields;
};

// 2024-06-15T12:00:00Z
inline constexpr WallTime kNow{std::chrono::milliseconds(1'718'452'800'000)};

inline std::vector<Sampled> sampled(const design::Design& design, Size size, std::uint64_t seed = 1) {
  std::vector<Sampled> all;
  const Result<void> done = sample(design, {.size = size, .seed = seed, .now = kNow},
                                   [&](const design::Entity& entity, const Item& fields) {
                                     all.push_back({&entity, fields});
                                     return Result<void>();
                                   });
  EXPECT_TRUE(done) << done.error().message();
  return all;
}

inline std::vector<Item> sampled_items(const design::Design& design, Size size, std::uint64_t seed = 1) {
  std::vector<Item> items;
  for (const Sampled& one : sampled(design, size, seed)) {
    const Result<Item> item = design::to_item(design, *one.entity, one.fields);
    EXPECT_TRUE(item) << one.entity->name << ": " << item.error().message() << to_json(one.fields);
    if (item) items.push_back(*item);
  }
  return items;
}

}  // namespace tavola::workshop
