// Roles under /v1 and item by item, without the network. tests/designs/roles_test.py and item_roles_test.py test
// them with clients.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "access/permissions/item_roles.h"
#include "base/test_files.h"
#include "database/forwarding_database.h"
#include "design/items/table_schema.h"
#include "design/load.h"
#include "server/v1/service.h"

namespace tavola::server {
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
  all.push_back(*design::load(text_of_file(path), path).design);
  return all;
}

class RolesTest : public testing::Test {
 protected:
  RolesTest()
      : database_(open_in_memory()),
        service_({.designs = designs(),
                  .tokens = access::TokenVerifier::make({.secret = kSecret}).value(),
                  .clock = clock_}),
        open_({.designs = designs(), .clock = clock_}) {
    EXPECT_TRUE(service_.runner(service_.designs().front(), *database_).prepare_table());
  }

  std::string bearer(std::string sub, std::vector<std::string> groups = {},
                     hours valid_for = hours(1)) const {
    return "Bearer " + access::sign_token(kSecret, {.sub = std::move(sub),
                                                    .groups = std::move(groups),
                                                    .issued = clock_.now(),
                                                    .valid_for = valid_for});
  }

  http::Response send(const DesignService& service, std::string_view name, std::string_view authorization,
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
  DesignService service_;
  DesignService open_;  // verifies nothing
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

// The pages about a design with roles name its patterns, operations and fields.
TEST_F(RolesTest, KeepStrangersFromReadingAboutTheDesign) {
  const Signer key{.is_needed = true, .is_there = true};
  for (const std::string_view page :
       {"/v1/fus-main/", "/v1/fus-main", "/v1/fus-main/docs.md", "/v1/fus-main/createSit", "/v1/",
        "/v1/openapi.json", "/v1/fus-mian/"}) {
    const auto status = [&](const DesignService& service, std::string_view authorization,
                            const Signer& signer = {}) {
      const http::Header headers[] = {{"authorization", authorization}};
      http::Request request{};
      request.method = "GET";
      request.path = page;
      request.headers = headers;
      return service.answer(request, *database_, signer).status;
    };
    const bool is_there = !page.contains("createSit") && !page.contains("mian");
    EXPECT_EQ(status(service_, ""), 401) << page;
    EXPECT_EQ(status(service_, "", {.is_needed = true}), 401) << page;
    EXPECT_EQ(status(service_, bearer("anna", {}, -hours(1))), 401) << page;
    EXPECT_EQ(status(service_, bearer("anna")), is_there ? 200 : 404) << page;
    EXPECT_EQ(status(service_, "", key), is_there ? 200 : 404) << page;
    EXPECT_EQ(status(open_, ""), is_there ? 200 : 404) << page;  // nobody could log in
  }
}

TEST_F(RolesTest, GoByTheAccessKey) {
  const Signer key{.is_needed = true, .is_there = true};
  EXPECT_EQ(send(service_, "createSite", "", key).status, 200);
  const Signer anna{.is_needed = true, .is_there = true, .stands_for = design::Identity{.sub = "anna"}};
  EXPECT_EQ(send(service_, "createSite", "", anna).status, 403);
  // The token of a request that is signed by a key is ignored.
  EXPECT_EQ(send(service_, "createSite", bearer("ben", {"manager"}), anna).status, 403);
  EXPECT_EQ(send(service_, "listSites", "", {.is_needed = true}).status, 200);
  EXPECT_EQ(send(open_, "listSites", "", {.is_needed = true}).status, 401);
}

// A table has the roles of the design that governs it, whichever of its designs a request names.
TEST_F(RolesTest, OfTheGoverningDesignHoldForOtherDesignsOfTheTable) {
  std::vector<design::Design> without_roles = designs();
  without_roles.front().roles.clear();
  without_roles.front().groups.reset();
  without_roles.front().text += "# without roles\n";
  std::vector<design::Design> older = designs();
  older.front().text += "# of last year\n";
  const Signer key{.is_needed = true, .is_there = true};
  const Signer anna{.is_needed = true, .is_there = true, .stands_for = design::Identity{.sub = "anna"}};
  for (const std::vector<design::Design>& other : {without_roles, older}) {
    const DesignService known({.designs = other,
                               .tokens = access::TokenVerifier::make({.secret = kSecret}).value(),
                               .clock = clock_});
    const DesignService unknown({.designs = other, .clock = clock_});
    for (const std::string_view name : {"listSites", "createSite"}) {
      EXPECT_EQ(send(known, name, bearer("ben", {"manager"})).status, 403) << name;
      EXPECT_EQ(send(known, name, "").status, 403) << name;
      EXPECT_EQ(send(unknown, name, "").status, 403) << name;
      EXPECT_EQ(send(known, name, "", anna).status, 403) << name;
      EXPECT_EQ(send(known, name, "", key).status, 200) << name;
      EXPECT_THAT(send(known, name, "", anna).body, HasSubstr("which governs it and has roles"));
    }
  }
}

TEST_F(RolesTest, LimitWhatQueriesFind) {
  const design::Identity anna{.sub = "anna"};
  const access::ItemRoles roles({.database = *database_, .who = anna});
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
  EXPECT_FALSE(query("PK = :h", "USER#anna"));  // memberships are there, too
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

// A database with table designs that it cannot read.
class Unreadable final : public ForwardingDatabase {
 public:
  using ForwardingDatabase::ForwardingDatabase;
  Result<std::shared_ptr<const design::Design>> governing_design(std::string_view) override {
    return fail(Error::corrupt("The design of table 'fus-main' is damaged."));
  }
};

TEST_F(RolesTest, WithoutTheirDesignRefuseEverything) {
  const design::Identity anna{.sub = "anna"};
  Unreadable unreadable(*database_);
  const access::ItemRoles roles({.database = unreadable, .who = anna});
  const PackedItem key = pack({{"PK", Value("SITE#mdn")}, {"SK", Value("METADATA")}}).value();
  const Result<void> answer = roles.may_read("fus-main", key);
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().code(), ErrorCode::AccessDenied);
  EXPECT_THAT(answer.error().message(), HasSubstr("cannot be applied: The design of table 'fus-main'"));
  EXPECT_FALSE(roles.may_write("fus-main", key));
  EXPECT_FALSE(roles.may_scan({.table_name = "fus-main"}));
  EXPECT_FALSE(roles.may_change_table("fus-main"));
}

// A database that fails to read groups.
class WithoutGroups final : public ForwardingDatabase {
 public:
  WithoutGroups(Database& database, Error error) : ForwardingDatabase(database), error_(std::move(error)) {}
  Result<QueryResponse> query(const QueryRequest& request) override {
    const bool is_about_groups = !request.may_see;
    if (!is_about_groups) return ForwardingDatabase::query(request);
    ++lookups;
    return fail(error_);
  }
  int lookups = 0;

 private:
  Error error_;
};

// If the right to see an item cannot be determined, the request fails instead of leaving items out.
TEST_F(RolesTest, FailWhenGroupsCannotBeLookedUp) {
  const design::Identity anna{.sub = "anna"};
  const auto item = [](std::string_view hash, std::string_view range) {
    return pack({{"PK", Value(hash)}, {"SK", Value(range)}, {"tag", Value("x")}}).value();
  };
  for (const ErrorCode code : {ErrorCode::Internal, ErrorCode::AccessDenied}) {
    WithoutGroups failing(*database_, Error(code, "the groups are gone"));
    const access::ItemRoles roles({.database = failing, .who = anna});
    const Result<ItemTest> may_see = roles.may_query({.table_name = "fus-main",
                                                      .key_condition_expression = "PK = :h",
                                                      .values = pack({{":h", Value("SITE#mdn")}}).value()});
    ASSERT_TRUE(may_see);
    EXPECT_TRUE((*may_see)(item("SITE#mdn", "METADATA").view()).value());
    EXPECT_EQ(failing.lookups, 0);
    for (int i = 0; i < 3; ++i) {
      const Result<bool> seen = (*may_see)(item("GROUP#editors", "METADATA").view());
      ASSERT_FALSE(seen);
      EXPECT_EQ(seen.error().code(), code);
      const Result<bool> of_a_stream = roles.may_see("fus-main", item("GROUP#editors", "METADATA"));
      ASSERT_FALSE(of_a_stream);
      EXPECT_EQ(of_a_stream.error().message(), "the groups are gone");
    }
    EXPECT_EQ(failing.lookups, 1);
    EXPECT_FALSE(roles.may_see("fus-main", item("$unique", "x")).value());
  }
}

// The request fails with the error of the item test.
TEST_F(RolesTest, FailTheRequestWithTheLookup) {
  ASSERT_TRUE(database_->put_item({.table_name = "fus-main",
                                   .item = pack({{"PK", Value("SITE#mdn")},
                                                 {"SK", Value("METADATA")},
                                                 {"url", Value("https://example.com/")},
                                                 {"title", Value("MDN")}})
                                               .value()}));
  const QueryRequest request{
      .table_name = "fus-main",
      .key_condition_expression = "PK = :h",
      .values = pack({{":h", Value("SITE#mdn")}}).value(),
      .may_see = [](const ItemView&) -> Result<bool> { return fail(Error(ErrorCode::Throttling, "later")); }};
  const Result<QueryResponse> found = database_->query(request);
  ASSERT_FALSE(found);
  EXPECT_EQ(found.error().code(), ErrorCode::Throttling);
}

// A table that a served design names is limited even before it is governed.
TEST_F(RolesTest, OfServedDesignsHoldByTheNameOfTheTable) {
  const design::Identity anna{.sub = "anna"};
  const std::unique_ptr<Database> empty = open_in_memory();
  EXPECT_TRUE(access::ItemRoles({.database = *empty, .who = anna}).may_change_table("fus-main"));
  EXPECT_FALSE(access::ItemRoles({.database = *empty, .who = anna, .served = service_.designs()})
                   .may_change_table("fus-main"));
}

// Only a governed table checks who may grant which permission.
TEST_F(RolesTest, OfServedDesignsLetNobodyWriteToATableThatIsNotGoverned) {
  const design::Identity ben{.sub = "ben", .groups = {"manager"}};
  const std::unique_ptr<Database> other = open_in_memory();
  const access::ItemRoles roles({.database = *other, .who = ben, .served = service_.designs()});
  const PackedItem key = pack({{"PK", Value("SITE#mdn")}, {"SK", Value("METADATA")}}).value();
  const auto code = [&] { return roles.may_write("fus-main", key).error().code(); };
  EXPECT_EQ(code(), ErrorCode::ResourceNotFound);
  ASSERT_TRUE(other->create_table(design::table_schema(service_.designs().front())));
  EXPECT_EQ(code(), ErrorCode::AccessDenied);
  EXPECT_TRUE(roles.may_read("fus-main", key));
}

TEST_F(RolesTest, LimitItemsByTheirKeys) {
  const design::Identity anna{.sub = "anna"};
  const access::ItemRoles roles({.database = *database_, .who = anna});
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

TEST_F(RolesTest, LimitTheHistoryOfItems) {
  ASSERT_TRUE(database_->update_continuous_backups({.table_name = "fus-main", .enabled = true}));
  const design::Identity anna{.sub = "anna"};
  const access::ItemRoles roles({.database = *database_, .who = anna});
  const access::Permissions permissions{
      .user = "anna", .may_use = [](std::string_view) { return true; }, .items = &roles};
  const ServerIdentity server;
  access::RestrictedDatabase hers(*database_, permissions, server);
  const auto may_read = [&](std::string_view hash, std::string_view range) {
    const PackedItem key = pack({{"PK", Value(hash)}, {"SK", Value(range)}}).value();
    const auto history = hers.item_history({.table_name = "fus-main", .key = key});
    const auto periods = database_->describe_continuous_backups({"fus-main"});
    const auto then =
        hers.item_as_of({.table_name = "fus-main", .key = key, .moment = periods->backups.latest});
    EXPECT_EQ(history.has_value(), then.has_value());
    if (!history) {
      EXPECT_EQ(history.error().code(), ErrorCode::AccessDenied) << history.error().message();
    }
    return history.has_value();
  };
  EXPECT_TRUE(may_read("USER#anna", "SITE#mdn"));
  EXPECT_FALSE(may_read("USER#ben", "SITE#mdn"));
  EXPECT_TRUE(may_read("SITE#mdn", "METADATA"));
  EXPECT_FALSE(may_read("$", "x"));
}

}  // namespace
}  // namespace tavola::server
