// The arguments of Amazon's DynamoDB Local, as those of `tavola serve`: a script or a container changes one line.
#pragma once

#include <string>
#include <vector>

namespace tavola::cli {

// Returns the arguments of Tavola. Words that do not begin as DynamoDB Local's do ("-jar DynamoDBLocal.jar -inMemory") are returned as they
// are. Those that have no meaning here are left out: Java's own, -sharedDb (all keys see the same tables), -delayTransientStatuses,
// -optimizeDbBeforeStartup, -disableTelemetry (there is none).
std::vector<std::string> without_dynamodb_local(std::vector<std::string> words);

}  // namespace tavola::cli
