#include "work/status_page.h"

#include <array>
#include <set>
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

std::string number_text(std::uint64_t number) { return std::to_string(number); }

// Cells of numbers are on the right.
std::string row(std::initializer_list<std::string> words, std::initializer_list<std::uint64_t> numbers) {
  std::string out = "<tr>";
  for (const std::string& word : words) out += "<td>" + html_text(word) + "</td>";
  for (const std::uint64_t number : numbers) out += "<td class=\"number\">" + number_text(number) + "</td>";
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

std::string table(std::string_view title, std::initializer_list<std::string_view> words,
                  std::initializer_list<std::string_view> numbers, const std::string& rows) {
  std::string out = "<section><h2>" + std::string(title) + "</h2>";
  if (rows.empty()) return out + "<p>None.</p></section>";
  out += "<table><thead><tr>";
  for (const std::string_view word : words) out += "<th scope=\"col\">" + std::string(word) + "</th>";
  for (const std::string_view word : numbers) {
    out += "<th scope=\"col\" class=\"number\">" + std::string(word) + "</th>";
  }
  return out + "</tr></thead><tbody>" + rows + "</tbody></table></section>";
}

std::set<std::string> domains_of(const std::vector<Activity::Running>& running, Work work) {
  std::set<std::string> domains;
  for (const Activity::Running& one : running) {
    if (one.work == work) domains.insert(one.domain);
  }
  return domains;
}

std::string figure(std::string_view name, std::uint64_t number) {
  return "<div><dt>" + std::string(name) + "</dt><dd>" + number_text(number) + "</dd></div>";
}

constexpr std::string_view kPageHead =
    "<!doctype html><html lang=\"en\"><head><meta charset=\"utf-8\"><meta name=\"viewport\" "
    "content=\"width=device-width,initial-scale=1\"><title>tavola-crawler</title>"
    "<link rel=\"stylesheet\" href=\"/status.css\"><script src=\"/status.js\" defer></script></head>"
    "<body><header><h1>tavola-crawler</h1><label hidden><input type=\"checkbox\" id=\"update\" checked> "
    "Update every 5 seconds</label></header><div id=\"problem\" role=\"status\"></div>";

}  // namespace

tavola::Result<LifecycleCounts> count_lifecycles(const Registry& registry, const Activity& activity,
                                                 const std::vector<std::string>& countries) {
  constexpr std::size_t kElsewhereMax = 200;
  LifecycleCounts all{.at = to_text(now())};
  for (const std::string& country : countries) {
    for (const Work work : kAllWork) {
      TAVOLA_TRY(const StateCounts counts, registry.counts(work, country));
      if (counts.never + counts.in_progress + counts.done > 0) all.counts[{country, work}] = counts;
      if (counts.in_progress == 0 || all.elsewhere.size() >= kElsewhereMax) continue;
      // A shop that this process begins or ends during the request is in one of the two lists.
      auto here = domains_of(activity.running(), work);
      TAVOLA_TRY(const std::vector<Shop> shops, registry.in_progress(work, country));
      here.merge(domains_of(activity.running(), work));
      for (const Shop& shop : shops) {
        const auto& since = work == Work::Crawl ? shop.last_crawled_start : shop.last_scraped_start;
        if (!here.contains(shop.domain) && all.elsewhere.size() < kElsewhereMax)
          all.elsewhere.push_back({work, shop.domain, since.value_or("")});
      }
    }
  }
  return all;
}

std::string status_html(const StatusView& view) {
  std::string shops;
  for (const auto& [key, counts] : view.lifecycle.counts) {
    shops +=
        row({key.first, std::string(name_of(key.second))}, {counts.never, counts.in_progress, counts.done});
  }
  std::string running;
  for (const Activity::Running& one : view.activity.running()) {
    running +=
        row({std::string(name_of(one.work)), one.domain, to_text(as_wall_time(one.since))}, {one.pages});
  }
  std::string elsewhere;
  for (const RunningElsewhere& one : view.lifecycle.elsewhere)
    elsewhere += row({std::string(name_of(one.work)), one.domain, one.since}, {});
  std::string errors;
  for (const auto& [host, count] : view.activity.errors_by_host()) errors += row({host}, {count});
  std::string out(kPageHead);
  out += "<main id=\"status\"><dl>" +
         figure("Pages in the last minute", view.activity.pages_in_last_minute()) +
         figure("Pages since the start", view.activity.pages()) + figure("Changes", view.activity.changes()) +
         figure("Changes to be delivered", view.deliveries.waiting) + "</dl>";
  out += table("Shops", {"Country", "Work"}, {"Never", "In progress", "Done"}, shops);
  out += table("Running here", {"Work", "Shop", "Since"}, {"Pages"}, running);
  out += table("Running elsewhere", {"Work", "Shop", "Since"}, {}, elsewhere);
  out += table("Errors by host", {"Host"}, {"Errors"}, errors);
  return out + "<p>Shops counted at " + html_text(view.lifecycle.at) + "</p></main></body></html>";
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
  json.name("elsewhere").begin_list();
  for (const RunningElsewhere& one : view.lifecycle.elsewhere) {
    json.begin_object();
    json.name("work").text(name_of(one.work));
    json.name("domain").text(one.domain);
    json.name("since").text(one.since);
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
