#include "server/admin/branches.h"

#include <utility>

namespace tavola::server {
namespace {

constexpr std::size_t kBranchesMax = 1000;
constexpr std::size_t kNameMax = 128;

Result<void> check_branch_name(const std::string& name) {
  constexpr std::string_view kLetters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.";
  if (!name.empty() && name.size() <= kNameMax && name.find_first_not_of(kLetters) == std::string::npos)
    return {};
  return fail(Error::validation("the name of a branch must have 1 to " + std::to_string(kNameMax) +
                                " letters, digits, - _ or ."));
}

Error no_branch(const std::string& name) {
  return Error::resource_not_found("there is no branch " + name + "; POST /admin/branches/" + name +
                                   " takes one. Branches end with the server");
}

}  // namespace

template <class Change>
Result<void> Branches::replace(const Change& change) {
  return gate_.alone([&]() -> Result<void> {
    TAVOLA_CHECK(parts_.check_idle());
    TAVOLA_CHECK(change());
    return parts_.follow();
  });
}

std::vector<Branches::Branch> Branches::list() const {
  const MutexLock lock(mutex_);
  std::vector<Branch> all;
  for (const auto& [name, kept] : branches_) all.push_back(kept.about);
  return all;
}

std::optional<Branches::Branch> Branches::find(const std::string& name) const {
  const MutexLock lock(mutex_);
  const auto found = branches_.find(name);
  return found == branches_.end() ? std::nullopt : std::optional(found->second.about);
}

Result<void> Branches::take(const std::string& name) {
  TAVOLA_CHECK(check_branch_name(name));
  const MutexLock lock(mutex_);
  if (branches_.size() >= kBranchesMax && !branches_.contains(name)) {
    return fail(
        Error::limit_exceeded("there are " + std::to_string(kBranchesMax) +
                              " branches, as many as a server keeps; delete those that are not needed"));
  }
  auto state = gate_.alone([this]() -> Result<std::unique_ptr<store::Branch>> {
    TAVOLA_CHECK(parts_.check_idle());
    return parts_.engine.branch();
  });
  if (!state) return fail(state.error());
  branches_.insert_or_assign(
      name, Kept{.about = {.name = name, .taken = parts_.clock.now()}, .state = *std::move(state)});
  return {};
}

Result<void> Branches::restore(const std::string& name) {
  const MutexLock lock(mutex_);
  const auto found = branches_.find(name);
  if (found == branches_.end()) return fail(no_branch(name));
  TAVOLA_CHECK(replace([&] { return parts_.engine.return_to(found->second.state.get()); }));
  ++found->second.about.restores;
  return {};
}

Result<void> Branches::remove(const std::string& name) {
  const MutexLock lock(mutex_);
  if (branches_.erase(name) == 0) return fail(no_branch(name));
  return {};
}

Result<void> Branches::reset() {
  const MutexLock lock(mutex_);
  return replace([this] { return parts_.engine.return_to(nullptr); });
}

Result<void> Branches::empty_table(const std::string& table) {
  const MutexLock lock(mutex_);
  return replace([&] { return parts_.engine.empty_table(table); });
}

Result<void> Branches::empty_tables() {
  const MutexLock lock(mutex_);
  return replace([this]() -> Result<void> {
    ListTablesRequest request;
    do {
      TAVOLA_TRY(const ListTablesResponse tables, parts_.engine.list_tables(request));
      for (const std::string& table : tables.table_names) TAVOLA_CHECK(parts_.engine.empty_table(table));
      request.exclusive_start_table_name = tables.last_evaluated_table_name;
    } while (!request.exclusive_start_table_name.empty());
    return {};
  });
}

}  // namespace tavola::server
