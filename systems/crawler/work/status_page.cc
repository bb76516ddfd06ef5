#include "work/status_page.h"

#include <array>
#include <string_view>
#include <vector>

#include "json/writer.h"
#include "work/times.h"

namespace crawler {
namespace {

using std::chrono::system_clock;

constexpr std::array<Work, 2> kAllWork = {Work::Crawl, Work::Scrape};

std::string html_text(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '&') {
      out += "&amp;";
    } else if (c == '<') {
      out += "&lt;";
    } else if (c == '"') {
      out += "&quot;";
    } else {
      out += c;
    }
  }
  return out;
}

std::string row(std::initializer_list<std::string> cells) {
  std::string out = "<tr>";
  for (const std::string& cell : cells) out += "<td>" + html_text(cell) + "</td>";
  return out + "</tr>";
}

std::string label_text(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '\\' || c == '"') out += '\\';
    out += c == '\n' ? ' ' : c;
  }
  return out;
}

void add_metric(std::string& out, std::string_view name, std::string_view type, std::string_view help) {
  out.append("# HELP ")
      .append(name)
      .append(" ")
      .append(help)
      .append("\n# TYPE ")
      .append(name)
      .append(" ")
      .append(type)
      .append("\n");
}

tavola::WallTime as_wall_time(system_clock::time_point time) {
  return std::chrono::floor<std::chrono::milliseconds>(time);
}

std::string table(std::string_view title, std::string_view head, const std::string& rows) {
  std::string out = "<h2>" + std::string(title) + "</h2>";
  if (rows.empty()) return out + "<p>None.</p>";
  return out + "<table><thead>" + std::string(head) + "</thead><tbody>" + rows + "</tbody></table>";
}

constexpr std::string_view kPageHead =
    "<!doctype html><html lang=\"en\"><head><meta charset=\"utf-8\"><meta name=\"viewport\" "
    "content=\"width=device-width\">"
    "<meta http-equiv=\"refresh\" content=\"5\"><title>tavola-crawler</title><style>"
    ":root{color-scheme:light dark}body{font:16px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem "
    "auto;padding:0 1rem}"
    "table{border-collapse:collapse;width:100%}th,td{text-align:left;padding:.25rem .75rem .25rem "
    "0;border-bottom:1px solid #8884}"
    "</style></head><body><h1>tavola-crawler</h1>";

}  // namespace

tavola::Result<LifecycleCounts> count_lifecycles(const Registry& registry,
                                                 const std::vector<std::string>& countries) {
  LifecycleCounts all{.at = to_text(now())};
  for (const std::string& country : countries) {
    for (const Work work : kAllWork) {
      TAVOLA_TRY(const StateCounts counts, registry.counts(work, country));
      if (counts.never + counts.in_progress + counts.done > 0) all.counts[{country, work}] = counts;
    }
  }
  return all;
}

std::string status_html(const StatusView& view) {
  std::string shops;
  for (const auto& [key, counts] : view.lifecycle.counts) {
    shops += row({key.first, std::string(name_of(key.second)), std::to_string(counts.never),
                  std::to_string(counts.in_progress), std::to_string(counts.done)});
  }
  std::string running;
  for (const Activity::Running& one : view.activity.running()) {
    running += row({std::string(name_of(one.work)), one.domain, to_text(as_wall_time(one.since)),
                    std::to_string(one.pages)});
  }
  std::string errors;
  for (const auto& [host, count] : view.activity.errors_by_host())
    errors += row({host, std::to_string(count)});
  std::string out(kPageHead);
  out += "<p>" + std::to_string(view.activity.pages_in_last_minute()) + " pages in the last minute, " +
         std::to_string(view.activity.pages()) + " since the start; " +
         std::to_string(view.activity.changes()) + " changes, " + std::to_string(view.deliveries.waiting) +
         " of them wait to be delivered. Counted at " + html_text(view.lifecycle.at) + ".</p>";
  out +=
      table("Shops", "<tr><th>Country</th><th>Work</th><th>Never</th><th>In progress</th><th>Done</th></tr>",
            shops);
  out += table("Running here", "<tr><th>Work</th><th>Shop</th><th>Since</th><th>Pages</th></tr>", running);
  out += table("Errors by host", "<tr><th>Host</th><th>Errors</th></tr>", errors);
  return out + "</body></html>";
}

std::string status_json(const StatusView& view) {
  std::string out;
  tavola::json::Writer json(out);
  const auto number = [&json](std::string_view name, std::uint64_t value) {
    json.name(name).integer(static_cast<std::int64_t>(value));
  };
  json.begin_object();
  json.name("at").text(view.lifecycle.at);
  json.name("shops").begin_list();
  for (const auto& [key, counts] : view.lifecycle.counts) {
    json.begin_object();
    json.name("country").text(key.first);
    json.name("work").text(name_of(key.second));
    number("never", counts.never);
    number("in_progress", counts.in_progress);
    number("done", counts.done);
    json.end_object();
  }
  json.end_list();
  json.name("running").begin_list();
  for (const Activity::Running& one : view.activity.running()) {
    json.begin_object();
    json.name("work").text(name_of(one.work));
    json.name("domain").text(one.domain);
    json.name("since").text(to_text(as_wall_time(one.since)));
    number("pages", one.pages);
    json.end_object();
  }
  json.end_list();
  number("pages", view.activity.pages());
  number("pages_per_minute", view.activity.pages_in_last_minute());
  number("changes", view.activity.changes());
  number("deliveries_waiting", view.deliveries.waiting);
  json.name("errors").begin_object();
  for (const auto& [host, count] : view.activity.errors_by_host()) number(host, count);
  json.end_object();
  json.end_object();
  return out;
}

std::string status_metrics(const StatusView& view) {
  std::string out;
  const auto single = [&out](std::string_view name, std::string_view type, std::string_view help,
                             std::uint64_t value) {
    add_metric(out, name, type, help);
    out += std::string(name) + " " + std::to_string(value) + "\n";
  };
  add_metric(out, "tavola_crawler_shops", "gauge", "Shops by country and state.");
  for (const auto& [key, counts] : view.lifecycle.counts) {
    const std::string labels = "tavola_crawler_shops{country=\"" + label_text(key.first) + "\",work=\"" +
                               std::string(name_of(key.second)) + "\",state=\"";
    out += labels + "never\"} " + std::to_string(counts.never) + "\n";
    out += labels + "in_progress\"} " + std::to_string(counts.in_progress) + "\n";
    out += labels + "done\"} " + std::to_string(counts.done) + "\n";
  }
  add_metric(out, "tavola_crawler_finished_total", "counter", "Shops that this process finished.");
  for (const Work work : kAllWork) {
    out += "tavola_crawler_finished_total{work=\"" + std::string(name_of(work)) + "\"} " +
           std::to_string(view.activity.finished(work)) + "\n";
  }
  single("tavola_crawler_running", "gauge", "Shops that this process works on.",
         view.activity.running().size());
  single("tavola_crawler_pages_total", "counter", "Pages read.", view.activity.pages());
  single("tavola_crawler_pages_per_minute", "gauge", "Pages read in the last minute.",
         view.activity.pages_in_last_minute());
  single("tavola_crawler_changes_total", "counter", "Products whose status or price changed.",
         view.activity.changes());
  single("tavola_crawler_deliveries_total", "counter", "Changes delivered to the webhook.",
         view.deliveries.delivered);
  single("tavola_crawler_delivery_failures_total", "counter", "Attempts to deliver a change that failed.",
         view.deliveries.failed_attempts);
  single("tavola_crawler_deliveries_waiting", "gauge", "Changes that wait to be delivered.",
         view.deliveries.waiting);
  add_metric(out, "tavola_crawler_errors_total", "counter", "Requests that failed, by host.");
  for (const auto& [host, count] : view.activity.errors_by_host()) {
    out += "tavola_crawler_errors_total{host=\"" + label_text(host) + "\"} " + std::to_string(count) + "\n";
  }
  return out;
}

}  // namespace crawler
