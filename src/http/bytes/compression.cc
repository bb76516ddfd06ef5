#include "http/bytes/compression.h"

#include <algorithm>
#include <charconv>
#include <climits>
#include <zlib.h>

#include "base/ascii.h"

namespace tavola::http {
namespace {

constexpr int kWindowBits = 15;
constexpr int kGzip = 16;       // added to the window bits: write a gzip header
constexpr int kAutomatic = 32;  // added to the window bits: read gzip and zlib headers
constexpr int kFastestLevel =
    1;  // three times faster than the default level, and JSON shrinks almost as much

// zlib's inflate state; ended when it goes out of scope.
class Inflater {
 public:
  Inflater() { ready_ = inflateInit2(&stream_, kWindowBits + kAutomatic) == Z_OK; }
  ~Inflater() {
    if (ready_) inflateEnd(&stream_);
  }
  Inflater(const Inflater&) = delete;
  Inflater& operator=(const Inflater&) = delete;

  bool ready() const { return ready_; }
  z_stream& stream() { return stream_; }

 private:
  z_stream stream_{};
  bool ready_ = false;
};

Bytef* writable(char* bytes) { return reinterpret_cast<Bytef*>(bytes); }
// zlib does not write to its input, but its interface predates const.
Bytef* readable(std::string_view bytes) { return reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data())); }

bool starts_gzip_member(const z_stream& stream) {
  return stream.avail_in >= 2 && stream.next_in[0] == 0x1f && stream.next_in[1] == 0x8b;
}

double parse_quality(std::string_view parameters) {
  const std::size_t place = parameters.find("q=");
  if (place == std::string_view::npos) return 1;
  std::string_view text = parameters.substr(place + 2);
  text = trimmed(text.substr(0, text.find(';')));
  double quality = 1;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), quality);
  if (error != std::errc() || end != text.data() + text.size()) return 1;
  return std::min(quality, 1.0);
}

// Makes room in `out` for at least one more byte, in doubling steps, and pays for it first. One byte more than allowed
// shows that there are too many.
Decompressed make_room(std::string& out, std::size_t written, std::size_t bytes_max, BudgetShare& share) {
  if (written < out.size()) return Decompressed::Done;
  if (written > bytes_max) return Decompressed::TooLarge;
  constexpr std::size_t kFirstBytes = std::size_t{64} * 1024;
  const std::size_t size = std::min(bytes_max + 1, std::max(out.size() * 2, kFirstBytes));
  if (!share.grow_to(share.bytes() + size - out.size())) return Decompressed::OverBudget;
  out.resize_and_overwrite(size, [size](char*, std::size_t) { return size; });  // g++ 12 passes its capacity
  return Decompressed::Done;
}

}  // namespace

Coding content_coding(std::string_view content_encoding) {
  if (content_encoding.empty() || same_text(content_encoding, "identity")) return Coding::Identity;
  if (same_text(content_encoding, "gzip") || same_text(content_encoding, "x-gzip")) return Coding::Gzip;
  if (same_text(content_encoding, "deflate")) return Coding::Deflate;
  return Coding::Unknown;
}

std::string_view coding_name(Coding coding) {
  switch (coding) {
    case Coding::Gzip:
      return "gzip";
    case Coding::Deflate:
      return "deflate";
    case Coding::Identity:
    case Coding::Unknown:
      break;
  }
  return "identity";
}

Coding preferred_coding(std::string_view accept_encoding) {
  if (accept_encoding.empty()) return Coding::Identity;
  Coding best = Coding::Identity;
  double best_quality = 0;
  double any_quality = 0;  // of "*"
  bool lists_gzip = false;
  bool lists_deflate = false;
  for_each_part(accept_encoding, ',', [&](std::string_view entry) {
    const std::size_t semicolon = entry.find(';');
    const std::string_view name = trimmed(entry.substr(0, semicolon));
    const double quality =
        semicolon == std::string_view::npos ? 1 : parse_quality(entry.substr(semicolon + 1));
    const bool is_gzip = same_text(name, "gzip");
    const bool is_deflate = same_text(name, "deflate");
    lists_gzip |= is_gzip;
    lists_deflate |= is_deflate;
    if (name == "*") any_quality = std::max(any_quality, quality);
    if ((is_gzip || is_deflate) && quality > best_quality) {
      best = is_gzip ? Coding::Gzip : Coding::Deflate;
      best_quality = quality;
    }
  });
  if (any_quality > best_quality && !lists_gzip) return Coding::Gzip;
  if (any_quality > best_quality && !lists_deflate) return Coding::Deflate;
  return best;
}

std::string compress(Coding coding, std::string_view bytes) {
  z_stream stream{};
  const int window = coding == Coding::Gzip ? kWindowBits + kGzip : kWindowBits;
  constexpr int kMemoryLevel = 8;
  if (deflateInit2(&stream, kFastestLevel, Z_DEFLATED, window, kMemoryLevel, Z_DEFAULT_STRATEGY) != Z_OK)
    return {};
  std::string out;
  // One call of deflate suffices with enough room; responses are far below zlib's limit of 4 GB.
  const std::size_t room = deflateBound(&stream, bytes.size());
  bool ok = room <= UINT_MAX;
  if (ok) {
    out.resize_and_overwrite(room, [&](char* into, std::size_t size) {
      stream.next_in = readable(bytes);
      stream.avail_in = static_cast<uInt>(bytes.size());
      stream.next_out = writable(into);
      stream.avail_out = static_cast<uInt>(size);
      ok = deflate(&stream, Z_FINISH) == Z_STREAM_END;
      return ok ? size - stream.avail_out : 0;
    });
  }
  deflateEnd(&stream);
  return out;
}

Decompressed decompress(std::string_view bytes, std::string& out, std::size_t bytes_max, BudgetShare& share) {
  Inflater inflater;
  if (!inflater.ready() || bytes.size() > UINT_MAX) return Decompressed::Corrupt;
  z_stream& stream = inflater.stream();
  stream.next_in = readable(bytes);
  stream.avail_in = static_cast<uInt>(bytes.size());
  std::size_t written = out.size();
  for (;;) {
    if (const Decompressed room = make_room(out, written, bytes_max, share); room != Decompressed::Done)
      return room;
    stream.next_out = writable(out.data() + written);
    stream.avail_out = static_cast<uInt>(out.size() - written);
    const int status = inflate(&stream, Z_NO_FLUSH);
    written = out.size() - stream.avail_out;
    if (status == Z_STREAM_END) {
      if (!starts_gzip_member(stream)) break;
      if (inflateReset(&stream) != Z_OK) return Decompressed::Corrupt;
    } else if (status != Z_OK || (stream.avail_in == 0 && stream.avail_out != 0)) {
      return Decompressed::Corrupt;  // also Z_BUF_ERROR: the bytes end before the stream does
    }
  }
  out.resize(written);
  return written > bytes_max ? Decompressed::TooLarge : Decompressed::Done;
}

}  // namespace tavola::http
