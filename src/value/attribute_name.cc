#include "value/attribute_name.h"

#include "value/limits.h"
#include "value/utf8.h"

namespace tavola {

// AWS cannot read such a request at all: it answers SerializationException, without words (aws-sdk-js issue 46).
Result<void> check_text(std::string_view text) {
  if (!is_utf8(text)) return fail(Error(ErrorCode::Serialization, "text is not valid UTF-8"));
  return {};
}

Result<void> check_attribute_name(std::string_view name) {
  if (name.empty()) {
    return fail(
        Error::validation("One or more parameter values were invalid: Attribute name must not be empty"));
  }
  if (name.size() > limits::kAttributeNameBytesMax) {
    return fail(
        Error::validation("One or more parameter values were invalid: Attribute name is too large, must be "
                          "less than 65536 bytes"));
  }
  return check_text(name);
}

}  // namespace tavola
