// The design of an application on its database: embedded in the program, or elsewhere.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include <tavola/database.h>
#include <tavola/design.h>

#include "server/admin/adoptions.h"
#include "server/log/log.h"
#include "server/v1/service.h"
#include "systems/host/options.h"

namespace tavola::systems {

class SystemDesign {
 public:
  struct Parts {
    std::string_view text;  // of the design
    std::string file;       // its name, for messages
    const HostOptions& options;
    server::Log& log;
  };
  // Opens the database that the options name, makes the design's table ready and fills it with sample data if they ask for it. Fails with
  // a message for people.
  static Result<std::unique_ptr<SystemDesign>> open(const Parts& parts);

  SystemDesign(const SystemDesign&) = delete;
  SystemDesign& operator=(const SystemDesign&) = delete;
  ~SystemDesign();

  // The database as the application uses it.
  Database& database() const { return in_front_ ? *in_front_ : *database_; }
  const design::Design& design() const { return service_->designs().front(); }
  const server::DesignService& service() const { return *service_; }
  std::string where() const { return where_; }  // for people: the folder, or the endpoint

  // Answers a request under /v1 for the person who is logged in: the roles of the design limit them.
  http::Response answer(const http::Request& request, const design::Identity& who) const;

 private:
  SystemDesign() = default;
  Result<void> prepare(const Parts& parts);

  std::unique_ptr<Database> database_;
  std::unique_ptr<Database> in_front_;  // of an endpoint; null otherwise
  std::unique_ptr<server::DesignService> service_;
  std::unique_ptr<server::Adoptions> adoptions_;
  std::string where_;
};

}  // namespace tavola::systems
