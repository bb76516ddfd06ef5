// The model of a design, made by load.h from a file. Parts stand in the order of the file and know their positions.
// Names refer to parts of the same design; in a design without errors they all exist.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <tavola/requests.h>
#include <tavola/value.h>

#include "design/model/attribute_type.h"
#include "design/model/template.h"
#include "design/model/text_pattern.h"
#include "expr/rules/rule.h"
#include "yaml/node.h"

namespace tavola::design {

using expr::Rule;
using yaml::Span;

// Notes for people, which every part may have, and accepted lints: code → reason.
struct Notes {
  std::string title;
  std::string doc;
  std::string origin;
  std::map<std::string, std::string, std::less<>> accept;
};

// A word and its position.
struct Word {
  std::string text;
  Span at;
  bool empty() const { return text.empty(); }
};

struct KeyAttribute {
  std::string name;
  Type type = Type::String;
  Span at;
};

struct Table {
  std::string name;
  std::string name_env;  // an environment variable that overrides the name
  std::string name_var;  // a variable of Terraform
  KeyAttribute hash;
  std::optional<KeyAttribute> range;
  BillingMode billing = BillingMode::PayPerRequest;
  std::string entity_attribute;
  enum class IndexKeys : std::uint8_t { Unsaid, Dedicated, Shared } index_keys = IndexKeys::Unsaid;
  std::string ttl;
  Notes notes;
  Span at;
  Span name_at;
};

struct Index {
  std::string name;
  KeyAttribute hash;
  std::optional<KeyAttribute> range;
  IndexProjection projection;
  bool local = false;
  Notes notes;
  Span at;  // position of its name
};

struct Unique {
  std::vector<std::string> within;
  std::vector<Span> within_at;  // position of each
  std::string otherwise = "NOT_UNIQUE";
};

struct Attribute {
  enum class Auto : std::uint8_t { No, Create, Update, Transition };
  enum class Generate : std::uint8_t { No, Uuid, Ulid };

  std::string name;
  AttributeType type;
  std::vector<Attribute> of;  // the fields of a map, or of the maps in a list
  bool stored = true;         // false: an id, which lives in the keys alone
  bool required = false;
  bool immutable = false;
  bool raw = false;
  bool in_key = false;  // part of a key, so that it may not hold '#'
  bool low_cardinality = false;
  bool sensitive = false;  // personal or secret: never written into logs, audit trails or masked copies
  std::optional<Value> otherwise;  // `default`
  std::vector<std::string> values;
  std::vector<std::string> suggest;
  std::vector<std::string> permits;  // for the field with a group's permissions: all possible ones
  std::optional<Number> min;
  std::optional<Number> max;
  std::optional<std::uint64_t> min_length;  // characters
  std::optional<std::uint64_t> max_length;
  std::optional<std::uint64_t> max_items;
  TextPattern pattern;
  std::optional<Template> format;
  std::optional<Template> value;
  std::optional<Rule> derive;
  std::optional<Rule> only;  // the only value that a client may write, and the value of a new item: caller()
  std::optional<Rule> when;
  Auto automatic = Auto::No;
  Generate generate = Generate::No;
  std::string ref;
  std::optional<Unique> unique;
  std::map<std::string, std::string, std::less<>> check;
  std::vector<std::string> hash_of;  // `of` of a hash
  std::string purpose;
  std::string store;
  std::optional<Value> example;
  Notes notes;
  Span at;  // position of its name
  Span type_at;
  Span ref_at;
  Span value_at;  // position of `value`, `derive`, `only`, `format` or `when`, whichever it has

  bool is_computed() const { return value || derive || automatic != Auto::No; }
};

// The key of an index: a template, or the key of a lifecycle's state.
struct KeySource {
  std::optional<Template> from;
  std::string lifecycle;
  Span at;
};

struct IndexEntry {
  std::string index;
  KeySource hash;
  std::optional<KeySource> range;
  std::optional<Rule> when;
  Span at;
};

struct Assignment {
  std::string field;
  Rule value;
  Span at;  // position of the field's name
};

struct State {
  std::string name;
  std::optional<Template> key;
  bool initial = false;
  bool terminal = false;
  bool again = false;  // an item that is in this state may be moved to it once more
  std::optional<std::chrono::milliseconds> stuck_after;
  Notes notes;
  Span at;
};

struct Transition {
  std::string name;
  std::vector<Word> from;
  Word to;
  std::vector<Assignment> set;
  std::vector<Word> require;
  std::string idempotent_by;
  std::string on_conflict;
  Notes notes;
  Span at;
};

struct Lifecycle {
  std::string name;
  std::string attribute;  // the attribute with the state; empty: the sort key of `index` holds it
  std::string index;
  std::vector<State> states;
  std::vector<Transition> transitions;
  std::vector<std::string> guarantees;
  Notes notes;
  Span at;
  Span in_at;

  // Returns the field with the state: the attribute, or one named like the lifecycle.
  const std::string& field() const { return attribute.empty() ? name : attribute; }
  const State* find_state(std::string_view state) const;
  const State& initial() const;  // the state marked as initial, or the first
};

struct Example {
  Item item;                                               // as it is stored, without index keys
  std::map<std::string, std::string, std::less<>> states;  // $state
  Item index_keys;                                         // $index
  Span at;
};

// The rule for items that name a deleted item: every `entity` that the pattern returns for the fields of the deleted one.
struct Cascade {
  // They are deleted too; or the deletion is refused while there is one; or they lose the field that names the item.
  enum class Action : std::uint8_t { Delete, Restrict, Detach };
  Word entity;
  Word pattern;
  Action action = Action::Delete;
  Word field{};  // of `entity`: the reference to the deleted item; empty: there is none
};

// A condition on the fields of an entity that holds after every write.
struct EntityRule {
  std::string name;  // of the refusal
  Rule that;
  std::string message;  // for people; empty: the expression itself
  Notes notes;
  Span at;
};

struct Entity {
  std::string name;
  Template hash;
  std::optional<Template> range;
  Span hash_at;
  Span range_at;
  std::vector<IndexEntry> indexes;
  std::vector<Attribute> fields;  // ids first, then attributes
  std::vector<Lifecycle> lifecycles;
  std::vector<Example> examples;
  std::vector<Cascade> on_delete;
  std::vector<EntityRule> rules;
  bool closed = false;  // undeclared attributes are refused
  std::string stage;
  Notes notes;
  Span at;

  const Attribute* find_field(std::string_view field) const;
  const IndexEntry* find_index(std::string_view index) const;
  const Lifecycle* find_lifecycle(std::string_view lifecycle) const;
  const Transition* find_transition(std::string_view transition) const;  // in any of its lifecycles
  std::vector<std::string> key_fields() const;  // placeholders of its keys, each once
  FieldForms forms() const;                     // borrows the entity
};

struct Copy {
  enum class Kind : std::uint8_t { Mirror, Fanout, Snapshot, Counter };
  enum class Mode : std::uint8_t { Transaction, AtCreate, Async };
  std::string name;
  Kind kind = Kind::Mirror;
  Word from;
  Word to;
  Mode mode = Mode::Transaction;
  std::vector<Assignment> carry;  // field of `to` = expression over the fields of `from`
  std::vector<Assignment> key;    // as above; fields of the same name are added when the design is read
  std::string each;               // Fanout: the list, and the name of its element in expressions
  std::string element;
  std::string count;            // Counter: the field of `to` that counts
  std::vector<Assignment> sum;  // Counter: fields of `to` that sum up an expression over `from`
  bool creates = false;         // Counter: the item `to` is created with its first count
  std::optional<Rule> when;
  Notes notes;
  Span at;
};

struct Parameter {
  std::string name;
  Attribute form;                 // its type and bounds
  std::optional<Rule> otherwise;  // `default`
  bool required = true;
  bool may_be_day = false;  // ends a template of a range: a day may stand for a time in the key
  Span at;
};

// A column of an aggregate, computed from the items of a group.
struct Measure {
  enum class Function : std::uint8_t { Count, Sum, Min, Max, Average };
  std::string name;
  Function function = Function::Count;
  std::optional<Rule> of;     // missing for Count: then it counts the items, otherwise the values
  std::optional<Rule> per;    // Average: the sum of this divides, instead of the number of values
  std::optional<int> digits;  // after the point; the result is rounded
  Span at;
};

struct Pattern {
  enum class Form : std::uint8_t { None, Get, Query, Scan, Union, Transition, Aggregate };
  std::string name;
  Form form = Form::None;
  Word entity;
  Word via;  // "table", or an index
  std::optional<Template> hash;
  Span hash_at;
  std::optional<RangeCondition> range;
  Span range_at;
  std::optional<Rule> filter;
  Span filter_at;
  bool backwards = false;
  bool consistent = false;
  std::optional<std::int64_t> limit;
  std::vector<Word> parts;            // of a Union
  Word follow;                        // a field with a `ref`: the items that it names are returned instead
  Word over;                          // Aggregate: the pattern whose items are aggregated
  std::vector<Assignment> by;         // Aggregate: the groups; empty: all items are one group
  std::vector<Measure> measures;      // Aggregate
  Word order_by;                      // Aggregate: a group or a measure; `backwards` applies to it
  std::shared_ptr<const Entity> row;  // Aggregate: its result as an entity: the groups, then the measures
  std::string transition;             // "File.processing"
  std::vector<Parameter> parameters;  // all of them, inferred ones too, in the order of first use
  bool planned = false;
  Notes notes;
  Span at;

  FieldForms forms() const;  // the forms of its parameters; borrows the pattern
};

struct Requirement {
  Rule that;
  std::string otherwise;
  Span at;
};

struct Step {
  enum class Kind : std::uint8_t { Put, Update, Delete, Check, Transition };
  Kind kind = Kind::Put;
  Word entity;
  Word transition;
  std::string as;
  std::vector<Assignment> key;  // for all key fields; missing ones are the parameters of the same name
  std::vector<Assignment> set;  // as above for a put, and for taken fields
  std::vector<Word> remove;
  std::optional<bool> exists;
  // `if_exists: return`, of a put whose item must not exist: the operation does nothing and returns the item that does.
  bool returns_existing = false;
  std::vector<Requirement> require;
  std::string otherwise;  // for the whole step; empty: the usual names
  std::optional<Rule> when;
  Word each;            // a pattern
  std::string element;  // the name of its item in expressions
  // Parameters of the pattern; missing ones are the parameters of the same name.
  std::vector<Assignment> given;
  // The step follows from `on_delete` of what another step deletes. Governed tables follow it themselves.
  bool implied = false;
  Span at;
};

struct ReadFirst {
  std::string name;
  Word entity;
  std::vector<Assignment> key;
  bool required = true;
  Span at;
};

struct Operation {
  std::string name;
  std::vector<Parameter> parameters;  // all of them
  std::string idempotent_by;
  std::vector<Word> idempotent_within;  // parameters: the same id within another scope is another operation
  std::vector<ReadFirst> reads;
  std::vector<Step> steps;
  std::string returns;
  Span returns_at;
  Notes notes;
  Span at;
};

// An item that is written in the same transaction when a write of `of`, by whatever client, fulfils a condition.
struct Consequence {
  std::string name;
  std::vector<Word> of;  // entities
  bool on_create = true;
  bool on_update = true;
  bool on_delete = true;
  std::optional<Rule> when;      // over the fields after the write, `before.field`, and the names of `reads`
  std::vector<ReadFirst> reads;  // items that `when` and `set` use
  Word entity;                   // the item that is put
  std::vector<Assignment> set;
  Notes notes;
  Span at;
};

struct Retention {
  enum class Kind : std::uint8_t { Keep, Expire, Archive, SoftDelete };
  std::string entity;
  Kind kind = Kind::Keep;
  std::string keep;        // "forever"
  std::string archive_to;  // "s3", "folder"
  std::optional<std::chrono::milliseconds> after;
  std::string by;  // the attribute with the time
  Span by_at;
  std::string attribute;  // SoftDelete: the mark of deleted items
  Span attribute_at;
  std::string why;
  Span at;
};

struct Role {
  std::string name;
  std::string is;
  std::string extends;
  Span extends_at;
  std::vector<Word> read;
  std::vector<Word> write;
  std::vector<Word> run;
  std::string own;
  Span own_at;
  bool may_import =
      false;  // `import`: may put items in a later state, with counters and automatic times as they are
  Notes notes;
  Span at;
};

// Group membership and permissions as the table holds them: a field of the items that a pattern returns.
struct Groups {
  struct Source {
    Word pattern;  // its one parameter is the person or the group
    Word field;
  };
  Source member_of;
  Source permissions;
  std::vector<Word> for_others;  // permissions that are not limited to the person's own items
};

struct CapacitySize {
  std::string name;
  std::vector<std::pair<Word, Number>> items;
  std::vector<std::pair<Word, Number>> daily;
  std::string mode;
  std::vector<std::pair<std::string, std::string>> words;  // figures given in words: products: "~100"
  Notes notes;
  Span at;
};

struct Policy {
  std::optional<std::uint64_t> indexes_max;
  std::string indexes_unless;
  std::optional<std::uint64_t> tables_max;
  std::string authentication;
  std::vector<std::string> guidance;
  Span at;
};

// One change of a revision, as written in the file: {rename_key: PK, to: pk}.
struct Change {
  std::string kind;  // its first key: "rename_key", "drop", "retype", "add", "add_index", ...
  yaml::Node said;
};

struct Revision {
  std::string from;
  std::string to;
  std::vector<Change> changes;
  Span at;
};

enum class Enforce : std::uint8_t { Strict, Warn, Off };

struct Design {
  std::string text;  // the text of the file
  std::string file;
  std::string name;
  Span name_at;
  std::string revision;
  Notes notes;
  std::vector<std::string> purpose;
  Enforce enforce = Enforce::Strict;
  Table table;
  std::vector<Index> indexes;
  std::vector<Entity> entities;
  std::vector<Copy> copies;
  std::vector<Consequence> consequences;
  std::vector<Pattern> patterns;
  std::vector<Operation> operations;
  std::vector<Retention> retention;
  std::vector<Role> roles;
  std::optional<Groups> groups;
  std::vector<CapacitySize> capacity;
  Policy policy;
  std::vector<std::string> planned;
  std::vector<Revision> revisions;

  const Index* find_index(std::string_view name) const;
  const Entity* find_entity(std::string_view name) const;
  const Pattern* find_pattern(std::string_view name) const;
  const Operation* find_operation(std::string_view name) const;
  const Retention* find_retention(std::string_view entity) const;
};

}  // namespace tavola::design
