// For tests: a destination in memory, and one that fails at a chosen step.
#pragma once

#include <functional>
#include <map>

#include "transfer/archive/destination.h"

namespace tavola::transfer {

class InMemory final : public Destination {
 public:
  Result<void> write(const std::string& name, std::string_view bytes) override {
    objects[name] = bytes;
    return {};
  }
  Result<std::optional<std::string>> read(const std::string& name) override {
    const auto found = objects.find(name);
    return found == objects.end() ? std::optional<std::string>() : std::optional(found->second);
  }
  Result<std::vector<std::string>> list(const std::string& folder) override {
    std::vector<std::string> names;
    for (const auto& [name, bytes] : objects) {
      if (name.starts_with(folder)) names.push_back(name);
    }
    return names;
  }
  std::string described() const override { return "memory"; }

  std::map<std::string, std::string> objects;
};

enum class Failure { Before, Halfway, After };

// Calls `step` before each request; if that fails, so does the request: before it has an effect, with half of a write
// done, or after it was done.
class Failing final : public Destination {
 public:
  using Step = std::function<Result<void>()>;
  Failing(Destination& destination, Failure failure, Step step)
      : destination_(destination), failure_(failure), step_(std::move(step)) {}

  Result<void> write(const std::string& name, std::string_view bytes) override {
    const Result<void> step = step_();
    if (step) return destination_.write(name, bytes);
    if (failure_ != Failure::Before) {
      const std::size_t size = failure_ == Failure::Halfway ? bytes.size() / 2 : bytes.size();
      TAVOLA_CHECK(destination_.write(name, bytes.substr(0, size)));
    }
    return step;
  }
  Result<std::optional<std::string>> read(const std::string& name) override {
    TAVOLA_CHECK(step_());
    return destination_.read(name);
  }
  Result<std::vector<std::string>> list(const std::string& folder) override {
    TAVOLA_CHECK(step_());
    return destination_.list(folder);
  }
  std::string described() const override { return destination_.described(); }

 private:
  Destination& destination_;
  Failure failure_;
  Step step_;
};

}  // namespace tavola::transfer
