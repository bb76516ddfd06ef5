#include <utility>

#include <tavola/connect.h>

#include "commands.h"

namespace crawler {

using tavola::Error;
using tavola::Result;

Result<OpenRegistry> open_registry(const GivenOptions& given) {
  const int ways =
      (given.has("--data") ? 1 : 0) + (given.has("--in-memory") ? 1 : 0) + (given.has("--endpoint") ? 1 : 0);
  if (ways > 1)
    return tavola::fail(Error::validation("--data, --in-memory and --endpoint exclude each other"));
  OpenRegistry opened;
  if (given.has("--in-memory")) {
    opened.database = tavola::open_in_memory();
  } else if (given.has("--endpoint")) {
    TAVOLA_TRY(opened.database,
               tavola::connect({.address = given.text("--endpoint")}, tavola::default_credentials()));
  } else {
    TAVOLA_TRY(opened.database, tavola::open(given.text("--data", "crawler-data")));
  }
  TAVOLA_TRY(opened.registry, Registry::open(*opened.database, given.text("--table")));
  return opened;
}

}  // namespace crawler
