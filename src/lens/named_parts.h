// The parts of a design that a question names. Each fails with ResourceNotFound if the design has no such part.
#pragma once

#include "design/model/model.h"
#include "lens/question.h"

namespace tavola::lens {

// The member `pattern`. Fails with Validation if no request serves the pattern.
Result<const design::Pattern*> pattern_of_question(const design::Design& design, const Question& question);
Result<const design::Operation*> operation_of_question(const design::Design& design,
                                                       const Question& question);
Result<const design::Entity*> entity_of_question(const design::Design& design, const Question& question);

}  // namespace tavola::lens
