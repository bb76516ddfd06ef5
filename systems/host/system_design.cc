#include "systems/host/system_design.h"

#include <utility>

#include <tavola/connect.h>

#include "database/forwarding_database.h"
#include "design/language/diagnostic.h"
#include "design/load.h"
#include "server/admin/sample_items.h"
#include "server/designs.h"
#include "systems/host/remote_samples.h"

namespace tavola::systems {
namespace {

// An endpoint keeps no designs: there the application is the one that knows the design of its table.
class KnownDesign final : public ForwardingDatabase {
 public:
  KnownDesign(Database& database, std::shared_ptr<const design::Design> design)
      : ForwardingDatabase(database), design_(std::move(design)) {}

  Result<std::shared_ptr<const design::Design>> governing_design(std::string_view table) override {
    return table == design_->table.name ? design_ : nullptr;
  }

 private:
  const std::shared_ptr<const design::Design> design_;
};

Result<design::Design> load_design(std::string_view text, const std::string& file) {
  design::Loaded loaded = design::load(text, file);
  if (loaded.design) return *std::move(loaded.design);
  std::string problems;
  for (const design::Diagnostic& problem : loaded.diagnostics) problems += design::to_text(problem, text);
  return fail(Error::validation(problems));
}

Result<std::unique_ptr<Database>> open_database(const HostOptions& options) {
  if (!options.endpoint.empty()) {
    return connect({.address = options.endpoint}, default_credentials());
  }
  if (options.in_memory) return open_in_memory();
  return open(options.data);
}

}  // namespace

SystemDesign::~SystemDesign() = default;

Result<std::unique_ptr<SystemDesign>> SystemDesign::open(const Parts& parts) {
  TAVOLA_CHECK(server::check_sample_size(parts.options.sample));
  TAVOLA_TRY(design::Design design, load_design(parts.text, parts.file));
  auto opened = std::unique_ptr<SystemDesign>(new SystemDesign());
  TAVOLA_TRY(opened->database_, open_database(parts.options));
  const bool is_remote = !parts.options.endpoint.empty();
  std::string secret = server::new_secret();
  if (!is_remote && !parts.options.in_memory) {
    TAVOLA_TRY(secret, server::page_secret(parts.options.data));
  }
  opened->where_ = is_remote                 ? parts.options.endpoint
                   : parts.options.in_memory ? "in memory, lost when the program stops"
                                             : std::filesystem::absolute(parts.options.data).string();
  auto known = is_remote ? std::make_shared<const design::Design>(design) : nullptr;
  opened->service_ = std::make_unique<server::DesignService>(
      server::DesignService::Parts{.designs = {std::move(design)}, .secret = std::move(secret)});
  if (is_remote) {
    opened->in_front_ = std::make_unique<KnownDesign>(*opened->database_, std::move(known));
  } else {
    opened->adoptions_ = std::make_unique<server::Adoptions>(*opened->database_, Clock::system(), parts.log);
  }
  TAVOLA_CHECK(opened->prepare(parts));
  return opened;
}

Result<void> SystemDesign::prepare(const Parts& parts) {
  if (adoptions_ == nullptr) {
    TAVOLA_TRY(const std::vector<std::string> differences,
               service_->runner(design(), database()).prepare_table());
    for (const std::string& difference : differences)
      parts.log.warning("the table differs from the design", {{"difference", difference}});
    if (parts.options.sample.empty()) return {};
    return fill_remote_with_samples(*service_, parts.options.sample, database(), parts.log);
  }
  TAVOLA_CHECK(server::prepare_tables(*service_, {.database = database(),
                                                  .adoptions = *adoptions_,
                                                  .log = parts.log,
                                                  .data = parts.options.data.string()}));
  return server::fill_with_samples(
      *service_, parts.options.sample,
      {.database = database(), .adoptions = *adoptions_, .clock = Clock::system(), .log = parts.log});
}

http::Response SystemDesign::answer(const http::Request& request, const design::Identity& who) const {
  return service_->answer(request, database(), {.is_needed = true, .is_there = true, .stands_for = who});
}

}  // namespace tavola::systems
