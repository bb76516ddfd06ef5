// Replies that do something to an answer before it leaves.
#pragma once

#include "http/message.h"
#include "store/store.h"

namespace tavola::server {

// Returns a Reply that passes its answer on to `reply` with the headers that every answer to a browser has (http/pages/page_answers.h).
http::Reply protected_reply(http::Reply reply);

// Returns a Reply that passes its answer on when everything written so far is durable, or a problem if it cannot become so.
http::Reply durable_reply(store::Store& store, http::Reply reply);

}  // namespace tavola::server
