// Which requests an I/O thread handles itself, and which go to the threads for long ones (http/request_pool.h).
#pragma once

#include "http/message.h"

namespace tavola::server {

// Returns false for requests that always take little time: pages such as /health, and with a small body operations on tables and on
// single items, batches, transactions, and Query and Scan without a filter or a projection. Every other request may take long.
bool may_take_long(const http::Request& request);

// Decides for a server with keys that stand for people. Pages may take long there, because roles look at every item.
bool may_take_long_for_people(const http::Request& request);

}  // namespace tavola::server
