#include "design/model/secrets.h"

#include <algorithm>

namespace tavola::design {

bool holds_secret(const Attribute& field) {
  return field.sensitive || std::ranges::any_of(field.of, holds_secret);
}

}  // namespace tavola::design
