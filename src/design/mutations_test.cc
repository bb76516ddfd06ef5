// Designs with random mistakes: none crashes the reader, and no meaningless key is accepted. TAVOLA_MUTATIONS=20000 tries
// more of them.
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <random>
#include <set>
#include <sstream>

#include <gtest/gtest.h>

#include "design/language/language.h"
#include "design/load.h"
#include "yaml/parse.h"

namespace tavola::design {
namespace {

namespace fs = std::filesystem;

// The number of mutations of each design.
int mutations_of_each() {
  const char* wanted = std::getenv("TAVOLA_MUTATIONS");
  return wanted == nullptr ? 400 : std::stoi(wanted);
}

std::vector<std::string> designs() {
  std::set<fs::path> files;
  for (const auto& entry : fs::directory_iterator(fs::path(TAVOLA_SOURCE_DIR) / "designs")) {
    const std::string name = entry.path().filename().string();
    if (name.ends_with(".yaml") && !name.ends_with(".cases.yaml")) files.insert(entry.path());
  }
  std::vector<std::string> texts;
  for (const fs::path& file : files) {
    std::stringstream text;
    text << std::ifstream(file).rdbuf();
    texts.push_back(text.str());
  }
  return texts;
}

// Returns the byte offset of a position: columns count characters.
std::size_t offset_of(std::string_view text, const yaml::Place& place) {
  std::size_t at = 0;
  for (std::uint32_t line = 1; line < place.line; ++line) at = text.find('\n', at) + 1;
  for (std::uint32_t column = 1; column < place.column; ++column) {
    do ++at;
    while ((static_cast<unsigned char>(text[at]) & 0xC0U) == 0x80U);
  }
  return at;
}

// Collects the keys that are words of the language, and not names that the design gives.
void collect_keys(const yaml::Node& node, const Shape& shape, std::vector<yaml::Span>& keys) {
  if (shape.kind == Shape::Kind::OneOf) {
    for (const Shape* choice : shape.choices) collect_keys(node, *choice, keys);
  } else if (shape.kind == Shape::Kind::List && node.kind == yaml::Kind::List) {
    for (const yaml::Node& item : node.items) collect_keys(item, *shape.of, keys);
  } else if (shape.kind == Shape::Kind::Map && node.kind == yaml::Kind::Map) {
    const std::vector<Member> members = all_members(shape);
    for (const auto& [key, value] : node.entries) {
      const auto member = std::ranges::find(members, key.text, &Member::key);
      if (member != members.end() && shape.of == nullptr) keys.push_back(key.span);
      const Shape* inner = member != members.end() ? member->shape : shape.of;
      if (inner != nullptr) collect_keys(value, *inner, keys);
    }
  }
}

// Collects the positions of all values.
void collect_values(const yaml::Node& node, std::vector<yaml::Span>& values) {
  if (node.is_scalar()) values.push_back(node.span);
  for (const yaml::Node& item : node.items) collect_values(item, values);
  for (const auto& [key, value] : node.entries) collect_values(value, values);
}

class Mutations {
 public:
  Mutations(std::string text, std::uint64_t seed) : text_(std::move(text)), random_(seed) {
    const yaml::Document document = yaml::parse(text_);
    collect_keys(document.root, design_shape(), keys_);
    collect_values(document.root, values_);
    for (std::size_t at = 0; at < text_.size(); at = text_.find('\n', at) + 1) lines_.push_back(at);
    lines_.push_back(text_.size());
  }

  void run(int count) {
    ASSERT_GT(keys_.size(), 50U);
    for (int i = 0; i < count && !testing::Test::HasFailure(); ++i) {
      if (i % 4 == 0) {
        rename_key();
      } else {
        const std::string mutated = i % 4 == 1   ? with_other_value()
                                    : i % 4 == 2 ? with_other_lines()
                                                 : with_other_bytes();
        expect_sound(mutated);
      }
    }
  }

 private:
  std::size_t below(std::size_t end) { return static_cast<std::size_t>(random_() % end); }
  template <class T>
  const T& one_of(const std::vector<T>& all) {
    return all[below(all.size())];
  }

  std::string with(const yaml::Span& span, std::string_view text) const {
    const std::size_t begin = offset_of(text_, span.begin);
    std::string mutated = text_;
    return mutated.replace(begin, offset_of(text_, span.end) - begin, text);
  }

  // Loads to the end, with a design exactly if there is no error.
  static Loaded expect_sound(const std::string& text) {
    Loaded loaded = load(text, "mutated.yaml");
    const bool has_error = std::ranges::any_of(
        loaded.diagnostics, [](const Diagnostic& one) { return one.severity == Severity::Error; });
    EXPECT_NE(loaded.design.has_value(), has_error) << text;
    return loaded;
  }

  void rename_key() {
    const yaml::Span& key = one_of(keys_);
    std::string word = "zq";
    for (std::size_t i = below(8); i > 0; --i) word += static_cast<char>('a' + below(26));
    const std::string mutated = with(key, word);
    const Loaded loaded = expect_sound(mutated);
    const bool is_told = std::ranges::any_of(loaded.diagnostics, [&](const Diagnostic& one) {
      return one.code == "unknown-key" && one.span.begin == key.begin;
    });
    EXPECT_TRUE(is_told) << word << " in line " << key.begin.line << " is taken for a key:\n" << mutated;
  }

  std::string with_other_value() {
    static const std::vector<std::string> odd_values{"",
                                                     "''",
                                                     "x",
                                                     "-1",
                                                     "1e999",
                                                     "true",
                                                     "null",
                                                     "[]",
                                                     "{}",
                                                     "[x, {y: z}]",
                                                     "<id>",
                                                     "a#<b",
                                                     "<a><b>",
                                                     "now(",
                                                     "a = ",
                                                     "3000d",
                                                     "SK",
                                                     "99999999999999999999",
                                                     "lifecycle(crawl)",
                                                     "E.t",
                                                     "x as y"};
    return with(one_of(values_), one_of(odd_values));
  }

  // Removes, repeats or exchanges a line.
  std::string with_other_lines() {
    const std::size_t first = below(lines_.size() - 1);
    const std::size_t second = below(lines_.size() - 1);
    const auto line = [&](std::size_t i) { return text_.substr(lines_[i], lines_[i + 1] - lines_[i]); };
    std::string mutated;
    const std::size_t how = below(3);
    for (std::size_t i = 0; i + 1 < lines_.size(); ++i) {
      if (i != first && (how != 2 || i != second)) {
        mutated += line(i);
      } else if (how > 0) {
        mutated += how == 1 ? line(i) + line(i) : line(i == first ? second : first);
      }
    }
    return mutated;
  }

  std::string with_other_bytes() {
    std::string mutated = text_;
    for (std::size_t i = 1 + below(3); i > 0; --i) {
      char& byte = mutated[below(mutated.size())];
      byte = static_cast<char>(static_cast<unsigned char>(byte) ^ (1U << below(8)));
    }
    return mutated;
  }

  const std::string text_;
  std::mt19937_64 random_;
  std::vector<yaml::Span> keys_;
  std::vector<yaml::Span> values_;
  std::vector<std::size_t> lines_;  // where each begins, and the end
};

TEST(MutationsTest, NeverCrashAndNoUnknownKeyIsPassedOver) {
  const std::vector<std::string> texts = designs();
  ASSERT_EQ(texts.size(), 5U);
  std::uint64_t seed = 4;
  for (const std::string& text : texts) Mutations(text, ++seed).run(mutations_of_each());
}

}  // namespace
}  // namespace tavola::design
