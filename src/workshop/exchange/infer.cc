#include "workshop/exchange/infer.h"

#include <algorithm>
#include <map>
#include <set>

#include "design/model/timestamps.h"
#include "workshop/exchange/draft.h"
#include "workshop/exchange/infer_types.h"
#include "workshop/exchange/key_shapes.h"
#include "workshop/texts/words.h"

namespace tavola::workshop {
namespace {

using Texts = std::vector<std::string>;  // one per row
using RowRefs = std::vector<const Row*>;

// The keys of the table as a whole.
struct TableKeys {
  std::string hash;
  std::string range;
  std::vector<DraftIndex> indexes;
  std::vector<std::string> index_keys;
  std::string entity_attribute;
  std::map<std::string, char> separators;  // of each key

  Pieces cut(const std::string& key, const Item& item) const {
    Division division{.separator = separators.at(key), .keys = index_keys};
    division.keys.insert(division.keys.end(), {hash, range});
    return workshop::cut(key_text(item.at(key)), item, division);
  }
  bool is_index_key(std::string_view name) const {
    return std::ranges::find(index_keys, name) != index_keys.end();
  }
};

std::size_t distinct(const Texts& texts) {
  return std::set<std::string_view>(texts.begin(), texts.end()).size();
}

bool has_one_size(const std::vector<Pieces>& keys) {
  return std::ranges::all_of(keys,
                             [&](const Pieces& pieces) { return pieces.size() == keys.front().size(); });
}

// Returns the number in a key in a template's format; the first format that fits all values is used.
std::string in_format(const Value& value, std::string_view format, std::size_t width) {
  std::string text = key_text(value);
  if (!value.is_number() || format.empty()) return text;
  if (format == "iso") {
    const auto ms = value.number().to_int64();
    return ms ? design::iso8601(WallTime(std::chrono::milliseconds(*ms))) : std::string();
  }
  return text.size() >= width ? text : std::string(width - text.size(), '0') + text;
}

// Returns whether the piece is a word, or a word with the version that ElectroDB adds: task_1.
bool is_versioned_word(std::string_view piece) {
  const std::size_t letters = piece.find_last_not_of("0123456789") + 1;
  return is_word(piece.substr(0, letters)) && (letters == piece.size() || piece[letters - 1] == '_');
}

// Returns whether the name says that an attribute is a key and nothing else: PK, GSI1SK, partition_key.
bool is_named_like_a_key(std::string_view name) {
  std::string letters;
  for (const char c : name) {
    const auto letter = static_cast<unsigned char>(c);
    if (std::isalpha(letter) != 0) letters += static_cast<char>(std::tolower(letter));
  }
  return letters == "pk" || letters == "sk" || letters == "hk" || letters == "rk" || letters == "hash" ||
         letters == "range" || letters == "sort" || letters.ends_with("key");
}

// Reads one kind of item: names its key parts, then its index entries, then its attributes.
class KindReader {
 public:
  KindReader(const Rows& rows, const TableKeys& table) : rows_(rows), table_(table) {
    for (const Row& row : rows) {
      refs_.push_back(&row);
      for (const auto& [name, value] : *row.item) values_[name].push_back(&value);
    }
  }

  DraftEntity read() {
    entity_.hash = table_key(table_.hash, &Row::hash);
    if (!table_.range.empty()) entity_.range = table_key(table_.range, &Row::range);
    for (const DraftIndex& index : table_.indexes) read_index(index);
    add_ids();
    add_attributes();
    return std::move(entity_);
  }

 private:
  std::string table_key(const std::string& name, Pieces Row::* key) {
    const bool is_one_piece =
        std::ranges::all_of(rows_, [&](const Row& row) { return (row.*key).size() == 1; });
    const bool is_number = rows_.front().item->at(name).is_number();
    const Texts texts = texts_of(name, refs_);
    if (is_one_piece && distinct(texts) > 1 && !is_named_like_a_key(name) &&
        (is_number || field_with(refs_, texts, "").empty())) {
      data_keys_.insert(name);
      return "<" + use(name) + ">";
    }
    if (is_number) return "<" + new_id(refs_, texts, name) + ":number>";
    std::vector<Pieces> keys;
    keys.reserve(rows_.size());
    for (const Row& row : rows_) keys.push_back(row.*key);
    return template_of(refs_, keys, table_.separators.at(name));
  }

  std::string template_of(const RowRefs& rows, const std::vector<Pieces>& keys, char separator);
  bool is_literal(const RowRefs& rows, const Texts& texts, bool behind_marker);
  // `marker` is the literal just before the pieces; `last_literal` names an id that no attribute has.
  std::string placeholder(const RowRefs& rows, const Texts& texts, std::string_view marker,
                          std::string_view last_literal);
  std::string labelled(const RowRefs& rows, const Texts& texts);
  std::string field_with(const RowRefs& rows, const Texts& texts, std::string_view marker);
  std::string attribute_with(const RowRefs& rows, const Texts& texts, const std::string& name) const;
  std::string new_id(const RowRefs& rows, const Texts& texts, std::string_view marker);

  void read_index(const DraftIndex& index);
  std::string index_key(const DraftKey& key, const RowRefs& rows);
  // `range` is the index's sort key.
  std::string state_key(const std::string& index, const std::string& range, const RowRefs& rows,
                        const std::vector<Pieces>& keys);

  void add_ids();
  void add_attributes();

  static Texts texts_of(const std::string& name, const RowRefs& rows) {
    Texts texts;
    for (const Row* row : rows) texts.push_back(key_text(row->item->at(name)));
    return texts;
  }
  RowRefs rows_with(const std::string& name) const {
    RowRefs found;
    std::ranges::copy_if(refs_, std::back_inserter(found),
                         [&](const Row* row) { return row->item->contains(name); });
    return found;
  }
  std::string use(std::string field) {
    used_.insert(field.substr(0, field.find(':')));
    return field;
  }

  const Rows& rows_;
  const TableKeys& table_;
  RowRefs refs_;
  std::map<std::string, std::vector<const Value*>> values_;
  std::map<std::string, std::map<const Row*, std::string>> ids_;
  std::vector<std::string> id_order_;
  std::set<std::string> data_keys_;  // index keys that are attributes of this kind, too
  std::set<std::string> used_;       // in templates
  DraftEntity entity_;
};

std::string KindReader::template_of(const RowRefs& rows, const std::vector<Pieces>& keys, char separator) {
  std::string text;
  std::string marker;        // the literal just before
  std::string last_literal;  // names ids: REPLY#<postedAt>#<reply>
  for (std::size_t place = 0; place < keys.front().size(); ++place) {
    Texts texts;
    for (const Pieces& pieces : keys) texts.push_back(pieces[place]);
    if (place > 0) text += separator;
    if (is_literal(rows, texts, !marker.empty())) {
      text += texts.front();
      marker = texts.front();
      last_literal = marker;
    } else {
      text += placeholder(rows, texts, marker, last_literal);
      marker.clear();
    }
  }
  return text;
}

// A piece after a marker is a value even if all are equal so far, unless it is a word and there are many items, or the word with which
// their partition keys begin: SESSION#a1 has child#SESSION#b1.
bool KindReader::is_literal(const RowRefs& rows, const Texts& texts, bool behind_marker) {
  if (distinct(texts) != 1) return false;
  if (texts.front().empty()) return true;
  const bool is_data = !field_with(rows, texts, "").empty();
  constexpr std::size_t kMany = 4;
  const auto begins_with_it = [&](const Row* row) {
    return row->hash.size() > 1 && row->hash.front() == texts.front();
  };
  const bool is_constant =
      is_versioned_word(texts.front()) && (rows.size() >= kMany || std::ranges::all_of(rows, begins_with_it));
  if (is_marker(texts.front())) return !behind_marker || !is_data;
  return !is_data && (!behind_marker || is_constant);
}

std::string KindReader::placeholder(const RowRefs& rows, const Texts& texts, std::string_view marker,
                                    std::string_view last_literal) {
  std::string field = field_with(rows, texts, marker);
  if (!field.empty()) return "<" + use(std::move(field)) + ">";
  if (std::string text = labelled(rows, texts); !text.empty()) return text;
  return "<" + use(new_id(rows, texts, last_literal)) + ">";
}

// Returns the template of pieces that begin with a label, as ElectroDB's do: team_<team>. Returns an empty text if there is no label, or
// if no attribute has the rest of the pieces.
std::string KindReader::labelled(const RowRefs& rows, const Texts& texts) {
  constexpr std::string_view kLabelEnds = "_:|/-=";
  const std::string& first = texts.front();
  for (std::size_t at = first.find_first_of(kLabelEnds); at != std::string::npos;
       at = first.find_first_of(kLabelEnds, at + 1)) {
    const std::string_view label = std::string_view(first).substr(0, at + 1);
    Texts values;
    for (const std::string& text : texts) {
      if (!text.starts_with(label)) return {};
      values.push_back(text.substr(label.size()));
    }
    if (std::string field = field_with(rows, values, label); !field.empty())
      return std::string(label) + "<" + use(std::move(field)) + ">";
  }
  return {};
}

// Returns the attribute or id that always equals the text in the key, with its format; empty if there is none. If there
// are several, the one whose name resembles the marker before it wins: PRODUCT#<productId>.
std::string KindReader::field_with(const RowRefs& rows, const Texts& texts, std::string_view marker) {
  std::string best;
  int best_rank = 0;
  const std::string sound = field_case(marker);
  for (const auto& [name, _] : values_) {
    // Names that begin with two underscores belong to libraries: ElectroDB's __edb_v__ is a version.
    if (name == table_.hash || name == table_.range || name == table_.entity_attribute ||
        name.starts_with("__"))
      continue;
    std::string found = attribute_with(rows, texts, name);
    const bool is_index_key = table_.is_index_key(name);
    if (found.empty() || (is_index_key && texts.front().contains('#'))) continue;
    const int rank = (is_index_key ? 1 : 4) + (!sound.empty() && field_case(name).starts_with(sound) ? 2 : 0);
    if (rank > best_rank) {
      best = std::move(found);
      best_rank = rank;
    }
  }
  if (!best.empty()) {
    const std::string name = best.substr(0, best.find(':'));
    if (table_.is_index_key(name)) data_keys_.insert(name);
    return best;
  }
  for (const std::string& id : id_order_) {
    const auto& known = ids_.at(id);
    bool same = true;
    for (std::size_t i = 0; i < rows.size() && same; ++i)
      same = known.contains(rows[i]) && known.at(rows[i]) == texts[i];
    if (same) return id;
  }
  return {};
}

std::string KindReader::attribute_with(const RowRefs& rows, const Texts& texts,
                                       const std::string& name) const {
  for (const std::string_view format : {"", "padded", "iso"}) {
    const std::size_t width = format == "padded" ? texts.front().size() : 0;
    bool same = true;
    for (std::size_t i = 0; i < rows.size() && same; ++i) {
      const auto at = rows[i]->item->find(name);
      same =
          at != rows[i]->item->end() && !texts[i].empty() && in_format(at->second, format, width) == texts[i];
    }
    if (!same) continue;
    if (format.empty()) return name;
    return format == "iso" ? name + ":iso" : name + ":0" + std::to_string(width);
  }
  return {};
}

std::string KindReader::new_id(const RowRefs& rows, const Texts& texts, std::string_view marker) {
  const std::string wanted = marker.empty() ? "id" : field_case(marker);
  std::string name = wanted;
  for (int i = 2; ids_.contains(name) || values_.contains(name); ++i) name = wanted + std::to_string(i);
  id_order_.push_back(name);
  for (std::size_t i = 0; i < rows.size(); ++i) ids_[name].emplace(rows[i], texts[i]);
  used_.insert(name);
  return name;
}

// ---- Indexes ----

void KindReader::read_index(const DraftIndex& index) {
  const RowRefs with_hash = rows_with(index.hash.name);
  if (with_hash.empty()) return;
  DraftEntry entry{.index = index.name, .hash = index_key(index.hash, with_hash), .range = {}};
  std::size_t inside = with_hash.size();
  if (index.range) {
    const RowRefs with_range = rows_with(index.range->name);
    if (with_range.empty()) return;
    inside = std::min(inside, with_range.size());
    std::vector<Pieces> keys;
    keys.reserve(with_range.size());
    for (const Row* row : with_range) keys.push_back(table_.cut(index.range->name, *row->item));
    entry.range = state_key(index.name, index.range->name, with_range, keys);
    if (entry.range.empty()) entry.range = index_key(*index.range, with_range);
  }
  if (inside < rows_.size()) {
    entity_.comments.push_back("# " + std::to_string(inside) + " of " + std::to_string(rows_.size()) +
                               " are in " + index.name + ": is there a condition (when)?");
  }
  entity_.indexes.push_back(std::move(entry));
}

std::string KindReader::index_key(const DraftKey& key, const RowRefs& rows) {
  // An inverted index has the table's keys the other way round.
  if (key.name == table_.hash) return entity_.hash;
  if (key.name == table_.range) return entity_.range;
  const Texts texts = texts_of(key.name, rows);
  const std::string as_number = key.type == Type::Number ? ":number" : "";
  if (!data_keys_.contains(key.name)) {
    std::vector<Pieces> keys;
    keys.reserve(rows.size());
    for (const Row* row : rows) keys.push_back(table_.cut(key.name, *row->item));
    values_.erase(key.name);  // a key is not its own source
    if (const std::string field = field_with(rows, texts, ""); !field.empty())
      return "<" + use(field) + as_number + ">";
    const bool has_shape = has_one_size(keys) && (keys.front().size() > 1 || distinct(texts) == 1);
    if (has_shape && as_number.empty()) return template_of(rows, keys, table_.separators.at(key.name));
    data_keys_.insert(key.name);
    for (const Row* row : rows) values_[key.name].push_back(&row->item->at(key.name));
  }
  return "<" + use(key.name) + ">";  // the attribute is the key: it needs no format
}

// Keys that begin with one of several markers are the states of a lifecycle: NEVER#, DONE#<…>.
std::string KindReader::state_key(const std::string& index, const std::string& range, const RowRefs& rows,
                                  const std::vector<Pieces>& keys) {
  std::map<std::string, std::pair<RowRefs, std::vector<Pieces>>> states;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    auto& [of_state, pieces] = states[keys[i].front()];
    of_state.push_back(rows[i]);
    pieces.push_back(keys[i]);
  }
  const bool are_states =
      states.size() > 1 && states.size() <= 12 && std::ranges::all_of(states, [](const auto& state) {
        return is_marker(state.first) && state.second.second.front().size() > 1 &&
               has_one_size(state.second.second);
      });
  if (!are_states || !attribute_with(rows, texts_of(range, rows), "").empty()) return {};
  DraftLifecycle lifecycle{.name = field_case(index) + "State", .in = index + ".range", .states = {}};
  values_.erase(range);
  for (const auto& [name, state] : states)
    lifecycle.states.push_back({name, template_of(state.first, state.second, table_.separators.at(range))});
  entity_.lifecycles.push_back(std::move(lifecycle));
  return "lifecycle(" + entity_.lifecycles.back().name + ")";
}

// ---- Fields ----

void KindReader::add_ids() {
  for (const std::string& id : id_order_) {
    std::vector<Value> values;
    bool is_number = false;
    for (const auto& [row, text] : ids_.at(id)) values.emplace_back(text);
    std::vector<const Value*> refs;
    refs.reserve(values.size());
    for (const Value& value : values) refs.push_back(&value);
    DraftField field = infer_field(id, refs);
    is_number = entity_.hash == "<" + id + ":number>" || entity_.range == "<" + id + ":number>";
    const bool is_raw =
        std::ranges::any_of(values, [](const Value& value) { return value.string().contains('#'); });
    if (is_number || field.said.find("type")->text == "enum") {
      field.said = map_node(yaml::Style::Flow);
      put_text(field.said, "type", is_number ? "number" : "string");
    }
    if (is_raw) put(field.said, "raw", bool_node(true));
    entity_.ids.push_back(std::move(field));
  }
}

void KindReader::add_attributes() {
  for (const auto& [name, values] : values_) {
    const bool is_key = name == table_.hash || name == table_.range || table_.is_index_key(name);
    if (is_key && !data_keys_.contains(name)) continue;
    DraftField field = infer_field(name, values);
    if (name == table_.entity_attribute && values.front()->is_string()) {
      field.said = map_node(yaml::Style::Flow);
      put_text(field.said, "value", values.front()->string());
      entity_.attributes.push_back(std::move(field));
      continue;
    }
    if (values.size() == rows_.size()) put(field.said, "required", bool_node(true));
    const bool is_raw = used_.contains(name) && std::ranges::any_of(values, [](const Value* value) {
                          return value->is_string() && value->string().contains('#');
                        });
    if (is_raw) put(field.said, "raw", bool_node(true));
    entity_.attributes.push_back(std::move(field));
  }
}

// ---- Names ----

// Returns the last word of a template that is not a placeholder: COMMENT of SITE#<site>#COMMENT#<comment>, task of
// $task_1#project_<project>.
std::string last_marker(std::string_view text) {
  std::string found;
  while (!text.empty()) {
    const std::size_t end = text.find_first_of("#|:/<");
    const std::string_view piece = text.substr(0, end);
    if (!piece.empty() && piece != "_") found = piece;
    if (end == std::string_view::npos) break;
    text.remove_prefix(text[end] == '<' ? std::min(text.find('>', end), text.size() - 1) + 1 : end + 1);
  }
  return found;
}

// Returns the name of the items of a table that has one kind: Reading for the table readings.
std::string name_of_only_kind(const std::string& table) {
  std::string name = type_case(table);
  if (name.size() > 3 && name.ends_with('s') && !name.ends_with("ss")) name.pop_back();
  return name;
}

void name_entities(std::vector<DraftEntity>& entities, const Draft& draft) {
  std::set<std::string> taken;
  const auto is_whole = [](const DraftEntity& entity) { return !entity.range.contains('<'); };
  // A kind with its own partition is named after it; the others use the rest of the key.
  std::vector<DraftEntity> ordered;
  for (const bool whole : {true, false}) {
    std::ranges::copy_if(entities, std::back_inserter(ordered),
                         [&](const DraftEntity& entity) { return is_whole(entity) == whole; });
  }
  entities = std::move(ordered);
  for (DraftEntity& entity : entities) {
    const std::string hash = type_case(last_marker(entity.hash));
    const std::string range = type_case(last_marker(entity.range));
    std::vector<std::string> names{is_whole(entity) && !hash.empty() ? hash : range, hash + range};
    names.push_back(entities.size() == 1 ? name_of_only_kind(draft.table) : "Item");
    const auto kind = std::ranges::find(entity.attributes, draft.entity_attribute, &DraftField::name);
    if (kind != entity.attributes.end() && kind->said.find("value") != nullptr) {
      names.insert(names.begin(), type_case(kind->said.find("value")->text));
    }
    std::string name;
    for (const std::string& candidate : names) {
      if (name.empty() && !candidate.empty() && !taken.contains(candidate)) name = candidate;
    }
    for (int i = 2; name.empty(); ++i) {
      if (!taken.contains("Item" + std::to_string(i))) name = "Item" + std::to_string(i);
    }
    taken.insert(name);
    entity.name = std::move(name);
  }
}

// ---- The table ----

Type type_of(const TableDescription& table, const std::string& attribute) {
  const auto found = std::ranges::find(table.attribute_definitions, attribute, &AttributeDefinition::name);
  return found == table.attribute_definitions.end() ? Type::String : found->type;
}

template <class IndexOrTable>
std::pair<DraftKey, std::optional<DraftKey>> keys_of(const TableDescription& table, const IndexOrTable& of) {
  std::pair<DraftKey, std::optional<DraftKey>> keys;
  for (const KeySchemaElement& element : of.key_schema) {
    DraftKey key{element.name, type_of(table, element.name)};
    if (element.type == KeyType::Hash) {
      keys.first = std::move(key);
    } else {
      keys.second = std::move(key);
    }
  }
  return keys;
}

TableKeys table_keys(const Draft& draft) {
  TableKeys keys{.hash = draft.hash.name,
                 .range = draft.range ? draft.range->name : "",
                 .indexes = draft.indexes,
                 .index_keys = {},
                 .entity_attribute = {},
                 .separators = {}};
  for (const DraftIndex& index : draft.indexes) {
    for (const std::string& name : {index.hash.name, index.range ? index.range->name : std::string()}) {
      if (!name.empty() && name != keys.hash && name != keys.range) keys.index_keys.push_back(name);
    }
  }
  return keys;
}

}  // namespace

Draft draft_of(const TableDescription& table) {
  Draft draft;
  draft.name = table.table_name;
  draft.table = table.table_name;
  draft.comments = {"# Drafted from the items of a table: check the names, add patterns and operations."};
  std::tie(draft.hash, draft.range) = keys_of(table, table);
  draft.billing = table.billing_mode;
  draft.ttl = table.time_to_live_attribute.value_or("");
  const auto add = [&](const auto& index, bool local) {
    auto [hash, range] = keys_of(table, index);
    draft.indexes.push_back({index.name, std::move(hash), std::move(range), index.projection, local});
  };
  for (const GlobalIndex& index : table.global_indexes) add(index, false);
  for (const LocalIndex& index : table.local_indexes) add(index, true);
  return draft;
}

std::vector<DraftEntity> infer_entities(Draft& draft, const std::vector<Item>& items) {
  TableKeys keys = table_keys(draft);
  std::vector<std::string> all_keys = keys.index_keys;
  all_keys.insert(all_keys.end(), {keys.hash, keys.range});
  keys.entity_attribute = find_entity_attribute(items, all_keys);
  draft.entity_attribute = keys.entity_attribute;
  for (const std::string& key : all_keys) {
    std::vector<std::string> texts;
    for (const Item& item : items) {
      if (const auto value = item.find(key); value != item.end()) texts.push_back(key_text(value->second));
    }
    keys.separators[key] = find_separator(texts);
  }

  Rows rows;
  for (const Item& item : items) {
    const bool is_whole = item.contains(keys.hash) && (keys.range.empty() || item.contains(keys.range));
    if (!is_whole) continue;
    Row row{.item = &item, .hash = keys.cut(keys.hash, item), .range = {}};
    if (!keys.range.empty()) row.range = keys.cut(keys.range, item);
    rows.push_back(std::move(row));
  }
  std::vector<DraftEntity> entities;
  for (const Rows& kind : cluster(std::move(rows), keys.entity_attribute)) {
    entities.push_back(KindReader(kind, keys).read());
  }
  name_entities(entities, draft);
  return entities;
}

Draft inferred(const TableDescription& table, const std::vector<Item>& items) {
  Draft draft = draft_of(table);
  draft.entities = infer_entities(draft, items);
  if (draft.entities.empty()) draft.entities.push_back(unknown_entity(draft));
  return draft;
}

std::string infer(const TableDescription& table, const std::vector<Item>& items) {
  return write(inferred(table, items));
}

}  // namespace tavola::workshop
