// Named<Tag, T>: a number or string of a distinct type, so that ids of two kinds cannot be confused.
//
//   using TableId = Named<struct TableIdTag, std::uint32_t>;
#pragma once

#include <compare>
#include <utility>

namespace tavola {

template <class Tag, class T>
class Named {
 public:
  constexpr Named() = default;
  constexpr explicit Named(T value) : value_(std::move(value)) {}
  constexpr const T& value() const { return value_; }
  friend constexpr auto operator<=>(const Named&, const Named&) = default;

 private:
  T value_{};
};

}  // namespace tavola
