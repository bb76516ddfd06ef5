#include "web/sitemap.h"

#include <array>
#include <charconv>
#include <chrono>
#include <expat.h>
#include <utility>
#include <zlib.h>

#include "web/url.h"

namespace crawler {
namespace {

using std::chrono::days;
using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;

constexpr std::size_t kLocationBytesMax = 2048;  // sitemaps.org
constexpr std::size_t kFieldBytesMax = 4096;
constexpr std::size_t kDepthMax = 32;  // of elements: the parser remembers those that are open
// The limit of one tag or comment: the parser keeps it, and begins it again with each piece that arrives.
constexpr XML_Index kTagBytesMax = XML_Index{256} * 1024;

// Takes a number of exactly `digits` digits off the text.
std::optional<int> take_number(std::string_view& text, std::size_t digits) {
  int number = 0;
  if (text.size() < digits) return std::nullopt;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + digits, number);
  if (problem != std::errc() || end != text.data() + digits || number < 0) return std::nullopt;
  text.remove_prefix(digits);
  return number;
}

bool take_character(std::string_view& text, char c) {
  if (!text.starts_with(c)) return false;
  text.remove_prefix(1);
  return true;
}

// Returns the offset from UTC at the end of a time: "Z", "+02:00"; nothing means UTC.
std::optional<minutes> read_zone(std::string_view text) {
  if (text.empty() || text == "Z" || text == "z") return minutes(0);
  const bool is_west = text.starts_with('-');
  if (!is_west && !text.starts_with('+')) return std::nullopt;
  text.remove_prefix(1);
  const auto hour = take_number(text, 2);
  take_character(text, ':');
  const auto minute = text.empty() ? std::optional(0) : take_number(text, 2);
  if (!hour || !minute) return std::nullopt;
  const minutes offset = hours(*hour) + minutes(*minute);
  return is_west ? -offset : offset;
}

std::optional<milliseconds> read_time_of_day(std::string_view text) {
  const auto hour = take_number(text, 2);
  if (!hour || !take_character(text, ':')) return std::nullopt;
  const auto minute = take_number(text, 2);
  if (!minute) return std::nullopt;
  milliseconds time = hours(*hour) + minutes(*minute) + seconds(59);
  if (take_character(text, ':')) {
    const auto second = take_number(text, 2);
    if (!second) return std::nullopt;
    time = hours(*hour) + minutes(*minute) + seconds(*second);
    if (take_character(text, '.')) {
      while (!text.empty() && text.front() >= '0' && text.front() <= '9') text.remove_prefix(1);
    }
  }
  const auto zone = read_zone(text);
  if (!zone) return std::nullopt;
  return time - *zone;
}

std::string_view local_name(const XML_Char* name) {  // "namespace loc" → "loc"
  const std::string_view whole = name;
  const std::size_t space = whole.rfind(' ');
  return space == std::string_view::npos ? whole : whole.substr(space + 1);
}

struct FreeParser {
  void operator()(XML_Parser parser) const { XML_ParserFree(parser); }
};

}  // namespace

std::optional<tavola::WallTime> latest_moment_of(std::string_view text) {
  text = trimmed(text);
  const auto year = take_number(text, 4);
  if (!year) return std::nullopt;
  int month = 0;
  int day = 0;
  if (take_character(text, '-')) {
    month = take_number(text, 2).value_or(-1);
    if (take_character(text, '-')) day = take_number(text, 2).value_or(-1);
  }
  using std::chrono::month_day_last;
  const std::chrono::year y(*year);
  const std::chrono::month m(month == 0 ? 12U : static_cast<unsigned>(month));
  if (month < 0 || day < 0 || !m.ok()) return std::nullopt;
  const auto last = std::chrono::sys_days(y / m / std::chrono::last);
  if (day == 0)
    return text.empty() ? std::optional<tavola::WallTime>(last + days(1) - milliseconds(1)) : std::nullopt;
  const auto date = y / m / std::chrono::day(static_cast<unsigned>(day));
  if (!date.ok()) return std::nullopt;
  if (text.empty()) return std::chrono::sys_days(date) + days(1) - milliseconds(1);
  if (!take_character(text, 'T') && !take_character(text, ' ')) return std::nullopt;
  const auto time = read_time_of_day(text);
  return time ? std::optional<tavola::WallTime>(std::chrono::sys_days(date) + *time) : std::nullopt;
}

struct SitemapReader::Parts {
  enum class Form : std::uint8_t { Unknown, Xml, Text };

  OnEntry on_entry;
  Form form = Form::Unknown;
  std::unique_ptr<XML_ParserStruct, FreeParser> parser{};
  bool is_first = true;
  bool is_compressed = false;
  z_stream inflater{};
  std::size_t bytes = 0;  // uncompressed
  std::size_t entries = 0;
  bool is_over = false;
  std::string problem{};

  std::size_t depth = 0;
  XML_Index parsed_bytes = 0;  // that the parser was given
  // The entry being read.
  bool in_entry = false;
  SitemapEntry entry{};
  std::string* field = nullptr;  // what the present element's text is added to
  std::string lastmod{};
  std::string line{};  // Form::Text

  ~Parts() {
    if (is_compressed) inflateEnd(&inflater);
  }

  void stop(std::string why) {
    is_over = true;
    problem = std::move(why);
  }

  void emit() {
    if (entry.location.empty() || is_over) return;
    if (entries == kSitemapEntriesMax) return stop("has more than 50,000 entries");
    ++entries;
    entry.changed_until = latest_moment_of(lastmod);
    on_entry(entry);
  }

  void begin_element(std::string_view name) {
    if (++depth > kDepthMax && !is_over) {
      stop("nests too deep");
      XML_StopParser(parser.get(), XML_FALSE);
    }
    if (name == "url" || name == "sitemap") {
      in_entry = true;
      entry = {.kind = name == "url" ? SitemapEntry::Kind::Page : SitemapEntry::Kind::Sitemap};
      lastmod.clear();
    }
    field = !in_entry || !entry_is_open_for(name) ? nullptr : name == "loc" ? &entry.location : &lastmod;
    if (field != nullptr) field->clear();
  }

  // <image:loc> and the like belong to extensions; expat names them with their namespace, and only the first loc counts.
  bool entry_is_open_for(std::string_view name) const {
    return (name == "loc" && entry.location.empty()) || (name == "lastmod" && lastmod.empty());
  }

  void end_element(std::string_view name) {
    --depth;
    field = nullptr;
    if (name != "url" && name != "sitemap") return;
    in_entry = false;
    entry.location = std::string(trimmed(entry.location));
    emit();
  }

  void add_text(std::string_view text) {
    if (field != nullptr && field->size() + text.size() <= kFieldBytesMax) field->append(text);
  }

  void open_xml() {
    form = Form::Xml;
    parser.reset(XML_ParserCreateNS(nullptr, ' '));
    XML_SetUserData(parser.get(), this);
    XML_SetElementHandler(
        parser.get(),
        [](void* self, const XML_Char* name, const XML_Char**) {
          static_cast<Parts*>(self)->begin_element(local_name(name));
        },
        [](void* self, const XML_Char* name) { static_cast<Parts*>(self)->end_element(local_name(name)); });
    XML_SetCharacterDataHandler(parser.get(), [](void* self, const XML_Char* text, int size) {
      static_cast<Parts*>(self)->add_text({text, static_cast<std::size_t>(size)});
    });
  }

  void read_plain(std::string_view text) {
    bytes += text.size();
    if (bytes > kSitemapBytesMax) return stop("is larger than 50 MB");
    if (form == Form::Unknown) {
      if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
      const std::string_view begin = trimmed(text);
      if (begin.empty()) return;
      text.remove_prefix(text.find(begin.front()));  // XML's declaration must come first
      if (begin.starts_with('<')) {
        open_xml();
      } else {
        form = Form::Text;
      }
    }
    if (form == Form::Text) return read_lines(text);
    parse_xml(text, XML_FALSE);
  }

  void parse_xml(std::string_view text, XML_Bool is_last) {
    if (is_over) return;
    parsed_bytes += static_cast<XML_Index>(text.size());
    const bool is_well_formed =
        XML_Parse(parser.get(), text.data(), static_cast<int>(text.size()), is_last) == XML_STATUS_OK;
    if (is_over) return;  // it was stopped
    if (is_well_formed) {
      if (parsed_bytes - XML_GetCurrentByteIndex(parser.get()) > kTagBytesMax)
        stop("has a tag that is too long");
      return;
    }
    stop("is not well-formed XML: " + std::string(XML_ErrorString(XML_GetErrorCode(parser.get()))) +
         " in line " + std::to_string(XML_GetCurrentLineNumber(parser.get())));
  }

  void read_lines(std::string_view text) {
    for (const char c : text) {
      if (c != '\n' && c != '\r') {
        if (line.size() <= kLocationBytesMax) line += c;
        continue;
      }
      end_line();
    }
  }

  void end_line() {
    entry = {.location = std::string(trimmed(line))};
    line.clear();
    if (entry.location.size() <= kLocationBytesMax) emit();
  }

  void begin(std::string_view text) {
    is_first = false;
    if (!text.starts_with("\x1F\x8B")) return;
    is_compressed = inflateInit2(&inflater, 15 + 16) == Z_OK;
  }

  void inflate_bytes(std::string_view compressed) {
    std::array<char, std::size_t{32} * 1024> plain;
    inflater.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(compressed.data()));
    inflater.avail_in = static_cast<uInt>(compressed.size());
    while (!is_over) {
      inflater.next_out = reinterpret_cast<Bytef*>(plain.data());
      inflater.avail_out = plain.size();
      const int status = inflate(&inflater, Z_NO_FLUSH);
      read_plain({plain.data(), plain.size() - inflater.avail_out});
      if (status == Z_STREAM_END) return;
      if (status != Z_OK && status != Z_BUF_ERROR) return stop("is not gzip, although it begins so");
      if (inflater.avail_out != 0) return;  // more input is needed
    }
  }
};

SitemapReader::SitemapReader(OnEntry on_entry) : parts_(new Parts{.on_entry = std::move(on_entry)}) {}
SitemapReader::~SitemapReader() = default;

bool SitemapReader::read(std::string_view bytes) {
  if (bytes.empty()) return !parts_->is_over;
  if (parts_->is_first) parts_->begin(bytes);
  if (parts_->is_over) return false;
  if (parts_->is_compressed) {
    parts_->inflate_bytes(bytes);
  } else {
    parts_->read_plain(bytes);
  }
  return !parts_->is_over;
}

void SitemapReader::finish() {
  if (parts_->form == Parts::Form::Text) parts_->end_line();
  if (parts_->form == Parts::Form::Xml) parts_->parse_xml({}, XML_TRUE);
}

std::size_t SitemapReader::entries() const { return parts_->entries; }
const std::string& SitemapReader::problem() const { return parts_->problem; }

}  // namespace crawler
