#include "lens/copies_lens.h"

#include <algorithm>
#include <iterator>
#include <vector>

#include "database/as_is_database.h"
#include "design/items/dependent_writes.h"
#include "design/items/entity_item.h"
#include "drift/drift_design.h"
#include "drift/drift_item.h"
#include "drift/drift_neighbours.h"
#include "drift/drift_writes.h"
#include "json/writer.h"
#include "lens/reading.h"
#include "lens/shown_item.h"

namespace tavola::lens {
namespace {

using design::DependentWrite;
using drift::DriftDesign;
using drift::Inspection;
using drift::Occurrence;

// An item and its neighbours, checked once.
class Neighbourhood {
 public:
  Neighbourhood(const Subject& subject, bool repairs)
      : subject_(subject),
        design_(subject.design),
        as_is_(subject.database),
        writes_(as_is_, subject.design),
        repairs_(repairs) {}

  Result<void> check(const Item& key) {
    TAVOLA_TRY(item_, read_needed_item(subject_, key));
    inspection_ = inspect(design_, item_);
    const bool is_copy = inspection_.entity != nullptr && design_.is_copy(*inspection_.entity);
    if (!is_copy) TAVOLA_CHECK(check_item());
    if (inspection_.entity == nullptr) return {};
    drift::DriftNeighbours neighbours(
        {.design = design_, .writes = writes_, .repair = repairs_, .ambient = {.now = subject_.clock.now()}});
    TAVOLA_TRY(drift::DriftNeighbours::Found found, neighbours.of_entity(item_, inspection_));
    std::ranges::move(found.occurrences, std::back_inserter(occurrences_));
    return {};
  }

  Result<void> write(json::Writer& json) const {
    json.name("item").begin_object();
    write_item_members(json, subject_, design::decode(subject_.design, item_), item_);
    json.end_object();
    write_problems(json);
    TAVOLA_CHECK(write_source(json));
    json.name("beside").begin_list();
    if (inspection_.entity != nullptr) TAVOLA_CHECK(write_beside(json));
    json.end_list();
    json.name("repaired").integer(std::ranges::count_if(occurrences_, &Occurrence::mended));
    return {};
  }

 private:
  Result<void> check_item() {
    drift::Mending mending;
    const bool corrects = repairs_ && !inspection_.corrections.empty();
    if (corrects) {
      TAVOLA_TRY(mending, writes_.correct(item_, inspection_.corrections));
    }
    for (const drift::ItemProblem& problem : inspection_.problems) {
      Occurrence one{.rule = problem.rule,
                     .about = problem.about,
                     .sample = {{}, problem.text},
                     .can_be_computed = problem.can_be_computed};
      if (corrects && problem.can_be_computed) one.settle(mending);
      if (repairs_ && !problem.can_be_computed) one.why_left = "the correct value cannot be computed";
      occurrences_.push_back(std::move(one));
    }
    if (!corrects) return {};
    TAVOLA_TRY(item_, read_needed_item(subject_, writes_.key_of(item_)));
    inspection_ = inspect(design_, item_);
    return {};
  }

  void write_problems(json::Writer& json) const {
    json.name("problems").begin_list();
    for (const Occurrence& one : occurrences_) {
      if (one.mended) continue;
      json.begin_object();
      json.name("rule").text(name_of(one.rule));
      json.name("about").text(one.about);
      json.name("text").text(one.sample.text);
      json.name("computable").boolean(one.can_be_computed);
      if (!one.why_left.empty()) json.name("whyLeft").text(one.why_left);
      json.end_object();
    }
    json.end_list();
  }

  Result<void> write_source(json::Writer& json) const {
    if (inspection_.entity == nullptr) return {};
    for (const design::Copy* copy : design_.copies_to(*inspection_.entity)) {
      const std::optional<Item> key = design_.source_key(*copy, inspection_.fields);
      if (!key) continue;
      TAVOLA_TRY(const std::optional<Item> source, read_item(subject_, *key));
      json.name("source").begin_object();
      json.name("copy").text(copy->name);
      json.name("entity").text(copy->from.text);
      json.name("key").raw() += to_json(*key);
      json.name("exists").boolean(source.has_value());
      json.end_object();
      return {};
    }
    return {};
  }

  Result<void> write_beside(json::Writer& json) const {
    // Values that cannot be computed are among the problems.
    const auto copies = design_.expected_with(*inspection_.entity, inspection_.fields);
    const auto counters = design_.counted_with(*inspection_.entity, inspection_.fields);
    for (const auto* writes : {&copies, &counters}) {
      if (!*writes) continue;
      for (const DependentWrite& one : **writes) TAVOLA_CHECK(write_neighbour(json, one));
    }
    return {};
  }

  Result<void> write_neighbour(json::Writer& json, const DependentWrite& one) const {
    TAVOLA_TRY(const std::optional<Item> stored, read_item(subject_, one.key));
    const auto copy = std::ranges::find(subject_.design.copies, one.of, &design::Copy::name);
    const bool is_copy = one.kind != DependentWrite::Kind::Claim && copy != subject_.design.copies.end();
    json.begin_object();
    json.name("kind").text(is_copy ? kind_of(*copy) : "unique");
    json.name("name").text(one.of);
    if (is_copy) json.name("entity").text(copy->to.text);
    const bool is_hidden = !is_copy && subject_.sensitive == Sensitive::Masked;
    if (!is_hidden) json.name("key").raw() += to_json(one.key);
    json.name("exists").boolean(stored.has_value());
    if (stored && is_copy) {
      json.name("item").begin_object();
      write_item_members(json, subject_, design::decode(subject_.design, *stored), *stored);
      json.end_object();
    }
    json.end_object();
    return {};
  }

  static std::string_view kind_of(const design::Copy& copy) {
    switch (copy.kind) {
      case design::Copy::Kind::Mirror:
        return "mirror";
      case design::Copy::Kind::Fanout:
        return "fanout";
      case design::Copy::Kind::Snapshot:
        return "snapshot";
      default:
        return "counter";
    }
  }

  const Subject& subject_;
  const DriftDesign design_;
  AsIsDatabase as_is_;  // repairs what a governed write cannot change
  const drift::DriftWrites writes_;
  bool repairs_;
  Item item_;
  Inspection inspection_;
  std::vector<Occurrence> occurrences_;
};

}  // namespace

Result<std::string> copies(const Subject& subject, const Question& question) {
  TAVOLA_TRY(const Item key, question.needed_item("key"));
  TAVOLA_TRY(const bool repairs, question.is_set("repair"));
  Neighbourhood neighbourhood(subject, repairs);
  TAVOLA_CHECK(neighbourhood.check(key));
  std::string answer;
  json::Writer json(answer);
  json.begin_object();
  TAVOLA_CHECK(neighbourhood.write(json));
  json.end_object();
  return answer;
}

}  // namespace tavola::lens
