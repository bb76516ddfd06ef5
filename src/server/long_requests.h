// Which requests an I/O thread handles itself, and which go to the threads for long ones (http/request_pool.h).
#pragma once

#include "http/message.h"

namespace tavola::server {

// False for what always takes little time: health, and operations on one item with a small body. Whatever is not known to be short
// may take long.
bool may_take_long(const http::Request& request);

// Decides for a server with keys that stand for people. Pages may take long there, because roles look at every item.
bool may_take_long_for_people(const http::Request& request);

}  // namespace tavola::server
