// A first design from a few answers, with comments that explain its parts (`tavola design init`).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <tavola/error.h>

#include "workshop/exchange/draft.h"

namespace tavola::workshop {

struct FirstEntity {
  std::string name;
  std::string hash;          // templates
  std::string range;         // empty if the table has none
  std::string attributes{};  // "name!, price: number": names with types; ! is required
  std::string found_by{};    // "email, status": each gets an index entry and a pattern
};

struct FirstDesign {
  std::string name;
  std::string table;
  std::string hash = "PK";
  std::string range = "SK";  // empty: none
  std::vector<FirstEntity> entities;
};

// Returns the usual keys of an entity: CUSTOMER#<customerId>, META.
FirstEntity usual_entity(const std::string& name, const FirstDesign& design);

// Returns the draft of the design. Fails with Validation if an attribute is not written as above, or if `found_by` names a field that
// the entity does not have.
Result<Draft> first_draft(const FirstDesign& design);

// Adds a pattern for each entity in an index that no pattern of the draft reads for it: productViaGSI1.
void add_index_patterns(Draft& draft);

// Adds comments to the sections of a draft: their purpose, and what else they may have.
void explain_sections(Draft& draft);

}  // namespace tavola::workshop
