// Whether a design that could be read makes sense: names refer to something, keys can be told apart, expressions can run.
#pragma once

#include "design/language/problems.h"
#include "design/model/model.h"

namespace tavola::design {

void validate(const Design& design, Problems& problems);

// Its parts. Each looks at one kind of mistake and passes over what another one reports.
void validate_names(const Design& design, Problems& problems);
void validate_table(const Design& design, Problems& problems);
void validate_fields(const Design& design, Problems& problems);
void validate_keys(const Design& design, Problems& problems);
void validate_lifecycles(const Design& design, Problems& problems);
void validate_copies(const Design& design, Problems& problems);
void validate_patterns(const Design& design, Problems& problems);
void validate_operations(const Design& design, Problems& problems);
void validate_plans(const Design& design, Problems& problems);
void validate_examples(const Design& design, Problems& problems);

}  // namespace tavola::design
