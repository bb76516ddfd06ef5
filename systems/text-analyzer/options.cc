#include "systems/text-analyzer/options.h"

#include <charconv>

#include "cli/command/values.h"
#include "design/language/language.h"

namespace tavola::text_analyzer {
namespace {

using systems::Option;
using systems::text_option;

constexpr int kThreadsMax = 64;

Option duration_option(std::string_view name, std::string_view help, std::chrono::milliseconds& into) {
  return {name, "TIME", help, [name, &into](const std::string& text) -> Result<void> {
            const auto duration = design::parse_duration(text);
            if (!duration || duration->count() < 1)
              return fail(Error::validation(std::string(name) + " is a time like 30s, 15m or 24h (was " +
                                            text + ")"));
            into = *duration;
            return {};
          }};
}

Option workers_option(int& into) {
  return {"--workers", "N",
          "Files that this process analyses at the same time; serve: 0 for none. By default 1",
          [&into](const std::string& text) -> Result<void> {
            const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), into);
            const bool is_number = problem == std::errc() && end == text.data() + text.size();
            if (is_number && into >= 0 && into <= kThreadsMax) return {};
            return fail(Error::validation("--workers is a number from 0 to " + std::to_string(kThreadsMax) +
                                          " (was " + text + ")"));
          }};
}

Option size_option(AnalyzerOptions& options) {
  return {"--max-size", "SIZE", "Largest file, for example 200MB. By default 5GB",
          [&options](const std::string& text) -> Result<void> {
            TAVOLA_TRY(options.rules.size_bytes_max, cli::read_size(text));
            options.work.size_bytes_max = options.rules.size_bytes_max;
            return {};
          }};
}

}  // namespace

std::vector<Option> analyzer_options(AnalyzerOptions& options) {
  std::vector<Option> all = systems::host_options(options.host);
  // Nobody logs in, and samples would have no uploads.
  std::erase_if(all, [](const Option& option) {
    return option.name == "--dev-login" || option.name.starts_with("--oidc-") ||
           option.name == "--public-url" || option.name == "--sample";
  });
  all.push_back(
      text_option("--s3", "URL", "Uploads go to the server of S3's protocol there", options.s3.url));
  all.push_back(text_option("--s3-public", "URL",
                            "Address of the same server for browsers, if it is another one",
                            options.s3.public_url));
  all.push_back(
      text_option("--bucket", "NAME", "Bucket of the uploads there. By default texts", options.s3.bucket));
  all.push_back(workers_option(options.work.threads));
  all.push_back(duration_option(
      "--lease", "A worker that needs longer for a file counts as dead. By default 15m", options.work.lease));
  all.push_back(
      duration_option("--poll", "Pause between two looks for uploads. By default 2s", options.work.poll));
  all.push_back(size_option(options));
  all.push_back(duration_option("--keep-announced",
                                "Files that are never uploaded are removed after this time. By default 24h",
                                options.keep_announced));
  all.push_back(text_option("--metrics", "HOST:PORT", "worker: address of its /metrics", options.metrics));
  return all;
}

Result<void> check(const AnalyzerOptions& options) {
  TAVOLA_CHECK(systems::check_host_options(options.host));
  if (!options.host.endpoint.empty() && options.s3.url.empty())
    return fail(
        Error::validation("--endpoint needs --s3 URL: workers elsewhere must be able to read the uploads"));
  if (options.s3.url.empty() && !options.s3.public_url.empty())
    return fail(Error::validation("--s3-public is another address of the server that --s3 names; give both"));
  for (const std::string& url : {options.s3.url, options.s3.public_url}) {
    if (!url.empty() && !url.starts_with("http://") && !url.starts_with("https://"))
      return fail(Error::validation("an S3 endpoint is a URL like http://127.0.0.1:8002 (was " + url + ")"));
  }
  return {};
}

Result<void> check_worker(const AnalyzerOptions& options) {
  if (options.host.endpoint.empty() || options.s3.url.empty()) {
    return fail(
        Error::validation("worker needs --endpoint URL and --s3 URL: the database in a program has one "
                          "process, which works itself"));
  }
  if (options.work.threads == 0) return fail(Error::validation("worker needs at least one of --workers"));
  return {};
}

}  // namespace tavola::text_analyzer
