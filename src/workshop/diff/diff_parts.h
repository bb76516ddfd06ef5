// The parts of diff.h, and the collector of their differences.
#pragma once

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "design/model/model.h"
#include "workshop/diff/diff.h"

namespace tavola::workshop {

class Differences {
 public:
  using Class = Difference::Class;

  void add(Class what, std::string part, std::string message) {
    found_.push_back({what, std::move(part), std::move(message)});
  }
  // Adds "keys: PK becomes pk" if the two differ.
  void add_if_changed(const std::string& part, std::string_view what, const std::string& before,
                      const std::string& after, Class as = Class::Change) {
    if (before == after) return;
    const std::string name(what);
    if (before.empty()) return add(as, part, name + " is new: " + after);
    if (after.empty()) return add(as, part, name + " is gone: " + before);
    add(as, part, name + ": " + before + " becomes " + after);
  }

  // Compares parts by name: missing ones break, new ones are `new_part`, and `compare` reports on the others.
  template <class Part, class Compare>
  void each(const std::vector<Part>& before, const std::vector<Part>& after, std::string_view kind,
            Class new_part, const Compare& compare) {
    for (const Part& old : before) {
      if (std::ranges::find(after, old.name, &Part::name) == after.end()) {
        add(Class::Breaks, std::string(kind) + old.name, "is gone");
      }
    }
    for (const Part& now : after) {
      const auto old = std::ranges::find(before, now.name, &Part::name);
      if (old == before.end()) {
        add(new_part, std::string(kind) + now.name, "is new");
      } else {
        compare(*old, now);
      }
    }
  }

  std::vector<Difference> take() { return std::move(found_); }

 private:
  std::vector<Difference> found_;
};

// Returns whether a field of the type `now` takes every value of one of the type `old`.
bool holds_values_of(const design::AttributeType& now, const design::AttributeType& old);

// Compares the values and the bounds of a field or a parameter.
void diff_limits(Differences& out, const std::string& part, const design::Attribute& old,
                 const design::Attribute& now);
void diff_entities(Differences& out, const design::Design& before, const design::Design& after);
void diff_copies(Differences& out, const design::Design& before, const design::Design& after);
void diff_consequences(Differences& out, const design::Design& before, const design::Design& after);
void diff_patterns(Differences& out, const design::Design& before, const design::Design& after);
void diff_operations(Differences& out, const design::Design& before, const design::Design& after);
// Compares roles and retention.
void diff_agreements(Differences& out, const design::Design& before, const design::Design& after);

}  // namespace tavola::workshop
