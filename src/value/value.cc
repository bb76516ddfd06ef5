#include <tavola/value.h>

#include "base/encoding.h"
#include "base/joined.h"

namespace tavola {

std::string_view type_name(Type type) {
  switch (type) {
    case Type::Null:
      return "NULL";
    case Type::Bool:
      return "BOOL";
    case Type::Number:
      return "N";
    case Type::String:
      return "S";
    case Type::Binary:
      return "B";
    case Type::List:
      return "L";
    case Type::Map:
      return "M";
    case Type::StringSet:
      return "SS";
    case Type::NumberSet:
      return "NS";
    case Type::BinarySet:
      return "BS";
  }
  return "?";
}

namespace {

// AWS's words for each set type, double space and missing space included: dynalite's validations and the
// "Empty values" tests of the dynamodb-conformance suite, both run against AWS.
Error empty_set(const StringSet*) {
  return Error::validation("One or more parameter values were invalid: An string set  may not be empty");
}
Error empty_set(const NumberSet*) {
  return Error::validation("One or more parameter values were invalid: An number set  may not be empty");
}
Error empty_set(const BinarySet*) {
  return Error::validation("One or more parameter values were invalid: Binary sets should not be empty");
}

Error duplicates(const std::vector<std::string>& elements) {
  return Error::validation("One or more parameter values were invalid: Input collection " +
                           bracketed(elements) + " contains duplicates.");
}
Error duplicates(const std::vector<Number>&) {
  return Error::validation("Input collection contains duplicates");
}
Error duplicates(const std::vector<Binary>& elements) {
  return Error::validation("One or more parameter values were invalid: Input collection " +
                           bracketed(elements, [](const Binary& binary) { return to_base64(binary.bytes); }) +
                           "of type BS contains duplicates.");
}

}  // namespace

template <class T>
Result<Set<T>> Set<T>::of(std::vector<T> elements) {
  if (elements.empty()) return fail(empty_set(static_cast<const Set*>(nullptr)));
  if (std::ranges::is_sorted(elements)) {
    if (std::ranges::adjacent_find(elements) != elements.end()) return fail(duplicates(elements));
    return Set(std::move(elements));
  }
  std::vector<T> sorted = elements;
  std::ranges::sort(sorted);
  if (std::ranges::adjacent_find(sorted) != sorted.end()) return fail(duplicates(elements));
  return Set(std::move(sorted));
}

template class Set<std::string>;
template class Set<Number>;
template class Set<Binary>;

}  // namespace tavola
