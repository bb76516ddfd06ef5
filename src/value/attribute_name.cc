#include "value/attribute_name.h"

#include "base/encoding.h"
#include "base/utf8.h"
#include "value/limits.h"

namespace tavola {

namespace {

// AWS cannot parse such a request at all: it answers SerializationException, without a message (aws-sdk-js issue 46).
Error not_utf8(std::string what) {
  return {ErrorCode::Serialization, std::move(what) + " is not valid UTF-8"};
}

// Makes bytes that are not text printable in a message.
std::string readable(std::string_view bytes) {
  std::string text;
  for (const char byte : bytes) {
    const bool printable = byte >= ' ' && byte <= '~';
    text += printable ? std::string(1, byte) : "\\x" + to_hex({&byte, 1});
  }
  return text;
}

}  // namespace

Result<void> check_text(std::string_view text, std::string_view attribute) {
  if (!is_utf8(text)) return fail(not_utf8("the text of attribute '" + std::string(attribute) + "'"));
  return {};
}

Result<void> check_name_text(std::string_view name) {
  if (!is_utf8(name)) return fail(not_utf8("the attribute name '" + readable(name) + "'"));
  return {};
}

Result<void> check_attribute_name(std::string_view name) {
  if (name.empty()) {
    return fail(
        Error::validation("One or more parameter values were invalid: Attribute name must not be empty"));
  }
  if (name.size() > limits::kAttributeNameBytesMax) {
    return fail(  // AWS's words, by ExtendDB's issue 365, which measured them
        Error::validation(
            "1 validation error detected: Attribute name is too large, must be less than 65536 bytes"));
  }
  return check_name_text(name);
}

}  // namespace tavola
