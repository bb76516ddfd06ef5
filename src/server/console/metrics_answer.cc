#include "server/console/metrics_answer.h"

#include <charconv>
#include <fstream>
#include <map>
#include <string>
#include <unistd.h>
#include <vector>

#include "http/metrics.h"
#include "json/writer.h"

namespace tavola::server {
namespace {

// name{labels} value
struct Line {
  std::string_view name;
  std::string_view labels;
  std::string_view value;
};

Line parse_line(std::string_view line) {
  const std::size_t end = line.rfind(' ');
  if (line.empty() || line.front() == '#' || end == std::string_view::npos) return {};
  const std::string_view series = line.substr(0, end);
  const std::size_t brace = series.find('{');
  if (brace == std::string_view::npos) return {series, {}, line.substr(end + 1)};
  return {series.substr(0, brace), series.substr(brace + 1, series.size() - brace - 2), line.substr(end + 1)};
}

std::string_view label_of(std::string_view labels, std::string_view name) {
  const std::string before = std::string(name) + "=\"";
  const std::size_t at = labels.find(before);
  if (at == std::string_view::npos) return {};
  labels.remove_prefix(at + before.size());
  return labels.substr(0, labels.find('"'));
}

double number(std::string_view text) {
  double value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

std::string text_of(double value) {
  char digits[32];
  return {digits, std::to_chars(digits, digits + sizeof(digits), value).ptr};
}

// "GetItem", or "/v1/music/songsOf"; of other paths under /v1 "/v1".
std::string request_name(std::string_view labels) {
  const std::string_view operation = label_of(labels, "operation");
  if (!operation.empty()) return std::string(operation);
  const std::string_view design = label_of(labels, "design");
  return design.empty() ? "/v1" : "/v1/" + std::string(design) + "/" + std::string(label_of(labels, "name"));
}

struct Requests {
  double count = 0;
  double seconds = 0;
  double errors = 0;
  std::vector<double> buckets;
};

class Reading {
 public:
  void read(const Line& line) {
    for (const std::string_view family : {"tavola_request_seconds", "tavola_design_request_seconds"}) {
      if (line.name.starts_with(family)) return read_times(line, line.name.substr(family.size()));
    }
    if (line.name == "tavola_errors_total" || line.name == "tavola_design_errors_total") {
      requests_[request_name(line.labels)].errors += number(line.value);
    } else {
      values_[std::string(line.name)] += number(line.value);
    }
  }

  void write(json::Writer& json) const {
    json.name("requests").begin_list();
    for (const auto& [name, one] : requests_) {
      if (one.count > 0) write_requests(json, name, one);
    }
    json.end_list();
    json.name("values").begin_object();
    for (const auto& [name, value] : values_) {
      if (value != 0) json.name(name).raw() += text_of(value);
    }
    json.end_object();
  }

 private:
  void read_times(const Line& line, std::string_view part) {
    Requests& one = requests_[request_name(line.labels)];
    if (part == "_count") one.count = number(line.value);
    if (part == "_sum") one.seconds = number(line.value);
    if (part == "_bucket") one.buckets.push_back(number(line.value));
  }

  static void write_requests(json::Writer& json, const std::string& name, const Requests& one) {
    json.begin_object();
    json.name("name").text(name);
    json.name("count").raw() += text_of(one.count);
    json.name("seconds").raw() += text_of(one.seconds);
    json.name("errors").raw() += text_of(one.errors);
    json.name("buckets").begin_list();
    for (const double bucket : one.buckets) json.raw() += text_of(bucket);
    json.end_list();
    json.end_object();
  }

  std::map<std::string, Requests> requests_;
  std::map<std::string, double> values_;
};

}  // namespace

std::string metrics_json(std::string_view text, const MetricsMoment& moment) {
  Reading reading;
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(text.size(), line.size() + 1));
    if (const Line parsed = parse_line(line); !parsed.name.empty()) reading.read(parsed);
  }
  std::string out;
  json::Writer json(out);
  json.begin_object();
  json.name("at").integer(moment.at.time_since_epoch() / std::chrono::milliseconds(1));
  json.name("resident").integer(static_cast<std::int64_t>(moment.resident_bytes));
  json.name("bounds").begin_list();
  for (const std::chrono::nanoseconds bound : http::Histogram::kBounds) {
    json.raw() += text_of(std::chrono::duration<double>(bound).count());
  }
  json.end_list();
  reading.write(json);
  json.end_object();
  return out;
}

std::size_t resident_bytes() {
  std::size_t all = 0;
  std::size_t resident = 0;
  std::ifstream("/proc/self/statm") >> all >> resident;
  return resident * static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
}

}  // namespace tavola::server
