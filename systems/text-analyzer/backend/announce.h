// POST /files: announces an upload and returns the URL for it.
//
//   {"ownerId": "anna", "name": "letter.txt", "size": 1200, "fingerprint": "9f86…"}
//       a new file, or the one with which this owner has announced the same content before
//   {"ownerId": "anna", "name": "letter.txt", "size": 1200, "fileId": "9f86…"}
//       a file that is there, once more
//   → {"fileId": "9f86…", "status": "PENDING", "upload": {"method": "PUT", "url": "http://…", "expiresInSeconds": 300}}
//
// A file that is being analysed, or has its result, gets no `upload`. Nobody proves who they are: who knows an ownerId sees its files.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "systems/host/application.h"
#include "systems/text-analyzer/backend/file_rules.h"
#include "systems/text-analyzer/bucket/bucket.h"
#include "systems/text-analyzer/work/announcements.h"
#include "systems/text-analyzer/work/files.h"

namespace tavola::text_analyzer {

struct AnnounceParts {
  const Files& files;
  Bucket& bucket;
  Announcements& announcements;
  FileRules rules;
  std::string scheme = "http";  // of the pages
  std::function<void(const File&)> announced = {};
  const Clock& clock = Clock::system();
};

systems::Route announce_page(AnnounceParts parts);

}  // namespace tavola::text_analyzer
