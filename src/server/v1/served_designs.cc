#include "server/v1/served_designs.h"

#include <algorithm>

namespace tavola::server {

using design::Design;

namespace {

std::set<std::string, std::less<>> files_of_designs(const std::vector<Design>& designs) {
  std::set<std::string, std::less<>> files;
  for (const Design& design : designs) files.insert(design.file);
  return files;
}

}  // namespace

ServedDesigns::ServedDesigns(DesignService::Parts parts)
    : files_(files_of_designs(parts.designs)),
      service_(std::make_shared<const DesignService>(std::move(parts))) {}

bool ServedDesigns::is_of_options(const Design& design) const { return files_.contains(design.file); }

DesignList designs_of(std::shared_ptr<const DesignService> service) {
  const std::vector<Design>* const designs = &service->designs();
  return {std::move(service), designs};
}

Result<void> check_one_decides(const std::vector<Design>& designs, const Design& design) {
  const auto same = std::ranges::find_if(
      designs, [&](const Design& other) { return other.table.name == design.table.name; });
  if (same == designs.end() || (same->roles.empty() && design.roles.empty())) return {};
  const std::string& with_roles = design.roles.empty() ? same->file : design.file;
  return fail(Error::validation(design.file + " and " + same->file + " are both designs of the table " +
                                design.table.name + ", and " + with_roles +
                                " has roles. One design decides who may use a table: serve only one of "
                                "them, or put what both have into one file"));
}

std::shared_ptr<const DesignService> ServedDesigns::service() const {
  const MutexLock lock(mutex_);
  return service_;
}

DesignList ServedDesigns::designs() const { return designs_of(service()); }

const Design* ServedDesigns::find_older(const std::vector<Design>& served, const Design& newer) {
  const auto of_table = [&](const Design& one) { return one.table.name == newer.table.name; };
  const auto with_name = std::ranges::find(served, newer.name, &Design::name);
  if (with_name != served.end()) return of_table(*with_name) ? &*with_name : nullptr;
  const auto of_file = std::ranges::find_if(
      served, [&](const Design& one) { return one.file == newer.file && of_table(one); });
  if (of_file != served.end()) return &*of_file;
  if (std::ranges::count_if(served, of_table) != 1) return nullptr;
  return &*std::ranges::find_if(served, of_table);
}

bool ServedDesigns::replace(const Design& newer) {
  const MutexLock lock(mutex_);
  DesignService::Parts parts = service_->parts();
  const Design* const older = find_older(parts.designs, newer);
  if (older == nullptr) return false;
  design::Design& place = parts.designs[static_cast<std::size_t>(older - parts.designs.data())];
  std::string file = std::move(place.file);  // with which the server was started
  place = newer;
  place.file = std::move(file);
  serve(std::move(parts));
  return true;
}

bool ServedDesigns::add(const Design& design) {
  const MutexLock lock(mutex_);
  DesignService::Parts parts = service_->parts();
  if (std::ranges::find(parts.designs, design.name, &Design::name) != parts.designs.end()) return false;
  if (!check_one_decides(parts.designs, design)) return false;
  parts.designs.push_back(design);
  serve(std::move(parts));
  return true;
}

void ServedDesigns::forget_table(std::string_view table) {
  const MutexLock lock(mutex_);
  DesignService::Parts parts = service_->parts();
  const std::size_t gone = std::erase_if(
      parts.designs, [&](const Design& one) { return one.table.name == table && !is_of_options(one); });
  if (gone > 0) serve(std::move(parts));
}

void ServedDesigns::serve(DesignService::Parts parts) {
  auto next = std::make_shared<const DesignService>(std::move(parts));
  for (const auto& listener : listeners_) listener(next);
  service_ = std::move(next);
}

void ServedDesigns::on_change(std::function<void(const std::shared_ptr<const DesignService>&)> listener) {
  const MutexLock lock(mutex_);
  listeners_.push_back(std::move(listener));
}

}  // namespace tavola::server
