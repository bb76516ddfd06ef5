#include "remote/profile_files.h"

#include <cstdlib>
#include <optional>

#include "base/ascii.h"
#include "base/files.h"

namespace tavola::remote {
namespace {

std::string_view without_end(std::string_view line) {
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

// Returns the settings of the section that a line "[…]" begins; null for a section of another kind.
Settings* section_of(std::string_view name, ProfileFile kind, ProfileFiles& files) {
  constexpr std::string_view kProfile = "profile ";
  constexpr std::string_view kSession = "sso-session ";
  if (kind == ProfileFile::Credentials) return &files.profiles[std::string(name)];
  if (name == "default") return &files.profiles["default"];
  if (name.starts_with(kProfile)) return &files.profiles[std::string(trimmed(name.substr(kProfile.size())))];
  if (name.starts_with(kSession))
    return &files.sso_sessions[std::string(trimmed(name.substr(kSession.size())))];
  return nullptr;
}

std::string file_of(const Environment& environment, std::string_view variable, std::string_view name) {
  const std::string given = environment(variable);
  return given.empty() ? environment("HOME") + "/.aws/" + std::string(name) : given;
}

}  // namespace

std::string system_variable(std::string_view name) {
  const char* value = std::getenv(std::string(name).c_str());
  return value == nullptr ? std::string() : std::string(value);
}

void read_profiles(std::string_view text, ProfileFile kind, ProfileFiles& into) {
  Settings* section = nullptr;
  for_each_part(text, '\n', [&](std::string_view part) {
    const std::string_view line = without_end(part);
    // An indented line belongs to a setting with parts, such as "s3 =", none of which is needed here.
    if (line.empty() || line.front() == '#' || line.front() == ';' || line.front() == ' ' ||
        line.front() == '\t')
      return;
    if (line.front() == '[') {
      const std::size_t end = line.find(']');
      section =
          end == std::string_view::npos ? nullptr : section_of(trimmed(line.substr(1, end - 1)), kind, into);
      return;
    }
    const std::size_t equal = line.find('=');
    if (section == nullptr || equal == std::string_view::npos) return;
    std::string_view value = line.substr(equal + 1);
    value = value.substr(0, value.find(" #"));
    section->try_emplace(lower_case(trimmed(line.substr(0, equal))), trimmed(value));
  });
}

ProfileFiles read_profile_files(const Environment& environment) {
  ProfileFiles files;
  if (const auto text = read_file(file_of(environment, "AWS_SHARED_CREDENTIALS_FILE", "credentials")))
    read_profiles(*text, ProfileFile::Credentials, files);
  if (const auto text = read_file(file_of(environment, "AWS_CONFIG_FILE", "config")))
    read_profiles(*text, ProfileFile::Config, files);
  return files;
}

std::string profile_name(const Environment& environment) {
  const std::string given = environment("AWS_PROFILE");
  return given.empty() ? "default" : given;
}

}  // namespace tavola::remote
