#include "server/admin/import_page.h"

#include <memory>

#include "json/writer.h"
#include "server/v1/problem.h"

namespace tavola::server {
namespace {

constexpr std::string_view kImportsPath = "/admin/imports/";
constexpr std::string_view kDesignEnd = "/design";

http::Response design_page(const design::Design& design) {
  std::string body;
  json::Writer out(body);
  out.begin_object();
  out.name("file").text(design.file);
  out.name("text").text(design.text);
  out.end_object();
  return {.status = 200, .content_type = "application/json", .body = body + "\n"};
}

}  // namespace

std::string_view table_of_import_path(std::string_view path) {
  if (!path.starts_with(kImportsPath)) return {};
  std::string_view name = path.substr(kImportsPath.size());
  if (name.ends_with(kDesignEnd)) name.remove_suffix(kDesignEnd.size());
  return name.contains('/') ? std::string_view() : name;
}

std::string import_path(std::string_view table) { return std::string(kImportsPath) + std::string(table); }

std::string imported_design_path(std::string_view table) {
  return import_path(table) + std::string(kDesignEnd);
}

http::Response import_page(const http::Request& request, Database& database, Adoptions& adoptions) {
  const std::string table(table_of_import_path(request.path));
  const bool starts = request.method == "PUT";
  if (!starts && request.method != "GET" && request.method != "HEAD") {
    return wrong_method("GET, HEAD, PUT", "PUT has the table checked, GET returns the result");
  }
  const Result<std::shared_ptr<const design::Design>> design = database.governing_design(table);
  if (!design) return to_response(problem_of(design.error()));
  if (*design == nullptr) return unknown_name("the table " + table + " does not exist, or has no design");
  if (request.path.ends_with(kDesignEnd)) return design_page(**design);
  if (starts) adoptions.check(**design);
  const std::optional<Adoptions::Status> status = adoptions.status_of_table(table, Adoptions::Kind::Check);
  return {.status = 200,
          .content_type = "application/json",
          .body = to_json(status.value_or(Adoptions::Status{})) + "\n"};
}

}  // namespace tavola::server
