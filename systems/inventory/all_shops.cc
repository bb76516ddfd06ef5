#include "systems/inventory/all_shops.h"

#include <tavola/table.h>

namespace tavola::inventory {

Result<std::vector<std::string>> AllShops::ids() {
  {
    const MutexLock lock(mutex_);
    if (read_at_ && std::chrono::steady_clock::now() - *read_at_ < kFreshFor)
      return std::vector<std::string>(ids_.begin(), ids_.end());
  }
  std::set<std::string, std::less<>> found;
  Table table(database_, table_name_);
  for (const auto& item :
       table.scan({.filter = "entityType = :shop", .projection = "shopId", .values = {{":shop", "SHOP"}}})) {
    TAVOLA_CHECK(item);
    if (const auto id = item->find("shopId"); id != item->end() && id->second.type() == Type::String)
      found.insert(id->second.string());
  }
  const MutexLock lock(mutex_);
  ids_.merge(found);
  read_at_ = std::chrono::steady_clock::now();
  return std::vector<std::string>(ids_.begin(), ids_.end());
}

void AllShops::add(const std::string& shop_id) {
  const MutexLock lock(mutex_);
  if (!shop_id.empty()) ids_.insert(shop_id);
}

}  // namespace tavola::inventory
