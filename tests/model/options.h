// The flags of the model tests, also as environment variables for ctest:
//   --seed N       (TAVOLA_MODEL_SEED)       start from this seed instead of the fixed ones
//   --steps M      (TAVOLA_MODEL_STEPS)      operations of each history
//   --histories K  (TAVOLA_MODEL_HISTORIES)  seeds N, N+1, … N+K-1: the long form
#pragma once

#include <cstdint>
#include <cstdlib>
#include <optional>
#include <string>

namespace tavola::model {

struct TestOptions {
  std::optional<std::uint64_t> seed{};
  std::optional<std::size_t> steps{};
  std::size_t histories = 1;
};

inline TestOptions& test_options() {
  static TestOptions options;
  return options;
}

// Takes our flags and leaves GoogleTest's.
inline void read_test_options(int argc, char** argv) {
  const auto given = [&](const std::string& flag, const char* variable) -> std::optional<std::uint64_t> {
    for (int i = 1; i < argc; ++i) {
      const std::string argument = argv[i];
      if (argument == flag && i + 1 < argc) return std::strtoull(argv[i + 1], nullptr, 10);
      if (argument.starts_with(flag + "=")) {
        return std::strtoull(argument.c_str() + flag.size() + 1, nullptr, 10);
      }
    }
    const char* value = std::getenv(variable);
    return value == nullptr ? std::nullopt : std::optional<std::uint64_t>(std::strtoull(value, nullptr, 10));
  };
  TestOptions& options = test_options();
  options.seed = given("--seed", "TAVOLA_MODEL_SEED");
  options.steps = given("--steps", "TAVOLA_MODEL_STEPS");
  options.histories = given("--histories", "TAVOLA_MODEL_HISTORIES").value_or(1);
  if (!options.seed && options.histories > 1) options.seed = 1;
}

}  // namespace tavola::model
