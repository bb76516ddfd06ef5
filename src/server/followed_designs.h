// Serves the designs that the tables of a server with --upstream get from others: a design that was applied to one server of the table is
// enforced by all of them (governed/design_watch.h), and served under /v1 by all.
#pragma once

#include <condition_variable>
#include <mutex>
#include <thread>

#include <tavola/database.h>

#include "server/log/log.h"
#include "server/v1/served_designs.h"

namespace tavola::server {

class FollowedDesigns {
 public:
  // Looks once in a second. Borrows all it is given.
  FollowedDesigns(Database& database, ServedDesigns& served, Log& log);
  ~FollowedDesigns();
  FollowedDesigns(const FollowedDesigns&) = delete;
  FollowedDesigns& operator=(const FollowedDesigns&) = delete;

 private:
  void look();

  Database& database_;
  ServedDesigns& served_;
  Log& log_;
  std::mutex mutex_;
  std::condition_variable_any stopped_;
  std::jthread thread_;  // ends first: it uses the others
};

}  // namespace tavola::server
