#include <utility>

#include "base/timestamps.h"
#include "cases/case_database.h"
#include "cases/set_clock.h"
#include "design/items/table_schema.h"
#include "remote/remote_database.h"
#include "transfer/tables/created_table.h"

namespace tavola::cases {
namespace {

constexpr std::chrono::milliseconds kBetweenLooks{100};
constexpr std::string_view kClockPath = "/admin/clock";  // server/admin/clock_page.h
constexpr int kLooksMax = 6000;                          // ten minutes: on AWS, a deletion takes a while

// Returns whether the table exists.
Result<bool> exists(Database& database, const std::string& table) {
  const Result<DescribeTableResponse> found = database.describe_table({.table_name = table});
  if (found) return true;
  if (found.error().code() == ErrorCode::ResourceNotFound) return false;
  return fail(found.error());
}

// The server, and whether its time can be set.
struct Server {
  remote::Target endpoint;
  bool has_test_clock = false;
};

class ServerDatabase final : public CaseDatabase {
 public:
  ServerDatabase(Server server, std::unique_ptr<Database> database, std::string table)
      : server_(std::move(server)), database_(std::move(database)), table_(std::move(table)) {}

  Database& database() override { return *database_; }
  const Clock& clock() const override { return clock_; }
  // A server without a test clock, such as AWS, keeps its own time.
  Result<void> set_time(WallTime time) override {
    clock_.set(time);
    if (!server_.has_test_clock) return {};
    TAVOLA_TRY(const remote::HttpAnswer answer,
               remote::put(server_.endpoint, kClockPath, "{\"now\": \"" + iso8601(time) + "\"}"));
    if (answer.status == 200) return {};
    return fail(Error(ErrorCode::Io, "the server does not take the time of the case: " + answer.body));
  }
  Result<void> settle() override { return {}; }
  Result<void> close() override {
    TAVOLA_CHECK(database_->delete_table({.table_name = table_}));
    const transfer::Pause pause = transfer::sleep();
    for (int looks = 1; looks <= kLooksMax; ++looks) {
      TAVOLA_TRY(const bool is_there, exists(*database_, table_));
      if (!is_there) return {};
      pause(kBetweenLooks);
    }
    return fail(Error::resource_in_use("the table " + table_ + " was not deleted within ten minutes"));
  }

  Result<void> create(const design::Design& design) {
    TAVOLA_CHECK(transfer::create_and_wait(*database_, design::table_schema(design), transfer::sleep()));
    if (design.table.ttl.empty()) return {};
    Result<void> expires = transfer::expire_by(*database_, table_, design.table.ttl);
    if (!expires) static_cast<void>(close());
    return expires;
  }

 private:
  Server server_;
  std::unique_ptr<Database> database_;
  std::string table_;
  SetClock clock_;
};

Result<void> check_free(Database& database, const std::string& table, const std::string& url) {
  TAVOLA_TRY(const bool is_there, exists(database, table));
  if (!is_there) return {};
  return fail(Error::resource_in_use(
      "the table " + table + " exists at " + url +
      ", and tests create and delete it: delete it first, or test at a server that does not have it"));
}

}  // namespace

Result<OpenDatabase> at_server(const std::string& url, std::span<const CaseFile> files) {
  Server server{.endpoint = remote::from_environment(url)};
  TAVOLA_TRY(const std::unique_ptr<Database> database, remote::connect(server.endpoint));
  for (const CaseFile& file : files) TAVOLA_CHECK(check_free(*database, file.design.table.name, url));
  TAVOLA_TRY(const remote::HttpAnswer clock, remote::get(server.endpoint, kClockPath));
  server.has_test_clock = clock.status == 200;
  return [server](const design::Design& design) -> Result<std::unique_ptr<CaseDatabase>> {
    TAVOLA_TRY(std::unique_ptr<Database> connected, remote::connect(server.endpoint));
    TAVOLA_CHECK(check_free(*connected, design.table.name, server.endpoint.url));
    auto opened = std::make_unique<ServerDatabase>(server, std::move(connected), design.table.name);
    TAVOLA_CHECK(opened->create(design));
    return opened;
  };
}

}  // namespace tavola::cases
