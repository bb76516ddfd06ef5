// tavola-catalogue: sites that people rate and comment on.
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "generated/fus_main.h"
#include "systems/catalogue/found_page.h"
#include "systems/catalogue/search_page.h"
#include "systems/host/login_options.h"
#include "systems/host/rights.h"
#include "systems/host/run.h"

namespace tavola::catalogue {
namespace {

constexpr std::uint16_t kPort = 8013;
constexpr systems::Program kProgram{.name = "tavola-catalogue",
                                    .usage =
                                        "tavola-catalogue: sites that people rate and comment on\n\n"
                                        "  tavola-catalogue [OPTION…]    serves the pages\n"};

struct Options {
  systems::HostOptions host{.data = "catalogue-data", .port = kPort};
  bool allow_private = false;  // pages of this machine and its network are read, too
};

int failed(const Error& error) {
  std::fprintf(stderr, "tavola-catalogue: %s\n", error.message().c_str());
  return 1;
}

std::vector<design::Identity> known_people() {
  return {{.sub = "anna"}, {.sub = "ben", .groups = {"manager"}}, {.sub = "root", .groups = {"admin"}}};
}

int serve(const Options& options, server::Log& log, server::StopSignals& signals) {
  auto design = systems::SystemDesign::open(
      {.text = fus_main::FusMain::text(), .file = "fus-main.yaml", .options = options.host, .log = log});
  if (!design) return failed(design.error());
  const auto catalogue = fus_main::FusMain::open((*design)->database());
  if (!catalogue) return failed(catalogue.error());
  systems::Application::Parts parts{.name = "tavola-catalogue",
                                    .design = **design,
                                    .assets = http::embedded_assets(),
                                    .guests = systems::Guests::MayRead};
  auto providers = systems::login_providers({parts.name, options.host, parts.assets, known_people(), log});
  if (!providers) return failed(providers.error());
  parts.providers = *std::move(providers);
  const auto addresses = options.allow_private ? crawler::AddressRule::Any : crawler::AddressRule::PublicOnly;
  parts.routes = {systems::rights_page(**design), search_page(*catalogue), found_page(**design, addresses)};
  systems::Application* running = nullptr;
  parts.performed = [&running](const auto&...) { running->events().publish("changed", "{}"); };
  systems::Application application(std::move(parts));
  running = &application;
  return systems::serve_until_stopped(application, options.host, "Site catalogue", signals, log);
}

int run(const std::vector<std::string>& arguments) {
  Options options;
  std::vector<systems::Option> known = systems::host_options(options.host);
  known.push_back(systems::flag_option(
      "--allow-private", "Read pages of sites at private addresses, too, for those who add sites",
      options.allow_private));
  if (systems::tell_about(kProgram, arguments, known)) return 0;
  const auto words = systems::read_options(arguments, known);
  if (!words) return systems::refuse_command_line(kProgram, words.error());
  if (!words->empty())
    return systems::refuse_command_line(kProgram, Error::validation("there is no command " + words->front()));
  if (const auto checked = systems::check_host_options(options.host); !checked)
    return systems::refuse_command_line(kProgram, checked.error());
  server::StopSignals signals;
  server::Log log(server::LogFormat::Text);
  return serve(options, log, signals);
}

}  // namespace
}  // namespace tavola::catalogue

int main(int count, char** arguments) {
  return tavola::catalogue::run(std::vector<std::string>(arguments + 1, arguments + count));
}
