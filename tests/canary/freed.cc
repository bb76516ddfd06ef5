// Reads memory that was freed.
#include <cstdio>
#include <memory>

int main() {
  auto owner = std::make_unique<int>(1);
  const volatile int* borrowed = owner.get();
  owner.reset();
  std::printf("%d, and nothing was seen\n", *borrowed);
}
