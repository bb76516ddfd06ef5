#include "store/memory/tree.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <random>

#include <gtest/gtest.h>

namespace tavola::store {
namespace {

using Model = std::map<std::string, std::string>;

std::string key_of(std::size_t number) {
  std::string digits = std::to_string(number);
  return "key" + std::string(7 - digits.size(), '0') + digits;
}

void expect_same(const Tree& tree, const Model& model) {
  auto walk = Tree::Walk::forward(tree, "");
  for (const auto& [key, value] : model) {
    ASSERT_NE(walk.entry(), nullptr);
    ASSERT_EQ(walk.entry()->key(), key);
    ASSERT_EQ(walk.entry()->value(), value);
    ASSERT_EQ(tree.find(key), walk.entry());
    walk.next();
  }
  ASSERT_EQ(walk.entry(), nullptr);
  auto back = Tree::Walk::backward(tree, "");
  for (auto at = model.rbegin(); at != model.rend(); ++at, back.previous())
    ASSERT_EQ(back.entry()->key(), at->first);
  ASSERT_EQ(back.entry(), nullptr);
}

// Orders of insertion, which make a tree grow differently.
enum class Order : std::uint8_t { Ascending, Descending, Random };

std::vector<std::size_t> numbers_in(Order order, std::size_t count) {
  std::vector<std::size_t> numbers(count);
  std::iota(numbers.begin(), numbers.end(), std::size_t{0});
  if (order == Order::Descending) std::ranges::reverse(numbers);
  if (order == Order::Random) std::ranges::shuffle(numbers, std::mt19937_64(1));
  return numbers;
}

class TreeTest : public testing::TestWithParam<Order> {};
INSTANTIATE_TEST_SUITE_P(, TreeTest, testing::Values(Order::Ascending, Order::Descending, Order::Random));

TEST_P(TreeTest, GrowsAndShrinksThroughAllItsHeights) {
  constexpr std::size_t kCount = 50'000;
  Tree tree;
  Model model;
  for (const std::size_t number : numbers_in(GetParam(), kCount)) {
    tree.put(Entry::make(key_of(number), std::to_string(number)));
    model.emplace(key_of(number), std::to_string(number));
  }
  ASSERT_NO_FATAL_FAILURE(expect_same(tree, model));
  std::vector<std::size_t> numbers = numbers_in(GetParam(), kCount);
  for (std::size_t i = 0; i < kCount; ++i) {
    tree.erase(key_of(numbers[i]));
    model.erase(key_of(numbers[i]));
    if (i % 10'000 != 0) continue;
    ASSERT_NO_FATAL_FAILURE(expect_same(tree, model));
  }
  ASSERT_NO_FATAL_FAILURE(expect_same(tree, {}));
}

TEST_P(TreeTest, CopiesStayAsTheyWere) {
  Tree tree;
  Model model;
  std::vector<std::pair<Tree, Model>> copies;
  for (const std::size_t number : numbers_in(GetParam(), 20'000)) {
    if (number % 2'000 == 0) copies.emplace_back(tree, model);
    tree.put(Entry::make(key_of(number), "first"));
    model.emplace(key_of(number), "first");
  }
  copies.emplace_back(tree, model);
  for (std::size_t number = 0; number < 20'000; number += 7) tree.put(Entry::make(key_of(number), "second"));
  for (std::size_t number = 0; number < 20'000; number += 3) tree.erase(key_of(number));
  tree.erase_range(key_of(5'000), key_of(15'000));
  for (const auto& [copy, expected] : copies) ASSERT_NO_FATAL_FAILURE(expect_same(copy, expected));
}

TEST(Tree, ErasesRangesOfEveryWidth) {
  constexpr std::size_t kCount = 5'000;
  Tree full;
  Model all;
  for (const std::size_t number : numbers_in(Order::Random, kCount)) {
    full.put(Entry::make(key_of(number), ""));
    all.emplace(key_of(number), "");
  }
  std::mt19937_64 random(1);
  for (std::size_t width = 1; width <= kCount; width = width * 3 / 2 + 1) {
    const std::size_t from = random() % (kCount - width + 1);
    Tree tree = full;
    tree.erase_range(key_of(from), key_of(from + width));
    Model model = all;
    model.erase(model.lower_bound(key_of(from)), model.lower_bound(key_of(from + width)));
    ASSERT_NO_FATAL_FAILURE(expect_same(tree, model));
    tree.put(Entry::make(key_of(from), "again"));
    model.insert_or_assign(key_of(from), "again");
    ASSERT_NO_FATAL_FAILURE(expect_same(tree, model));
  }
  ASSERT_NO_FATAL_FAILURE(expect_same(full, all));
}

}  // namespace
}  // namespace tavola::store
