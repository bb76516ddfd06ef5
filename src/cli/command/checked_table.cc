#include "cli/command/checked_table.h"

#include <algorithm>
#include <chrono>
#include <memory>
#include <thread>

#include "cli/output/progress_bar.h"
#include "design/load.h"
#include "drift/adopt.h"
#include "json/reader.h"
#include "server/admin/import_page.h"

namespace tavola::cli {
namespace {

constexpr std::chrono::milliseconds kBetweenLooks{250};

std::uint64_t count_at(const json::Node& node, std::string_view name) {
  const json::Node* const found = node.find(name);
  const auto number = found == nullptr ? Result<Number>(Number()) : Number::parse(found->text);
  return number ? static_cast<std::uint64_t>(std::max<std::int64_t>(number->to_int64().value_or(0), 0)) : 0;
}

Error unexpected_answer(const remote::Target& server, const remote::HttpAnswer& answer) {
  return {ErrorCode::Io,
          "the server at " + server.url + " answered " + std::to_string(answer.status) + ": " + answer.body};
}

Result<std::optional<CheckedTable>> check_at(const remote::Target& server, const std::string& table) {
  if (remote::is_aws(server.url)) return std::nullopt;
  const std::string path = server::import_path(table);
  TAVOLA_TRY(remote::HttpAnswer answer, remote::put(server, path, "{}"));
  // Other servers than Tavola have no such page. What a key wrote that may not see it was governed as any write.
  if (answer.status != 200 || !json::parse(answer.body)) return std::nullopt;
  TAVOLA_TRY(CheckedTable checked, wait_for_check(server, path, "", std::move(answer)));
  return checked;
}

}  // namespace

Result<CheckedTable> wait_for_check(const remote::Target& server, const std::string& path,
                                    std::string_view name, remote::HttpAnswer answer) {
  ProgressBar bar;
  for (;;) {
    const auto page = json::parse(answer.body);
    const json::Node* const check = !page ? nullptr : name.empty() ? &*page : page->find(name);
    if (answer.status != 200 || check == nullptr) return fail(unexpected_answer(server, answer));
    if (check->text_at("running") != "true") {
      if (std::string why = check->text_at("failure"); !why.empty()) return fail(Error(ErrorCode::Io, why));
      const json::Node* const adopted = check->find("adopted");
      return CheckedTable{.text = check->text_at("report"),
                          .json = adopted == nullptr
                                      ? "{}"
                                      : answer.body.substr(adopted->begin, adopted->end - adopted->begin),
                          .is_complete = check->text_at("complete") == "true"};
    }
    bar.show(check->text_at("doing"), count_at(*check, "items"), count_at(*check, "expected"));
    std::this_thread::sleep_for(kBetweenLooks);
    TAVOLA_TRY(answer, remote::get(server, path));
  }
}

Result<std::shared_ptr<const design::Design>> design_of_table(const ImportedInto& table) {
  if (table.endpoint.empty()) return table.database.governing_design(table.table);
  const remote::Target server = remote::from_environment(table.endpoint);
  if (remote::is_aws(server.url)) return nullptr;
  TAVOLA_TRY(const remote::HttpAnswer answer, remote::get(server, server::imported_design_path(table.table)));
  const auto page = json::parse(answer.body);
  if (answer.status != 200 || !page) return nullptr;  // no design, or none that this key may read
  design::Loaded loaded = design::load_stored(page->text_at("text"), page->text_at("file"));
  if (!loaded.design) return nullptr;  // of a newer server
  loaded.design->table.name = table.table;
  return std::make_shared<const design::Design>(*std::move(loaded.design));
}

Result<std::optional<CheckedTable>> check_imported(const ImportedInto& into) {
  if (!into.endpoint.empty()) return check_at(remote::from_environment(into.endpoint), into.table);
  TAVOLA_TRY(const std::shared_ptr<const design::Design> design, into.database.governing_design(into.table));
  if (design == nullptr) return std::nullopt;
  ProgressBar bar;
  TAVOLA_TRY(
      const drift::Adopted checked,
      drift::check_imported(*design, into.database, {.progress = [&bar](const drift::DriftProgress& now) {
        bar.show(now.doing, now.items, now.expected);
      }}));
  return CheckedTable{.text = drift::import_text(checked),
                      .json = drift::to_json(checked),
                      .is_complete = !checked.left.has_drift()};
}

}  // namespace tavola::cli
