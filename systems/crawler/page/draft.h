// Things while a page is read: numbered, so that one can get properties while others are read within it.
//
// A page of a few bytes can say that a thing is in eight others, each of which is in eight others. So the memory of all properties is
// bounded, while they are read and when they are copied into each other: what is beyond it is left out.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "page/thing.h"

namespace crawler {

class DraftThings {
 public:
  static constexpr std::size_t kNone = static_cast<std::size_t>(-1);
  static constexpr std::size_t kThingsMax = 5000;
  static constexpr std::size_t kPropertyBytesMax = std::size_t{16} * 1024 * 1024;

  // Returns the number of a new thing; kNone if the page has too many.
  std::size_t add(std::vector<std::string> types, std::string id) {
    if (drafts_.size() == kThingsMax) return kNone;
    drafts_.push_back({.types = std::move(types), .id = std::move(id)});
    return drafts_.size() - 1;
  }
  void add_types(std::size_t to, const std::vector<std::string>& types) {
    for (const std::string& type : types) {
      if (to != kNone && take(room_, type.size())) drafts_[to].types.push_back(type);
    }
  }
  void add_text(std::size_t to, std::string name, std::string text) {
    if (to == kNone || !take(room_, name.size() + text.size())) return;
    drafts_[to].properties.push_back({std::move(name), std::move(text), kNone});
  }
  void add_thing(std::size_t to, std::string name, std::size_t thing) {
    if (to == kNone || thing == kNone || !take(room_, name.size())) return;
    drafts_[to].properties.push_back({std::move(name), {}, thing});
    drafts_[thing].is_within = true;
  }

  // Returns the things that are in no other one.
  std::vector<Thing> finished() const {
    std::vector<Thing> things;
    std::size_t room = kPropertyBytesMax;
    for (const Draft& draft : drafts_) {
      if (!draft.is_within) things.push_back(finished(draft, 0, room));
    }
    return things;
  }

 private:
  struct Property {
    std::string name;
    std::string text;
    std::size_t thing;
  };
  struct Draft {
    std::vector<std::string> types{};
    std::string id{};
    std::vector<Property> properties{};
    bool is_within = false;

    // Returns whether nothing is known of the thing but where it is.
    bool is_address() const { return !id.empty() && types.empty() && properties.empty(); }
  };

  // Takes the memory of a property from the room that is left. Returns false if there is none.
  static bool take(std::size_t& room, std::size_t text_bytes) {
    const std::size_t bytes = sizeof(ThingProperty) + sizeof(Thing) + text_bytes;
    const bool has_room = bytes <= room;
    room -= std::min(bytes, room);
    return has_room;
  }

  Thing finished(const Draft& draft, int depth, std::size_t& room) const {
    constexpr int kThingDepthMax = 16;  // things may also be in a circle
    Thing thing{draft.types, draft.id, {}};
    for (const Property& property : draft.properties) {
      if (!take(room, property.name.size() + property.text.size())) break;
      ThingProperty done{property.name, property.text, {}};
      if (property.thing != kNone && drafts_[property.thing].is_address()) {
        done.text = drafts_[property.thing].id;
      } else if (property.thing != kNone) {
        if (depth == kThingDepthMax) continue;
        done.thing.push_back(finished(drafts_[property.thing], depth + 1, room));
      }
      thing.properties.push_back(std::move(done));
    }
    return thing;
  }

  std::vector<Draft> drafts_;
  std::size_t room_ = kPropertyBytesMax;
};

}  // namespace crawler
