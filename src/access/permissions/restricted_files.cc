// Access to exports and imports. An export shows every item, also those that a scan hides from people with roles, and
// writes files: it needs the right to write and no roles, like backups.
#include <algorithm>
#include <iterator>

#include "access/permissions/restricted_database.h"

namespace tavola::access {
namespace {

constexpr int kPageMax = 25;

// The name of an export or import begins with its table's.
std::string_view table_of_job(std::string_view job) { return job.substr(0, job.find('/')); }

}  // namespace

Result<ExportTableResponse> RestrictedDatabase::export_table(const ExportTableRequest& request) {
  TAVOLA_CHECK(change_table("ExportTableToPointInTime", request.table_name));
  return database_.export_table(request);
}

Result<DescribeExportResponse> RestrictedDatabase::describe_export(const DescribeExportRequest& request) {
  TAVOLA_CHECK(read("DescribeExport", table_of_job(request.export_name)));
  return database_.describe_export(request);
}

// Lists only exports of tables that the key may use, up to the requested number.
Result<ListExportsResponse> RestrictedDatabase::list_exports(const ListExportsRequest& request) {
  if (!request.table_name.empty()) TAVOLA_CHECK(read("ListExports", request.table_name));
  ListExportsRequest rest = request;
  if (!rest.max_results) rest.max_results = kPageMax;
  ListExportsResponse listed;
  for (;;) {
    TAVOLA_TRY(ListExportsResponse page, database_.list_exports(rest));
    std::erase_if(page.exports, [&](const ExportDescription& one) {
      return request.table_name.empty() && !permissions_.may_use(one.request.table_name);
    });
    *rest.max_results -= static_cast<int>(page.exports.size());
    std::ranges::move(page.exports, std::back_inserter(listed.exports));
    listed.next_token = page.next_token;
    if (page.next_token.empty() || rest.max_results == 0) return listed;
    rest.next_token = page.next_token;
  }
}

// Files may contain the items of any table, so an import needs the right to read all of them.
Result<ImportTableResponse> RestrictedDatabase::import_table(const ImportTableRequest& request) {
  TAVOLA_CHECK(change_table("ImportTable", request.table.table_name));
  if (!permissions_.may_use_every_table || permissions_.items != nullptr) {
    return denied({.operation = "ImportTable", .act = Act::Write, .table = request.table.table_name},
                  " with a key for some tables or items only: files may contain those of others");
  }
  return database_.import_table(request);
}

Result<DescribeImportResponse> RestrictedDatabase::describe_import(const DescribeImportRequest& request) {
  TAVOLA_CHECK(read("DescribeImport", table_of_job(request.import_name)));
  return database_.describe_import(request);
}

Result<ListImportsResponse> RestrictedDatabase::list_imports(const ListImportsRequest& request) {
  if (!request.table_name.empty()) TAVOLA_CHECK(read("ListImports", request.table_name));
  ListImportsRequest rest = request;
  if (!rest.page_size) rest.page_size = kPageMax;
  ListImportsResponse listed;
  for (;;) {
    TAVOLA_TRY(ListImportsResponse page, database_.list_imports(rest));
    std::erase_if(page.imports, [&](const ImportDescription& one) {
      return request.table_name.empty() && !permissions_.may_use(one.request.table.table_name);
    });
    *rest.page_size -= static_cast<int>(page.imports.size());
    std::ranges::move(page.imports, std::back_inserter(listed.imports));
    listed.next_token = page.next_token;
    if (page.next_token.empty() || rest.page_size == 0) return listed;
    rest.next_token = page.next_token;
  }
}

}  // namespace tavola::access
