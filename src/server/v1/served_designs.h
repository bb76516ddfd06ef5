// The designs that the server serves now. They change while it runs: by `tavola design apply`, and with --watch.
#pragma once

#include <functional>
#include <memory>
#include <set>
#include <string>
#include <string_view>
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
  // The designs that it is made with are those of the server's options (--design).
  explicit ServedDesigns(DesignService::Parts parts);

  std::shared_ptr<const DesignService> service() const;
  DesignList designs() const;

  // Returns the served design whose place this one takes: that of the same name and table, or of the same file and table, or the only one
  // of its table. Null if there is none, or if its name is that of another design that is served.
  static const design::Design* find_older(const std::vector<design::Design>& served,
                                          const design::Design& newer);
  // Serves the design instead of find_older(). Returns false if there is none.
  bool replace(const design::Design& newer);

  // Serves the design besides the others. Returns false if one of them has its name, or may not be served beside it (check_one_decides).
  bool add(const design::Design& design);

  // Stops serving the designs of a table that was deleted, except for those of the server's options: only their tables had them.
  void forget_table(std::string_view table);

  // Returns whether the design, or the one whose place it took, is of the server's options: they decide again at the next start.
  bool is_of_options(const design::Design& design) const;

  // Calls `listener` with every new service, before it is served.
  void on_change(std::function<void(const std::shared_ptr<const DesignService>&)> listener);

 private:
  void serve(DesignService::Parts parts) TAVOLA_REQUIRES(mutex_);

  const std::set<std::string, std::less<>> files_;  // of the server's options
  mutable Mutex mutex_;
  std::shared_ptr<const DesignService> service_ TAVOLA_GUARDED_BY(mutex_);
  std::vector<std::function<void(const std::shared_ptr<const DesignService>&)>> listeners_
      TAVOLA_GUARDED_BY(mutex_);
};

// Returns the designs of a service, which live as long as the list.
DesignList designs_of(std::shared_ptr<const DesignService> service);

}  // namespace tavola::server
