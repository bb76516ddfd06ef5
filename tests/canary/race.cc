// Two threads append to one string without a lock. The bytes are written inside of std::string's own
// functions, which is the kind of race that suppressing a library's calls could hide (cmake/tsan.supp).
#include <cstdio>
#include <string>
#include <thread>

int main() {
  std::string shared;
  shared.reserve(1 << 16);
  const auto append = [&shared] {
    for (int i = 0; i < 1000; ++i) {
      shared.append("a few bytes");
    }
  };
  std::thread other(append);
  append();
  other.join();
  std::printf("%zu bytes, and no race was seen\n", shared.size());
}
