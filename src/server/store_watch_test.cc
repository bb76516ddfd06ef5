#include "server/store_watch.h"

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <tavola/packed.h>

#include "engine/records/keys.h"

namespace tavola::server {
namespace {

using testing::ElementsAre;

void put(store::Store& store, const std::string& key, const std::string& value) {
  const std::string keys[] = {key};
  const auto rule = [&](const store::View&) -> Result<store::Decision> {
    return store::Decision{{store::Write::put(key, value)}, {}};
  };
  ASSERT_TRUE(store.transact(keys, {}, rule).has_value());
}

void wait_until(const std::function<bool()>& done) {
  for (int tries = 0; !done() && tries < 1000; ++tries) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
}

TEST(StoreWatchTest, BuildsThatCannotBeReadAreNotTakenForNone) {
  const std::unique_ptr<store::Store> store = store::open_memory();
  const std::string key = engine::every_job().from + "1";
  put(*store, key, pack({{"build", "1"}, {"table", "orders"}}).value().bytes());
  Log log(LogFormat::Text);
  const StoreWatch watch(*store, log);
  wait_until([&] { return !watch.builds().empty(); });
  EXPECT_THAT(watch.builds(), ElementsAre("orders"));
  EXPECT_EQ(watch.unread_builds(), "");
  put(*store, key, "damaged");
  wait_until([&] { return !watch.unread_builds().empty(); });
  EXPECT_NE(watch.unread_builds(), "");
  EXPECT_THAT(watch.builds(), ElementsAre("orders")) << "as they were read last";
  EXPECT_EQ(watch.trouble(), "") << "writes are taken";
}

}  // namespace
}  // namespace tavola::server
