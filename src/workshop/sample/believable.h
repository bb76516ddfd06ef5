// Plausible values by the name of their field: an `email` is one, a `unitPrice` has two decimals, a `city` exists.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <tavola/value.h>

#include "base/clock.h"
#include "design/model/model.h"
#include "workshop/sample/dice.h"

namespace tavola::workshop {

// The context of a value.
struct Scene {
  std::string_view entity;
  const Item* fields = nullptr;  // of the same item, as far as they exist
  WallTime begin{};              // times lie between these
  WallTime now{};
  std::uint64_t serial = 0;  // the number of the item among its kind
};

class Believable {
 public:
  // `people` is the number of users, whose ids are drawn repeatedly.
  Believable(Dice& dice, std::size_t people);

  // Returns a value that `field` allows, as far as its bounds can be met.
  Value value(const design::Attribute& field, const Scene& scene);
  // Returns the id of one of the people.
  const std::string& person();

 private:
  Value scalar(const design::Attribute& field, const design::AttributeType& type, const Scene& scene);
  Value collection(const design::Attribute& field, const Scene& scene);
  Value number(const design::Attribute& field, const Scene& scene);
  std::string text(const design::Attribute& field, const Scene& scene);
  std::string named(const design::Attribute& field, const Scene& scene);
  std::string name_of(std::string_view what, const Scene& scene);
  std::string url(const design::Attribute& field, const Scene& scene);
  std::string domain();
  std::string hexadecimal(std::size_t digits);
  std::string number_text(std::int64_t low, std::int64_t high) {
    return std::to_string(dice_.between(low, high));
  }
  std::string word(std::span<const std::string_view> words) { return std::string(dice_.one_of(words)); }

  Dice& dice_;
  std::vector<std::string> people_;
};

}  // namespace tavola::workshop
