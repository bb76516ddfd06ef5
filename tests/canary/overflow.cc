// Adds one to the largest int.
#include <cstdio>
#include <limits>

int main() {
  volatile int largest = std::numeric_limits<int>::max();
  std::printf("%d, and nothing was seen\n", largest + 1);
}
