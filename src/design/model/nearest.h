// "Did you mean": the word that somebody may have meant.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace tavola::design {

// The candidate that the fewest typing mistakes turn into `word`; empty when none is near. A mistake is a letter too many,
// missing, wrong, or swapped with its neighbour; upper and lower case are the same.
std::string nearest(std::string_view word, std::span<const std::string> candidates);

// "Did you mean `x`?", or `otherwise` when nothing is near.
std::string did_you_mean(std::string_view word, std::span<const std::string> candidates,
                         std::string_view otherwise = {});

}  // namespace tavola::design
