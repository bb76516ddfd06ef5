// For std::visit: Overloaded{[](const A&) {...}, [](const B&) {...}}.
#pragma once

namespace tavola {

template <class... Fs>
struct Overloaded : Fs... {
  using Fs::operator()...;
};

}  // namespace tavola
