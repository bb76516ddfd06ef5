// Lifecycles: the items of an entity by their states, the way of one item through them, and a transition as a request.
#pragma once

#include <string>

#include "lens/question.h"
#include "lens/subject.h"

namespace tavola::lens {

// {"entity": "Shop", "lifecycle": "crawl", "parameters": {"shop_country": "COUNTRY#DE"}, "state": "DONE", "limit": 50, "page": key}
//   → {"by": "index", "index": "GSI2", or "by": "scan",
//      "needs": [field, …]: what says which partition of the index is shown,
//      "choices": [{"fields": {…}, "items": 12}, … at most 50], only if `parameters` lack some of them: those that were found,
//      "columns": [{"state", "title", "doc", "initial", "terminal", "stuckAfter": milliseconds or null, "next": key or null,
//                   "items": [shown item with "since": time or null, "stuck": false, …]}, …],
//      "transitions": [{"name", "title", "doc", "from": [state, …], "to": state, "operations": [operation, …],
//                       "needs": [{"name", "type", "required"}, …]}, …]}
// A column is a query of the index; without an index that has the state, a scan fills all of them as far as it comes, and "next" of every
// column is where to resume. With `state`, one column is read, from `page` on.
inline constexpr std::string_view kBoardMembers = "entity lifecycle parameters state limit page";
Result<std::string> board(const Subject& subject, const Question& question);

// {"key": key, "transition": "startCrawl", "parameters": {…}}
//   → {"operation": "UpdateItem" or "TransactWriteItems", "request": {…}} or {"refused": {"name", "reason"}}
// Computes the transition and sends nothing.
inline constexpr std::string_view kMoveMembers = "key transition parameters";
Result<std::string> move(const Subject& subject, const Question& question);

// {"key": key}
//   → {"item": shown item, "states": [{"lifecycle", "state", "since", "stuck": false, "stuckAt": time or null}, …],
//      "events": [{"at": time, "field": "last_crawled_start", "what": "startCrawl: became PROGRESS"}, …]}, oldest first
// The events are the item's timestamps, with what the design says about them.
inline constexpr std::string_view kTimelineMembers = "key";
Result<std::string> timeline(const Subject& subject, const Question& question);

}  // namespace tavola::lens
