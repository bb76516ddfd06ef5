#include "server/admin/branches_page.h"

#include <string>
#include <utility>

#include "base/timestamps.h"
#include "json/writer.h"
#include "server/admin/admin_body.h"
#include "server/v1/problem.h"

namespace tavola::server {
namespace {

constexpr std::string_view kResetPath = "/admin/reset";
constexpr std::string_view kBranchesPath = "/admin/branches";
constexpr std::string_view kRestore = "/restore";

void write_branch(json::Writer& json, const Branches::Branch& branch) {
  json.begin_object();
  json.name("name").text(branch.name);
  json.name("taken").text(iso8601(branch.taken));
  json.name("restores").integer(static_cast<std::int64_t>(branch.restores));
  json.end_object();
}

http::Response as_json(std::string body) {
  return {.status = 200, .content_type = "application/json", .body = std::move(body) + "\n"};
}

http::Response problem_response(const Error& error) {
  if (error.code() == ErrorCode::ResourceNotFound) {
    return to_response(
        {.kind = "unknown", .title = "There is no such thing", .status = 404, .detail = error.message()});
  }
  if (error.code() != ErrorCode::ResourceInUse && error.code() != ErrorCode::LimitExceeded)
    return to_response(problem_of(error));
  http::Response response = to_response({.kind = "busy",
                                         .title = "The state of the database cannot be taken or replaced now",
                                         .status = 409,
                                         .detail = error.message()});
  // Work that goes on is a reason to try again.
  if (error.code() == ErrorCode::ResourceInUse) response.add_header("Retry-After", "1");
  return response;
}

http::Response show(const Branches& branches, const std::string& name) {
  const auto branch = branches.find(name);
  if (!branch) return problem_response(Error::resource_not_found("there is no branch " + name));
  std::string out;
  json::Writer json(out);
  write_branch(json, *branch);
  return as_json(std::move(out));
}

http::Response show_all(const Branches& branches) {
  std::string out;
  json::Writer json(out);
  json.begin_object();
  json.name("branches").begin_list();
  for (const Branches::Branch& branch : branches.list()) write_branch(json, branch);
  json.end_list();
  json.end_object();
  return as_json(std::move(out));
}

Result<void> reset(std::string_view body, Branches& branches) {
  constexpr std::string_view kExample = R"({}, {"table": "orders"} or {"keepTables": true})";
  if (body.empty()) return branches.reset();
  TAVOLA_TRY(const json::Node root, read_admin_body(body, kExample));
  if (root.members.empty()) return branches.reset();
  const json::Node* const table = root.find("table");
  const json::Node* const keeps = root.find("keepTables");
  if (root.members.size() == 1 && table != nullptr && table->is_text())
    return branches.empty_table(table->text);
  if (root.members.size() == 1 && keeps != nullptr && keeps->kind == json::Node::Kind::Boolean &&
      keeps->text == "true")
    return branches.empty_tables();
  return fail(Error::validation("the body must be " + std::string(kExample)));
}

http::Response answer_branch(const http::Request& request, std::string name, Branches& branches) {
  const bool restores = name.ends_with(kRestore);
  if (restores) name.resize(name.size() - kRestore.size());
  const bool is_read = request.method == "GET" || request.method == "HEAD";
  if (is_read && !restores) return show(branches, name);
  if (request.method == "DELETE" && !restores) {
    const Result<void> removed = branches.remove(name);
    return removed ? as_json("{}") : problem_response(removed.error());
  }
  if (request.method != "POST") {
    return restores ? wrong_method("POST", "POST returns to the branch")
                    : wrong_method("GET, HEAD, POST, DELETE",
                                   "POST takes the current state, GET shows the branch, DELETE forgets it");
  }
  const Result<void> done = restores ? branches.restore(name) : branches.take(name);
  return done ? show(branches, name) : problem_response(done.error());
}

}  // namespace

bool is_branches_path(std::string_view path) {
  return path == kResetPath || path == kBranchesPath ||
         (path.starts_with(kBranchesPath) && path[kBranchesPath.size()] == '/');
}

http::Response branches_page(const http::Request& request, Branches* branches) {
  if (branches == nullptr) {
    return to_response({.kind = "forbidden",
                        .title = "This server cannot be reset, and takes no branches",
                        .status = 403,
                        .detail =
                            "Start the server with --test-admin to use /admin/reset and /admin/branches "
                            "in tests"});
  }
  if (request.path == kResetPath) {
    if (request.method != "POST") return wrong_method("POST", "POST empties the database");
    const Result<void> done = reset(request.body, *branches);
    return done ? as_json("{}") : problem_response(done.error());
  }
  if (request.path == kBranchesPath) {
    if (request.method == "GET" || request.method == "HEAD") return show_all(*branches);
    return wrong_method("GET, HEAD", "GET lists the branches; POST /admin/branches/NAME takes one");
  }
  return answer_branch(request, std::string(request.path.substr(kBranchesPath.size() + 1)), *branches);
}

}  // namespace tavola::server
