// Roles under /v1 and item by item, without the network. tests/designs/roles_test.py has the same with clients.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/item_roles.h"
#include "api/service.h"
#include "base/test_files.h"
#include "design/load.h"

namespace tavola::api {
namespace {

using std::chrono::hours;
using testing::HasSubstr;
using testing::Not;

const std::string kSecret = "a secret of this test, which is long enough";

class StandingClock final : public Clock {
 public:
  WallTime now() const override { return std::chrono::sys_days(std::chrono::year(2026) / 1 / 15); }
};

std::vector<design::Design> designs() {
  const std::string path = TAVOLA_SOURCE_DIR "/designs/fus-main.yaml";
  std::vector<design::Design> all;
  all.push_back(*design::load(read_file(path), path).design);
  return all;
}

class RolesTest : public testing::Test {
 protected:
  RolesTest()
      : database_(open_in_memory()),
        service_({.designs = designs(),
                  .tokens = TokenVerifier::make({.secret = kSecret}).value(),
                  .clock = clock_}),
        open_({.designs = designs(), .clock = clock_}) {
    EXPECT_TRUE(service_.runner(service_.designs().front(), *database_).prepare_table());
  }

  std::string bearer(std::string sub, std::vector<std::string> groups = {},
                     hours valid_for = hours(1)) const {
    return "Bearer " + sign_token(kSecret, {.sub = std::move(sub),
                                            .groups = std::move(groups),
                                            .issued = clock_.now(),
                                            .valid_for = valid_for});
  }

  http::Response send(const Service& service, std::string_view name, std::string_view authorization,
                      const Signer& signer = {}) {
    const http::Header headers[] = {{"content-type", "application/json"}, {"authorization", authorization}};
    const std::string path = "/v1/fus-main/" + std::string(name);
    http::Request request{};
    request.method = service.designs().front().find_operation(name) != nullptr ? "POST" : "GET";
    request.path = path;
    request.headers = headers;
    request.body = name == "createSite" ? R"({"url": "https://example.com/", "title": "Ours"})" : "{}";
    return service.answer(request, *database_, signer);
  }

  StandingClock clock_;
  std::unique_ptr<Database> database_;
  Service service_;
  Service open_;  // verifies nothing
};

TEST_F(RolesTest, GoByTheToken) {
  EXPECT_EQ(send(service_, "listSites", "").status, 200);
  EXPECT_EQ(send(service_, "createSite", bearer("ben", {"manager"})).status, 200);
  EXPECT_EQ(send(service_, "createSite", bearer("anna")).status, 403);
  EXPECT_EQ(send(service_, "myRatings", bearer("anna")).status, 200);  // of anna
}

TEST_F(RolesTest, AskWhoIsNotLoggedInToLogIn) {
  const http::Response nobody = send(service_, "createSite", "");
  EXPECT_EQ(nobody.status, 401);
  EXPECT_THAT(nobody.headers, HasSubstr("WWW-Authenticate: Bearer realm=\"tavola\"\r\n"));
  const http::Response late = send(service_, "listSites", bearer("anna", {}, -hours(1)));
  EXPECT_EQ(late.status, 401);
  EXPECT_THAT(late.body, HasSubstr("has expired"));
  EXPECT_THAT(late.headers, HasSubstr("error=\"invalid_token\""));
}

TEST_F(RolesTest, HoldWhereNobodyCanLogIn) {
  EXPECT_EQ(send(open_, "listSites", "").status, 200);
  const http::Response refused = send(open_, "createSite", "");
  EXPECT_EQ(refused.status, 403);
  EXPECT_THAT(refused.body, HasSubstr("--jwt-secret-file"));
  EXPECT_THAT(refused.headers, Not(HasSubstr("WWW-Authenticate")));
  EXPECT_EQ(send(open_, "createSite", bearer("ben", {"manager"})).status, 401);
}

TEST_F(RolesTest, GoByTheAccessKey) {
  const Signer key{.is_needed = true, .is_there = true};
  EXPECT_EQ(send(service_, "createSite", "", key).status, 200);
  const Signer anna{.is_needed = true, .is_there = true, .stands_for = design::Identity{.sub = "anna"}};
  EXPECT_EQ(send(service_, "createSite", "", anna).status, 403);
  // The token of a request that a key signed counts for nothing.
  EXPECT_EQ(send(service_, "createSite", bearer("ben", {"manager"}), anna).status, 403);
  EXPECT_EQ(send(service_, "listSites", "", {.is_needed = true}).status, 200);
  EXPECT_EQ(send(open_, "listSites", "", {.is_needed = true}).status, 401);
}

TEST_F(RolesTest, LimitWhatQueriesFind) {
  const design::Identity anna{.sub = "anna"};
  const ItemRoles roles(service_, *database_, anna);
  const auto query = [&](std::string_view condition, std::string_view hash, std::string_view range = "") {
    Item values{{":h", Value(hash)}};
    if (!range.empty()) values[":r"] = Value(range);
    return roles
        .may_query({.table_name = "fus-main",
                    .key_condition_expression = std::string(condition),
                    .values = pack(values).value()})
        .has_value();
  };
  EXPECT_TRUE(query("PK = :h AND begins_with(SK, :r)", "USER#anna", "SITE#"));
  EXPECT_TRUE(query("PK = :h AND SK = :r", "USER#anna", "SITE#mdn"));
  EXPECT_TRUE(query("PK = :h", "SITE#mdn"));
  EXPECT_FALSE(query("PK = :h", "USER#anna"));  // memberships lie there, too
  EXPECT_FALSE(query("PK = :h AND begins_with(SK, :r)", "USER#anna", "M"));
  EXPECT_FALSE(query("PK = :h AND SK > :r", "USER#anna", "SITE#"));
  EXPECT_FALSE(query("PK = :h AND begins_with(SK, :r)", "USER#ben", "SITE#"));
  EXPECT_FALSE(query("PK = :h", "$unique"));
  EXPECT_FALSE(query("other = :h", "SITE#mdn"));
  EXPECT_FALSE(roles.may_query({.table_name = "fus-main", .index_name = "unknown"}));
  EXPECT_TRUE(roles.may_query({.table_name = "elsewhere", .key_condition_expression = "a = :h"}));
  EXPECT_FALSE(roles.may_scan({.table_name = "fus-main"}));
  EXPECT_TRUE(roles.may_scan({.table_name = "fus-main", .index_name = "byTag"}));
  EXPECT_FALSE(roles.may_scan({.table_name = "fus-main", .index_name = "unknown"}));
  EXPECT_FALSE(roles.may_change_table("fus-main"));
}

TEST_F(RolesTest, LimitItemsByTheirKeys) {
  const design::Identity anna{.sub = "anna"};
  const ItemRoles roles(service_, *database_, anna);
  const auto item = [](std::string_view hash, std::string_view range) {
    return pack({{"PK", Value(hash)}, {"SK", Value(range)}, {"stars", Value(5)}}).value();
  };
  EXPECT_TRUE(roles.may_write("fus-main", item("USER#anna", "SITE#mdn")));
  EXPECT_FALSE(roles.may_write("fus-main", item("USER#ben", "SITE#mdn")));
  EXPECT_FALSE(roles.may_read("fus-main", item("USER#ben", "SITE#mdn")));
  EXPECT_TRUE(roles.may_read("fus-main", item("SITE#mdn", "METADATA")));
  EXPECT_FALSE(roles.may_write("fus-main", item("SITE#mdn", "METADATA")));
  EXPECT_FALSE(roles.may_read("fus-main", item("$", "x")));
  EXPECT_FALSE(roles.may_read("fus-main", pack({{"PK", Value("SITE#mdn")}}).value()));
  EXPECT_TRUE(roles.may_write("elsewhere", item("a", "b")));
}

}  // namespace
}  // namespace tavola::api
