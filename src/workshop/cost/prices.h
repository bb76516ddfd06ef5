// A price list: the costs of requests, capacity and storage in a region, since a date. Exact decimals.
#pragma once

#include <string>
#include <string_view>

#include <tavola/error.h>
#include <tavola/number.h>

namespace tavola::workshop {

struct Prices {
  std::string region;
  std::string date;
  std::string currency;
  Number read_million;
  Number write_million;
  Number read_unit_hour;
  Number write_unit_hour;
  Number storage_gb_month;
};

// Parses a file like prices/us-east-1.yaml. Fails with Validation: "on_demand.read_million is missing (line 5)".
Result<Prices> parse_prices(std::string_view text);

// Returns prices/us-east-1.yaml as of the build.
std::string_view standard_prices();

}  // namespace tavola::workshop
