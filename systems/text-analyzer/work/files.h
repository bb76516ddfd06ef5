// The design on its database.
#pragma once

#include "generated/text_analyzer_history.h"

namespace tavola::text_analyzer {

using Files = text_analyzer_history::TextAnalyzerHistory;
using text_analyzer_history::File;

}  // namespace tavola::text_analyzer
