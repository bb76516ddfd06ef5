// Random choices from one seed: equal seeds give equal histories on every machine.
#pragma once

#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace tavola::model {

class Random {
 public:
  explicit Random(std::uint64_t seed) : engine_(seed) {}

  // Returns 0 to limit - 1. The standard's distributions differ between libraries, so they are not used.
  std::size_t below(std::size_t limit) { return static_cast<std::size_t>(engine_() % limit); }
  int between(int low, int high) {
    return low + static_cast<int>(below(static_cast<std::size_t>(high - low) + 1));
  }
  bool chance(int percent) { return static_cast<int>(below(100)) < percent; }
  std::uint64_t next() { return engine_(); }

  template <class T>
  const T& pick(const std::vector<T>& choices) {
    return choices[below(choices.size())];
  }

  // Returns the position of one weight, each with the probability of its share.
  std::size_t weighted(const std::vector<int>& weights) {
    int total = 0;
    for (const int weight : weights) total += weight;
    int point = static_cast<int>(below(static_cast<std::size_t>(total)));
    for (std::size_t i = 0; i < weights.size(); ++i) {
      point -= weights[i];
      if (point < 0) return i;
    }
    return weights.size() - 1;
  }

  template <class T>
  void shuffle(std::vector<T>& elements) {
    for (std::size_t i = elements.size(); i > 1; --i) std::swap(elements[i - 1], elements[below(i)]);
  }

  std::string letters(std::size_t count) {
    std::string text;
    for (std::size_t i = 0; i < count; ++i) text += static_cast<char>('a' + below(26));
    return text;
  }

 private:
  std::mt19937_64 engine_;
};

}  // namespace tavola::model
