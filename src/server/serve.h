// `tavola serve`: opens the database, listens, says so, and runs until it is asked to stop.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <tavola/database.h>

#include "access/identity/token_sources.h"
#include "http/pages/assets.h"
#include "http/web_guard.h"
#include "server/log/log.h"
#include "server/process/parent_death.h"
#include "server/process/ready_places.h"

namespace tavola::server {

// The web console: whether it is served, and whether it may change anything.
enum class ConsoleSetting : std::uint8_t { On, ReadOnly, Off };

struct ServeOptions {
  std::filesystem::path data = "tavola-data";
  bool in_memory = false;
  std::string store{};     // a database of PostgreSQL, which servers share; empty: a data directory
  std::string upstream{};  // upstream.h: the server that has the data; empty: this one
  std::optional<Enforcement>
      enforcement{};  // of designs in front of the upstream server; nothing: as they say
  Durability durability = Durability::Synced;
  std::optional<std::size_t> memory_bytes{};     // memory_plan.h; nothing: what the machine or container has
  std::optional<std::size_t> cache_megabytes{};  // nothing: a part of the memory
  bool accept_loss = false;                      // open data whose logs have lost writes

  std::string host = "127.0.0.1";
  std::uint16_t port = 8000;
  std::string unix_socket{};
  unsigned threads = 0;
  std::string tls_certificate{};
  std::string tls_key{};
  std::string credentials{};
  std::string metrics_token_file{};  // what /metrics asks for; empty: nothing
  bool insecure = false;             // listen beyond loopback without credentials or without TLS
  http::WebRules web{};
  std::string region = "local";

  ConsoleSetting console = ConsoleSetting::On;
  std::optional<std::uint16_t> console_port{};   // console_server.h; nothing: kConsolePort, or a free one
  std::span<const http::Asset> console_pages{};  // in the program; empty: it was built without them

  std::vector<std::string> designs{};  // their files
  std::string sample{};                // sample_items.h: the size of the sample data; empty: none
  bool watch = false;                  // design_watch.h: changed files are applied
  std::string archive_to{};            // a folder, or s3://bucket/prefix; empty: nothing is archived
  std::string archive_s3_endpoint{};
  std::optional<std::uint16_t>
      s3_port{};          // object_server.h: the buckets over S3's protocol; nothing: they are not served
  std::string buckets{};  // a folder whose folders are what AWS calls buckets; empty: no exports and imports
  std::string clock{};    // fixed_clock.h: the designs' time
  bool test_clock = false;     // settable_clock.h: clients may set the time
  bool isolates_keys = false;  // layers/isolation.h
  bool test_admin = false;  // admin/branches.h: clients may empty the database and return to earlier states
  bool test_clock_header = false;  // and that of a single request; needs test_clock
  access::TokenSources tokens{};

  std::vector<std::string> faults{};          // fault_plan.h: what goes wrong on purpose
  std::optional<std::uint64_t> fault_seed{};  // nothing: what they say

  bool enforce_throughput = false;  // layers/enforced_database.h: tables are kept to their capacity

  ReadyPlaces ready{};         // where readiness is reported
  ParentDeath parent_death{};  // whether the server ends with the process that started it

  LogFormat log_format = LogFormat::Text;
  bool log_requests = false;  // a line for every request
  bool colored_log = false;
  bool quiet = false;  // no banner
};

// Returns the program's exit code: 0 after a signal to stop, 1 when it could not start.
int serve(const ServeOptions& options);

}  // namespace tavola::server
