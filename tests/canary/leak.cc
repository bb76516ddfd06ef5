// Forgets memory.
#include <cstdio>

int main() {
  int* volatile forgotten = new int[100];
  forgotten = nullptr;
  std::printf("%p, and no leak was seen\n", static_cast<void*>(forgotten));
}
