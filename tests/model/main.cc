#include <gtest/gtest.h>

#include "tests/model/options.h"

int main(int argc, char** argv) {
  tavola::model::read_test_options(argc,
                                   argv);  // before GoogleTest lists the tests: the seeds are among them
  testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
