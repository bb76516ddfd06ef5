// The identity of a server: part of ARNs, and the answer to DescribeEndpoints.
#pragma once

#include <string>

namespace tavola {

struct ServerIdentity {
  std::string region = "local";
  std::string account = "000000000000";
  std::string address = "localhost:8000";
};

}  // namespace tavola
