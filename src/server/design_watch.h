// `tavola serve --watch`: a changed file of a design is loaded and applied while the server runs.
//
// The folders of the files are watched (inotify), because editors replace files by renaming others. The thread sleeps until
// something happens there, waits until it is quiet, and compares the texts.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include <tavola/error.h>

#include "server/admin/design_changes.h"
#include "server/log/log.h"
#include "server/v1/served_designs.h"

namespace tavola::server {

// A file with errors is reported, and the design before it stays.
// Thread safety: none needed; it works on a thread of its own, which the destructor ends.
class DesignWatch {
 public:
  struct Parts {
    std::vector<std::string> files;
    DesignChanges& changes;
    const ServedDesigns& served;  // as the files were when the server started
    Log& log;
  };
  // Fails with Io if the folders cannot be watched.
  static Result<std::unique_ptr<DesignWatch>> start(Parts parts);
  DesignWatch(const DesignWatch&) = delete;
  DesignWatch& operator=(const DesignWatch&) = delete;
  ~DesignWatch();

 private:
  explicit DesignWatch(Parts parts);
  Result<void> open();
  void work();
  // Reads the files again, and applies the designs that differ from those that were applied last.
  void look();

  const Parts parts_;
  std::map<std::string, std::string> applied_;  // the latest text of each file
  std::string reported_;                        // the latest errors: repeated only if they change
  int events_ = -1;                             // inotify
  int end_ = -1;                                // eventfd: the thread shall end
  std::jthread thread_;
};

}  // namespace tavola::server
