// The designs that the server serves now. They change while it runs: by `tavola design apply`, and with --watch.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "base/locks.h"
#include "design/model/model.h"
#include "server/v1/service.h"

namespace tavola::server {

using DesignList = std::shared_ptr<const std::vector<design::Design>>;

// Fails if the design and one of `designs` are of the same table, and one of the two has roles: roles are of the design that governs the
// table, and another design of it would be a way around them.
Result<void> check_one_decides(const std::vector<design::Design>& designs, const design::Design& design);

// A request uses the service that it began with: a change does not disturb it.
// Thread safety: all methods.
class ServedDesigns {
 public:
  explicit ServedDesigns(DesignService::Parts parts)
      : service_(std::make_shared<const DesignService>(std::move(parts))) {}

  std::shared_ptr<const DesignService> service() const;
  DesignList designs() const;

  // Returns the served design whose place this one takes: that of the same name and table, or of the same file and table, or the only one
  // of its table. Null if there is none, or if its name is that of another design that is served.
  static const design::Design* find_older(const std::vector<design::Design>& served,
                                          const design::Design& newer);
  // Serves the design instead of find_older(). Returns false if there is none.
  bool replace(const design::Design& newer);

  // Calls `listener` with every new service, before it is served.
  void on_change(std::function<void(const std::shared_ptr<const DesignService>&)> listener);

 private:
  mutable Mutex mutex_;
  std::shared_ptr<const DesignService> service_ TAVOLA_GUARDED_BY(mutex_);
  std::vector<std::function<void(const std::shared_ptr<const DesignService>&)>> listeners_
      TAVOLA_GUARDED_BY(mutex_);
};

// Returns the designs of a service, which live as long as the list.
DesignList designs_of(std::shared_ptr<const DesignService> service);

}  // namespace tavola::server
