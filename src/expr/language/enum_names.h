// AWS's names of the enums in the legacy parameters, in the order of its messages (dynalite's tests, run against AWS).
#pragma once

#include <tavola/expression.h>

#include "base/enum_names.h"

namespace tavola {

template <>
struct EnumNames<ComparisonOperator> {
  static constexpr EnumName<ComparisonOperator> kAll[] = {
      {"IN", ComparisonOperator::In},
      {"NULL", ComparisonOperator::Null},
      {"BETWEEN", ComparisonOperator::Between},
      {"LT", ComparisonOperator::Lt},
      {"NOT_CONTAINS", ComparisonOperator::NotContains},
      {"EQ", ComparisonOperator::Eq},
      {"GT", ComparisonOperator::Gt},
      {"NOT_NULL", ComparisonOperator::NotNull},
      {"NE", ComparisonOperator::Ne},
      {"LE", ComparisonOperator::Le},
      {"BEGINS_WITH", ComparisonOperator::BeginsWith},
      {"GE", ComparisonOperator::Ge},
      {"CONTAINS", ComparisonOperator::Contains},
  };
};

template <>
struct EnumNames<ConditionalOperator> {
  static constexpr EnumName<ConditionalOperator> kAll[] = {{"OR", ConditionalOperator::Or},
                                                           {"AND", ConditionalOperator::And}};
};

template <>
struct EnumNames<UpdateAction> {
  static constexpr EnumName<UpdateAction> kAll[] = {
      {"ADD", UpdateAction::Add}, {"PUT", UpdateAction::Put}, {"DELETE", UpdateAction::Delete}};
};

}  // namespace tavola
