#include "server/process/ready_places.h"

#include <cerrno>
#include <cstdio>
#include <fcntl.h>
#include <unistd.h>

#include "base/files.h"
#include "json/writer.h"

namespace tavola::server {
namespace {

void add_if_there(json::Writer& json, std::string_view name, const std::string& text) {
  if (!text.empty()) json.name(name).text(text);
}

Result<void> write_line(int descriptor, std::string_view line) {
  while (!line.empty()) {
    const ssize_t written = ::write(descriptor, line.data(), line.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return fail(system_error("write to", "--ready-fd", errno));
    line.remove_prefix(static_cast<std::size_t>(written));
  }
  if (descriptor > STDERR_FILENO) ::close(descriptor);
  return {};
}

// Nobody needs the file after a crash of the machine, so it is not synced.
Result<void> write_at_once(const std::string& path, std::string_view text) {
  const std::string draft = path + ".tmp";
  {
    const File file(draft, O_WRONLY | O_CREAT | O_TRUNC, kByUmask);
    if (!file.is_open()) return fail(system_error("write", draft, errno));
    TAVOLA_CHECK(write_all(file, draft, text));
  }
  if (std::rename(draft.c_str(), path.c_str()) != 0) return fail(system_error("write", path, errno));
  return {};
}

}  // namespace

std::string ready_line(const ReadyServer& server) {
  std::string line;
  json::Writer json(line);
  json.begin_object();
  json.name("endpoint").text(server.endpoint);
  if (server.port != 0) json.name("port").integer(server.port);
  add_if_there(json, "console", server.console);
  add_if_there(json, "buckets", server.buckets);
  json.name("region").text(server.region);
  json.name("pid").integer(getpid());
  add_if_there(json, "data", server.data);
  add_if_there(json, "upstream", server.upstream);
  json.end_object();
  return line;
}

Result<void> prepare(const ReadyPlaces& places) {
  if (places.descriptor && fcntl(*places.descriptor, F_GETFD) < 0) {
    return fail(Error::validation("--ready-fd " + std::to_string(*places.descriptor) +
                                  " is not an open file descriptor; the program that starts the server must "
                                  "pass it on"));
  }
  if (!places.file.empty() && ::unlink(places.file.c_str()) != 0 && errno != ENOENT)
    return fail(system_error("replace", places.file, errno));
  return {};
}

Result<void> tell_ready(const ReadyPlaces& places, const ReadyServer& server) {
  const std::string line = ready_line(server) + "\n";
  if (!places.file.empty()) TAVOLA_CHECK(write_at_once(places.file, line));
  if (!places.descriptor) return {};
  return write_line(*places.descriptor, line);
}

void forget_ready(const ReadyPlaces& places) {
  if (!places.file.empty()) ::unlink(places.file.c_str());
}

}  // namespace tavola::server
