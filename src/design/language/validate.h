// Validates a design after reading: names refer to parts, keys are distinct, expressions can run.
#pragma once

#include "design/language/problems.h"
#include "design/model/model.h"

namespace tavola::design {

void validate(const Design& design, Problems& problems);

// The parts of the validation. Each checks one kind of mistake and skips mistakes that another part reports.
void validate_names(const Design& design, Problems& problems);
void validate_table(const Design& design, Problems& problems);
void validate_fields(const Design& design, Problems& problems);
void validate_keys(const Design& design, Problems& problems);
void validate_lifecycles(const Design& design, Problems& problems);
void validate_copies(const Design& design, Problems& problems);
void validate_consequences(const Design& design, Problems& problems);
void validate_patterns(const Design& design, Problems& problems);
// Checks a pattern that is an aggregate.
void check_aggregate(const Design& design, const Pattern& pattern, Problems& problems);
void validate_operations(const Design& design, Problems& problems);
void validate_plans(const Design& design, Problems& problems);
void validate_examples(const Design& design, Problems& problems);

}  // namespace tavola::design
