// The keys of objects in the bucket (bucket.h).
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include <tavola/time.h>

namespace tavola::text_analyzer {

inline constexpr std::string_view kUploads = "uploads/";
inline constexpr std::string_view kAnnounced = "announced/";

// Returns "uploads/<fileId>/<attempt>".
std::string upload_key(std::string_view file_id, std::string_view attempt);
// Returns the id of the file that an upload belongs to; empty if the key has another form.
std::string_view file_of_upload(std::string_view key);

struct Announcement {
  WallTime moment;
  std::string file_id;
};
std::string announcement_key(const Announcement& announcement);
// Returns nullopt if the key has another form.
std::optional<Announcement> read_announcement(std::string_view key);

}  // namespace tavola::text_analyzer
