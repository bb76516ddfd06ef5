// The files of AWS's tools: ~/.aws/credentials and ~/.aws/config.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>

namespace tavola::remote {

// Returns a variable of the environment; empty if it is not set.
using Environment = std::function<std::string(std::string_view name)>;
std::string system_variable(std::string_view name);

using Settings = std::map<std::string, std::string, std::less<>>;

// The settings of both files. A file that cannot be read is empty.
struct ProfileFiles {
  std::map<std::string, Settings, std::less<>>
      profiles{};  // by name; the credentials file goes before the config file
  std::map<std::string, Settings, std::less<>> sso_sessions{};
};

// Reads the files that AWS_SHARED_CREDENTIALS_FILE and AWS_CONFIG_FILE name, otherwise those in ~/.aws.
ProfileFiles read_profile_files(const Environment& environment);

// The two kinds of sections differ: "[production]" in the credentials file is "[profile production]" in the config file.
enum class ProfileFile : bool { Credentials, Config };
void read_profiles(std::string_view text, ProfileFile kind, ProfileFiles& into);

// AWS_PROFILE, otherwise "default".
std::string profile_name(const Environment& environment);

}  // namespace tavola::remote
