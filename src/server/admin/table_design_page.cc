#include "server/admin/table_design_page.h"

#include <optional>

#include "design/load.h"
#include "json/writer.h"
#include "server/admin/admin_body.h"
#include "server/v1/problem.h"

namespace tavola::server {
namespace {

constexpr std::string_view kTablesPath = "/admin/tables/";
constexpr std::string_view kDesignOfTable = "/design";

Result<void> apply(const http::Request& request, DesignChanges& changes) {
  TAVOLA_TRY(const TableDesignRequest wanted, parse_table_design_request(request.body));
  design::Loaded loaded = design::load(wanted.design, wanted.file_name);
  if (!loaded.design) {
    std::string text;
    for (const design::Diagnostic& one : loaded.diagnostics)
      text += design::to_text(one, wanted.design) + "\n";
    return fail(Error::validation("the design has errors:\n" + text));
  }
  loaded.design->table.name = table_of_design_path(request.path);
  return changes.start(*loaded.design, {.delete_indexes = wanted.delete_indexes});
}

Result<std::string> page_of(std::string_view table, const DesignChanges& changes) {
  TAVOLA_TRY(const DesignChanges::State state, changes.state_of(table));
  std::string json;
  json::Writer out(json);
  out.begin_object();
  out.name("table").text(table);
  out.name("exists").boolean(state.table_exists);
  out.name("adopting").boolean(state.is_adopting);
  if (state.design) {
    out.name("name").text(state.design->name);
    out.name("file").text(state.design->file);
    out.name("design").text(state.design->text);
  }
  if (!state.served_from.empty()) out.name("servedFrom").text(state.served_from);
  if (state.adoption) out.name("adoption").raw() += to_json(*state.adoption);
  out.end_object();
  return json;
}

}  // namespace

std::string_view table_of_design_path(std::string_view path) {
  if (!path.starts_with(kTablesPath) || !path.ends_with(kDesignOfTable)) return {};
  path.remove_prefix(kTablesPath.size());
  if (path.size() <= kDesignOfTable.size()) return {};
  path.remove_suffix(kDesignOfTable.size());
  return path.contains('/') ? std::string_view() : path;
}

std::string table_design_path(std::string_view table) {
  return std::string(kTablesPath) + std::string(table) + std::string(kDesignOfTable);
}

std::string to_json(const TableDesignRequest& request) {
  std::string json;
  json::Writer out(json);
  out.begin_object();
  out.name("design").text(request.design);
  out.name("file").text(request.file_name);
  out.name("deleteIndexes").boolean(request.delete_indexes);
  out.end_object();
  return json;
}

Result<TableDesignRequest> parse_table_design_request(std::string_view body) {
  constexpr std::string_view kExample = R"({"design": "design: 1 …", "file": "shop.yaml"})";
  TAVOLA_TRY(const json::Node root, read_admin_body(body, kExample));
  TableDesignRequest request;
  for (const auto& [name, value] : root.members) {
    if ((name == "design" || name == "file") && value.is_text()) {
      (name == "design" ? request.design : request.file_name) = value.text;
    } else if (name == "deleteIndexes" && value.kind == json::Node::Kind::Boolean) {
      request.delete_indexes = value.text == "true";
    } else {
      return fail(Error::validation("there is no parameter " + name + " of this type; the body is like " +
                                    std::string(kExample)));
    }
  }
  if (request.design.empty()) return fail(Error::validation("`design` is missing: the text of the design"));
  if (request.file_name.empty()) request.file_name = "design.yaml";
  return request;
}

http::Response table_design_page(const http::Request& request, DesignChanges& changes) {
  if (request.method != "PUT" && request.method != "GET" && request.method != "HEAD") {
    return wrong_method("GET, HEAD, PUT",
                        "GET returns the design of the table, PUT gives the table another one");
  }
  if (request.method == "PUT") {
    if (const Result<void> started = apply(request, changes); !started)
      return to_response(problem_of(started.error()));
  }
  const Result<std::string> json = page_of(table_of_design_path(request.path), changes);
  if (!json) return to_response(problem_of(json.error()));
  return {.status = 200, .content_type = "application/json", .body = *json + "\n"};
}

}  // namespace tavola::server
