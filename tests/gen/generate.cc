// Writes the code of a design: generate cpp|ts|v1|py DESIGN.yaml OUTPUT; v1 is TypeScript for /v1 alone. Mistakes of the design go to stderr.
#include <fstream>
#include <iostream>
#include <iterator>
#include <string>
#include <string_view>

#include "design/load.h"
#include "workshop/gen/gen_cpp.h"
#include "workshop/gen/gen_py.h"
#include "workshop/gen/gen_ts.h"
#include "workshop/gen/gen_ts_v1.h"

int main(int count, char** arguments) {
  if (count != 4) {
    std::cerr << "usage: generate cpp|ts|v1|py DESIGN.yaml OUTPUT\n";
    return 2;
  }
  std::ifstream file(arguments[2], std::ios::binary);
  const std::string text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  const tavola::design::Loaded loaded = tavola::design::load(text, arguments[2]);
  if (!loaded.design) {
    for (const auto& diagnostic : loaded.diagnostics) std::cerr << tavola::design::to_text(diagnostic, text);
    return 1;
  }
  std::ofstream output(arguments[3], std::ios::binary);
  const std::string_view language = arguments[1];
  output << (language == "cpp"  ? tavola::workshop::gen_cpp(*loaded.design, text)
             : language == "v1" ? tavola::workshop::gen_ts_v1(*loaded.design)
             : language == "py" ? tavola::workshop::gen_py(*loaded.design)
                                : tavola::workshop::gen_ts(*loaded.design));
  return output.flush() ? 0 : 1;
}
