#include "server/v1/problem.h"

#include "base/utf8.h"
#include "database/index_not_ready.h"
#include "design/model/arguments.h"
#include "design/model/refusal.h"
#include "design/requests/operation_plan.h"
#include "design/roles/access.h"
#include "json/writer.h"

namespace tavola::server {
namespace {

Problem kind_of(ErrorCode code) {
  switch (code) {
    case ErrorCode::Validation:
    case ErrorCode::Serialization:
      return {.kind = "bad-request", .title = "The request cannot be understood", .status = 400};
    case ErrorCode::MissingAuthenticationToken:
    case ErrorCode::IncompleteSignature:
    case ErrorCode::UnrecognizedClient:
    case ErrorCode::InvalidSignature:
      return {.kind = "unauthorized", .title = "The signature is missing or wrong", .status = 401};
    case ErrorCode::AccessDenied:
      return {.kind = "forbidden", .title = "This access key does not allow it", .status = 403};
    case ErrorCode::ConditionalCheckFailed:
    case ErrorCode::IdempotentParameterMismatch:
      return {.kind = "conflict", .title = "The request conflicts with the current data", .status = 409};
    case ErrorCode::ProvisionedThroughputExceeded:
    case ErrorCode::Throttling:
    case ErrorCode::LimitExceeded:
      return {.kind = "too-much", .title = "Too much at once", .status = 429};
    case ErrorCode::TransactionCanceled:
    case ErrorCode::TransactionConflict:
    case ErrorCode::TransactionInProgress:
      return {
          .kind = "busy", .title = "Too many concurrent writes to the same items; try again", .status = 503};
    case ErrorCode::ResourceNotFound:
    case ErrorCode::TableNotFound:
    case ErrorCode::ResourceInUse:
      return {.kind = kNoTable, .title = "The design's table is missing", .status = 503};
    case ErrorCode::DiskFull:
      return {.kind = "disk-full", .title = "The disk is full", .status = 507};
    default:
      return {.kind = "failed", .title = "The server failed", .status = 500};
  }
}

struct PageProblem {
  int status;
  std::string_view kind;
  std::string_view title;
};

PageProblem page_problem_of(int status) {
  static constexpr PageProblem kProblems[] = {{401, "unauthorized", "Nobody is logged in"},
                                              {403, "forbidden", "The request is not allowed"},
                                              {404, "unknown-name", "There is no such address"},
                                              {405, "wrong-method", "The address has another method"},
                                              {429, "too-many", "Too many requests"},
                                              {503, "busy", "The service is not available now"}};
  for (const PageProblem& problem : kProblems) {
    if (problem.status == status) return problem;
  }
  return {status, "refused", "The request was refused"};
}

}  // namespace

Problem refused(std::string name, int status) {
  return {
      .kind = "refused", .title = "The operation was refused", .status = status, .refusal = std::move(name)};
}

Problem problem_of(const Error& error) {
  Problem problem = kind_of(error.code());
  if (const auto* refusal = error.detail<design::Refusal>()) {
    problem = refused(refusal->name, refusal->is_missing ? 404 : 409);
    problem.detail = refusal->reason;
  } else if (const auto* violation = error.detail<design::Violation>()) {
    problem = refused(violation->name, error.code() == ErrorCode::ConditionalCheckFailed ? 409 : 422);
    problem.parameter = violation->field;
  } else if (error.detail<IndexNotReady>() != nullptr) {
    problem = {.kind = "index-not-ready", .title = "An index is still being built", .status = 503};
  } else if (const auto* bad = error.detail<design::BadParameter>()) {
    problem = {.kind = "bad-parameter", .title = "A parameter is missing, unknown or wrong", .status = 400};
    problem.parameter = bad->name;
  } else if (error.detail<design::Forbidden>() != nullptr) {
    problem.title = "The role does not allow it";
    problem.refusal = design::kForbidden;
  }
  if (problem.detail.empty()) problem.detail = error.message();
  return problem;
}

std::string to_json(const Problem& problem) {
  std::string out;
  json::Writer json(out);
  json.begin_object();
  json.name("type").text("urn:tavola:" + std::string(problem.kind));
  json.name("title").text(problem.title);
  json.name("status").integer(problem.status);
  if (!problem.detail.empty()) json.name("detail").text(problem.detail);
  if (!problem.refusal.empty()) json.name("refusal").text(problem.refusal);
  if (!problem.parameter.empty()) json.name("parameter").text(problem.parameter);
  json.end_object();
  return out;
}

http::Response to_response(const Problem& problem) {
  http::Response response{
      .status = problem.status, .content_type = kProblemType, .body = to_json(problem) + "\n"};
  if (problem.status == 503) response.add_header("Retry-After", "1");
  if (problem.status == 401) response.add_header("WWW-Authenticate", problem.challenge);
  return response;
}

http::Response not_yet(std::string detail) {
  http::Response response = to_response({.kind = "adopting",
                                         .title = "The design takes over its table",
                                         .status = 503,
                                         .detail = std::move(detail)});
  response.add_header("Retry-After", "1");
  return response;
}

http::Response unknown_name(std::string detail) {
  return to_response(
      {.kind = "unknown-name", .title = "This name is unknown", .status = 404, .detail = std::move(detail)});
}

http::Response wrong_method(std::string_view allowed, std::string detail) {
  http::Response response = to_response({.kind = "wrong-method",
                                         .title = "This method is not allowed",
                                         .status = 405,
                                         .detail = std::move(detail)});
  response.add_header("Allow", allowed);
  return response;
}

http::Response problem_answer(int status, std::string detail) {
  const PageProblem page = page_problem_of(status);
  Problem made{.kind = page.kind, .title = page.title, .status = status, .detail = std::move(detail)};
  if (status == 403) made.refusal = design::kForbidden;
  if (status != 401) return to_response(made);
  return {.status = 401, .content_type = kProblemType, .body = to_json(made)};
}

http::Response unknown_path(std::string_view path) {
  return problem_answer(404, "There is nothing at " + (is_utf8(path) ? std::string(path) : "this path"));
}

// The response repeats the requested name, and JSON must be UTF-8.
http::Response unknown_design(std::string_view name) {
  return unknown_name("There is no design " + (is_utf8(name) ? std::string(name) : "of this name") +
                      " here. GET /v1/ lists them.");
}

}  // namespace tavola::server
