// "Did you mean": suggests a similar word.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace tavola::design {

// Returns the candidate that the fewest typing mistakes turn into `word`; empty if none is near. A mistake is a letter
// too many, missing, wrong, or swapped with its neighbour; case is ignored.
std::string nearest(std::string_view word, std::span<const std::string> candidates);

// Returns "Did you mean `x`?", or `otherwise` if none is near.
std::string did_you_mean(std::string_view word, std::span<const std::string> candidates,
                         std::string_view otherwise = {});

}  // namespace tavola::design
