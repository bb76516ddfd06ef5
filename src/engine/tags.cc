#include "engine/tags.h"

#include "value/limits.h"

namespace tavola::engine {

Result<void> check_tags(const Tags& tags) {
  for (const auto& [key, value] : tags) {
    if (key.empty() || key.size() > limits::kTagKeyBytesMax) {
      return fail(Error::validation("One or more parameter values were invalid: A tag key has 1 to 128 characters"));
    }
    if (value.size() > limits::kTagValueBytesMax) {
      return fail(
          Error::validation("One or more parameter values were invalid: A tag value has at most 256 characters"));
    }
    if (key.starts_with("aws:")) {
      return fail(Error::validation("One or more parameter values were invalid: Tag keys that begin with aws: are "
                                    "reserved"));
    }
  }
  if (tags.size() > limits::kTagsMax) {
    return fail(Error::validation(
        "One or more parameter values were invalid: Too many tags: a resource may have at most 50 tags"));
  }
  return {};
}

}  // namespace tavola::engine
