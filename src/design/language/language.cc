#include "design/language/language.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <limits>
#include <utility>

namespace tavola::design {
namespace {

using ShapeKind = Shape::Kind;
using Words = std::span<const std::string_view>;
constexpr Need kRequired = Need::Required;

// ---- Building blocks ----

constexpr Shape kAny{.kind = ShapeKind::Any};
constexpr Shape kText{.kind = ShapeKind::Text};
constexpr Shape kWord{.kind = ShapeKind::Word};
constexpr Shape kBool{.kind = ShapeKind::Bool};
constexpr Shape kNumber{.kind = ShapeKind::Number};
constexpr Shape kCount{.kind = ShapeKind::Count};
constexpr Shape kType{.kind = ShapeKind::Type, .name = "type"};
constexpr Shape kTemplate{.kind = ShapeKind::Template, .name = "template"};
constexpr Shape kRule{.kind = ShapeKind::Rule, .name = "rule"};
constexpr Shape kRange{.kind = ShapeKind::Range, .name = "range"};
constexpr Shape kDuration{.kind = ShapeKind::Duration, .name = "duration"};
constexpr Shape kRegex{.kind = ShapeKind::Regex, .name = "regex"};

constexpr Shape list_of(const Shape& element) { return {.kind = ShapeKind::List, .of = &element}; }
constexpr Shape names_of(const Shape& value) { return {.kind = ShapeKind::Map, .of = &value}; }
constexpr Shape one_of(std::span<const Shape* const> choices) {
  return {.kind = ShapeKind::OneOf, .choices = choices};
}
constexpr Shape enum_of(Words values) { return {.kind = ShapeKind::Enum, .values = values}; }
constexpr Shape map_of(std::string_view name, std::span<const Member> members) {
  return {.kind = ShapeKind::Map, .name = name, .members = members};
}
constexpr Shape part_of(std::string_view name, std::span<const Member> members) {
  return {.kind = ShapeKind::Map, .name = name, .members = members, .noted = true};
}

constexpr Shape kAnyNames = names_of(kAny);
constexpr Shape kTexts = list_of(kText);
constexpr Shape kWords = list_of(kWord);
constexpr Shape kTextNames = names_of(kText);
constexpr Shape kWordNames = names_of(kWord);
constexpr Shape kRuleNames = names_of(kRule);
constexpr Shape kCountNames = names_of(kNumber);
constexpr const Shape* kTextOrTextsChoices[] = {&kText, &kTexts};
constexpr Shape kTextOrTexts = one_of(kTextOrTextsChoices);

constexpr Member kNotes[] = {
    {"title", &kText, "A short name for people."},
    {"doc", &kText, "A description for people."},
    {"origin", &kText, "Where it comes from."},
    {"accept", &kTextNames, "Accepted lints: code and reason."},
};

// ---- table, indexes ----

constexpr std::string_view kKeyTypes[] = {"string", "number", "binary"};
constexpr Shape kKeyType = enum_of(kKeyTypes);
constexpr Member kKeyAttributeMembers[] = {
    {"name", &kText, "The attribute.", kRequired},
    {"type", &kKeyType, "Its type; string by default."},
};
constexpr Shape kKeyAttributeMap = map_of("keyAttribute", kKeyAttributeMembers);
constexpr const Shape* kKeyAttributeChoices[] = {&kText, &kKeyAttributeMap};
constexpr Shape kKeyAttribute = one_of(kKeyAttributeChoices);

constexpr std::string_view kBillings[] = {"PAY_PER_REQUEST", "PROVISIONED"};
constexpr Shape kBilling = enum_of(kBillings);
constexpr std::string_view kIndexKeyUses[] = {"dedicated", "shared"};
constexpr Shape kIndexKeyUse = enum_of(kIndexKeyUses);
constexpr Member kTableMembers[] = {
    {"name", &kText, "The table's name.", kRequired},
    {"name_env", &kText, "An environment variable that overrides the name."},
    {"name_var", &kText, "A variable of Terraform that overrides the name."},
    {"hash", &kKeyAttribute, "The partition key.", kRequired},
    {"range", &kKeyAttribute, "The sort key."},
    {"billing", &kBilling, "The billing mode."},
    {"entity_attribute", &kText, "The attribute with the entity of every item."},
    {"index_keys", &kIndexKeyUse, "dedicated: every index key serves one index and holds no other data."},
    {"ttl", &kText, "The attribute with the time of expiry."},
};
constexpr Shape kTable = part_of("table", kTableMembers);

constexpr std::string_view kProjections[] = {"all", "keys"};
constexpr Shape kProjectionWord = enum_of(kProjections);
constexpr const Shape* kProjectionChoices[] = {&kProjectionWord, &kTexts};
constexpr Shape kProjection = one_of(kProjectionChoices);
constexpr Member kIndexMembers[] = {
    {"hash", &kKeyAttribute, "The partition key.", kRequired},
    {"range", &kKeyAttribute, "The sort key."},
    {"project", &kProjection, "all, keys, or a list of attributes."},
    {"local", &kBool, "Whether it is a local index, which shares the table's partition key."},
};
constexpr Shape kIndex = part_of("index", kIndexMembers);
constexpr Shape kIndexes = names_of(kIndex);

// ---- entities ----

extern const Shape kAttribute;  // its `of` holds attributes again
constexpr Shape kAttributes = names_of(kAttribute);
constexpr const Shape* kOfChoices[] = {&kAttributes, &kTexts};
constexpr Shape kOf = one_of(kOfChoices);

constexpr std::string_view kAutos[] = {"create", "update", "transition"};
constexpr Shape kAuto = enum_of(kAutos);
constexpr std::string_view kGenerators[] = {"uuid", "ulid"};
constexpr Shape kGenerator = enum_of(kGenerators);
constexpr Shape kGeneratorList = list_of(kGenerator);
constexpr const Shape* kGenerateChoices[] = {&kGenerator, &kGeneratorList};
constexpr Shape kGenerate = one_of(kGenerateChoices);
constexpr Member kUniqueMembers[] = {
    {"within", &kTexts, "The fields of the scope."},
    {"otherwise", &kText, "The refusal's name; NOT_UNIQUE by default."},
};
constexpr Shape kUniqueMap = map_of("unique", kUniqueMembers);
constexpr const Shape* kUniqueChoices[] = {&kBool, &kUniqueMap};
constexpr Shape kUnique = one_of(kUniqueChoices);
constexpr std::string_view kCardinalities[] = {"low", "high"};
constexpr Shape kCardinality = enum_of(kCardinalities);

constexpr std::string_view kDeletions[] = {"cascade", "restrict", "detach"};
constexpr Shape kDeletion = enum_of(kDeletions);
constexpr Member kDeletionMembers[] = {
    {"cascade", &kText, "They are deleted, too: the pattern that finds them."},
    {"restrict", &kText, "The deletion is refused while there is one: the pattern that finds them."},
    {"detach", &kText, "They lose the reference: the pattern that finds them."},
};
constexpr Shape kDeletionMap = map_of("deletion", kDeletionMembers);
constexpr const Shape* kReferenceDeletionChoices[] = {&kDeletion, &kDeletionMap};
constexpr Shape kReferenceDeletion = one_of(kReferenceDeletionChoices);
constexpr const Shape* kEntityDeletionChoices[] = {&kText, &kDeletionMap};
constexpr Shape kEntityDeletion = one_of(kEntityDeletionChoices);
constexpr Shape kEntityDeletions = names_of(kEntityDeletion);

constexpr Member kAttributeMembers[] = {
    {"type", &kType, "The type; string by default."},
    {"of", &kOf, "The fields of a map, or of the maps in a list; for a hash, its sources."},
    {"required", &kBool, "The field is required."},
    {"immutable", &kBool, "The field may not change."},
    {"default", &kAny, "The value if missing when the item is created."},
    {"values", &kWords, "The allowed values."},
    {"suggest", &kWords, "The usual values."},
    {"min", &kNumber, "The least value."},
    {"max", &kNumber, "The greatest value."},
    {"min_length", &kCount, "The least number of characters."},
    {"max_length", &kCount, "The greatest number of characters."},
    {"max_items", &kCount, "The greatest number of elements."},
    {"pattern", &kRegex, "A regular expression (RE2) that the whole text matches."},
    {"format", &kTemplate, "A template with one placeholder; its text is added if missing."},
    {"raw", &kBool, "The value may contain '#'."},
    {"sensitive", &kBool, "Personal or secret: no message, log or report shows the value."},
    {"value", &kTemplate, "A template that computes the value."},
    {"derive", &kRule, "An expression that computes the value."},
    {"only", &kRule, "The only value that a client may write, and the default of a new item: caller()."},
    {"auto", &kAuto, "The time of the item's creation, last update or last transition."},
    {"when", &kRule, "The field exists exactly if this holds."},
    {"generate", &kGenerate, "Generated if missing at creation."},
    {"ref", &kText, "The entity that this key refers to."},
    {"on_delete", &kReferenceDeletion,
     "What happens to this item when the one it refers to is deleted: cascade, restrict or detach."},
    {"unique", &kUnique, "No two entities have the same value."},
    {"cardinality", &kCardinality, "low: few different values."},
    {"check", &kWordNames, "Examples of a derived value: input and result."},
    {"purpose", &kText, "The purpose."},
    {"store", &kText, "A note about storage, for people."},
    {"example", &kAny, "An example value, for people."},
};
constexpr Shape kAttributeMap = part_of("attributeMap", kAttributeMembers);
constexpr const Shape* kAttributeChoices[] = {&kType, &kAttributeMap};
constinit const Shape kAttribute{.kind = ShapeKind::OneOf, .name = "attribute", .choices = kAttributeChoices};

constexpr Member kEntryMembers[] = {
    {"hash", &kTemplate, "The template of the index's partition key.", kRequired},
    {"range", &kTemplate,
     "The template of its sort key, or lifecycle(L): the key of that lifecycle's state."},
    {"when", &kRule, "The entry exists only if this holds."},
};
constexpr Shape kEntry = map_of("indexEntry", kEntryMembers);
constexpr Shape kEntries = names_of(kEntry);
constexpr Shape kTemplateNames = names_of(kTemplate);

constexpr Member kStateMembers[] = {
    {"key", &kTemplate, "The key of an index that holds this state."},
    {"initial", &kBool, "The state of a new item; by default the first one."},
    {"terminal", &kBool, "The item never leaves this state."},
    {"again", &kBool, "An item in this state may be moved to it once more."},
    {"stuck_after", &kDuration, "The age at which an item in this state counts as stuck."},
};
constexpr Shape kState = part_of("state", kStateMembers);
constexpr Shape kStates = names_of(kState);
constexpr std::string_view kConflicts[] = {"exit", "fail", "retry"};
constexpr Shape kConflict = enum_of(kConflicts);
constexpr Member kTransitionMembers[] = {
    {"from", &kTextOrTexts, "The states before the transition.", kRequired},
    {"to", &kText, "The state after the transition.", kRequired},
    {"set", &kRuleNames, "Fields and their new values."},
    {"require", &kTextOrTexts, "The fields that must exist."},
    {"idempotent_by", &kText, "The field that identifies a request."},
    {"on_conflict", &kConflict, "What a client does if another one was first."},
};
constexpr Shape kTransition = part_of("transition", kTransitionMembers);
constexpr Shape kTransitions = names_of(kTransition);
constexpr Member kLifecycleMembers[] = {
    {"in", &kText, "The attribute with the state, or INDEX.range.", kRequired},
    {"states", &kStates, "The states.", kRequired},
    {"transitions", &kTransitions, "The transitions between states."},
    {"guarantees", &kTexts, "The guarantees, for people."},
};
constexpr Shape kLifecycle = part_of("lifecycle", kLifecycleMembers);
constexpr Shape kLifecycles = names_of(kLifecycle);

constexpr Member kExampleMembers[] = {
    {"$state", &kTextNames, "The states, by lifecycle."},
    {"$index", &kAnyNames, "Index keys to compare."},
};
constexpr Shape kExample{.kind = ShapeKind::Map, .name = "example", .of = &kAny, .members = kExampleMembers};
constexpr Shape kExamples = list_of(kExample);

constexpr Member kEntityRuleMembers[] = {
    {"that", &kRule, "The condition that every item fulfils.", kRequired},
    {"message", &kText, "What is wrong with an item that breaks it, for people; the condition by default."},
};
constexpr Shape kEntityRuleMap = part_of("entityRule", kEntityRuleMembers);
constexpr const Shape* kEntityRuleChoices[] = {&kRule, &kEntityRuleMap};
constexpr Shape kEntityRule = one_of(kEntityRuleChoices);
constexpr Shape kEntityRules = names_of(kEntityRule);

constexpr Member kEntityMembers[] = {
    {"key", &kTemplateNames, "The templates of the table's keys.", kRequired},
    {"ids", &kAttributes, "Fields that only the keys hold."},
    {"index", &kEntries, "The index keys, by index."},
    {"attributes", &kAttributes, "The stored fields."},
    {"lifecycles", &kLifecycles, "The lifecycles: states and transitions."},
    {"rules", &kEntityRules, "Conditions on the fields that every write keeps, by the refusal's name."},
    {"closed", &kBool, "Undeclared attributes are refused."},
    {"on_delete", &kEntityDeletions,
     "Entities that are deleted along, or restrict the deletion, by the pattern that finds them."},
    {"examples", &kExamples, "Items that must agree with the design."},
    {"stage", &kText, "The stage of the project, for people."},
};
constexpr Shape kEntity = part_of("entity", kEntityMembers);
constexpr Shape kEntities = names_of(kEntity);

// ---- copies ----

constexpr std::string_view kCopyKinds[] = {"mirror", "fanout", "snapshot", "counter"};
constexpr Shape kCopyKind = enum_of(kCopyKinds);
constexpr std::string_view kCopyModes[] = {"transaction", "at-create", "async"};
constexpr Shape kCopyMode = enum_of(kCopyModes);
constexpr const Shape* kCarryChoices[] = {&kTexts, &kRuleNames};
constexpr Shape kCarry = one_of(kCarryChoices);
constexpr Member kCopyMembers[] = {
    {"kind", &kCopyKind, "The kind of copy.", kRequired},
    {"from", &kText, "The entity that is copied.", kRequired},
    {"to", &kText, "The entity that is written.", kRequired},
    {"mode", &kCopyMode, "When the copy is written; transaction by default."},
    {"carry", &kCarry, "Fields, or field of `to`: expression over `from`."},
    {"key", &kRuleNames, "The item's key: field of `to`: expression over `from`."},
    {"each", &kText, "For a fanout: a list and a name for its element, as in: tags as tag."},
    {"count", &kText, "For a counter: the field that counts."},
    {"sum", &kRuleNames, "For a counter: fields that sum up an expression over `from`."},
    {"create", &kBool, "For a counter: the item is created with its first count."},
    {"min", &kRuleNames, "Not possible for a counter; an aggregate pattern computes the least value."},
    {"max", &kRuleNames, "Not possible for a counter; an aggregate pattern computes the greatest value."},
    {"when", &kRule, "Copies only items of `from` for which this holds."},
};
constexpr Shape kCopy = part_of("copy", kCopyMembers);
constexpr Shape kCopies = names_of(kCopy);

// ---- patterns, operations ----

constexpr Member kParameterMembers[] = {
    {"type", &kType, "The type; by default that of the field of the same name."},
    {"default", &kRule, "An expression that computes the value if missing."},
    {"required", &kBool, "The parameter is required."},
    {"values", &kWords, "The allowed values."},
    {"suggest", &kWords, "The usual values."},
    {"min", &kNumber, "The least value."},
    {"max", &kNumber, "The greatest value."},
    {"min_length", &kCount, "The least number of characters."},
    {"max_length", &kCount, "The greatest number of characters."},
    {"max_items", &kCount, "The greatest number of elements."},
    {"pattern", &kRegex, "A regular expression (RE2) that the whole text matches."},
    {"example", &kAny, "An example value, for people."},
};
constexpr Shape kParameterMap = part_of("parameter", kParameterMembers);
constexpr const Shape* kParameterChoices[] = {&kRule, &kParameterMap};
constexpr Shape kParameter = one_of(kParameterChoices);
constexpr Shape kParameters = names_of(kParameter);

constexpr std::string_view kStatuses[] = {"planned", "served"};
constexpr Shape kStatus = enum_of(kStatuses);
constexpr Shape kAlternatives = list_of(kAnyNames);
constexpr Member kPatternMembers[] = {
    {"get", &kText, "An entity: one item, by the fields of its key."},
    {"query", &kText, "An entity: items with one partition key."},
    {"scan", &kText, "An entity: the whole table, filtered."},
    {"union", &kTexts, "Patterns, run in order."},
    {"aggregate", &kText, "A pattern whose items are grouped and computed with."},
    {"by", &kCarry,
     "For an aggregate: fields, or name: expression over an item; a row for each combination."},
    {"compute", &kTextNames, "For an aggregate: name: count(), sum(x), min(x), max(x) or avg(x)."},
    {"transition", &kText, "ENTITY.LIFECYCLE: served by operations."},
    {"via", &kText, "table, or an index."},
    {"hash", &kTemplate, "The template of the partition key."},
    {"range", &kRange, "A condition on the sort key."},
    {"filter", &kRule, "A condition on the items found."},
    {"order", &kText,
     "asc or desc, or the sort key and asc or desc; for an aggregate, a group or a measure."},
    {"follow", &kText, "A field with a `ref`: the items that it names are returned instead."},
    {"limit", &kCount, "Items per page; for an aggregate, rows."},
    {"consistent", &kBool, "A strongly consistent read."},
    {"params", &kParameters, "Properties of parameters."},
    {"status", &kStatus, "planned: not served yet."},
    {"alternatives", &kAlternatives, "Other ways to serve it."},
};
constexpr Shape kPattern = part_of("pattern", kPatternMembers);
constexpr Shape kPatterns = names_of(kPattern);

constexpr Member kReadMembers[] = {
    {"get", &kText, "The entity.", kRequired},
    {"key", &kRuleNames, "The item's key; by default the parameters of the same name."},
    {"required", &kBool, "Whether the operation is refused if the item is missing."},
};
constexpr Shape kRead = map_of("read", kReadMembers);
constexpr Shape kReads = names_of(kRead);

constexpr Member kRequirementMembers[] = {
    {"that", &kRule, "The condition.", kRequired},
    {"otherwise", &kText, "The refusal's name."},
};
constexpr Shape kRequirementMap = map_of("requirement", kRequirementMembers);
constexpr const Shape* kRequirementChoices[] = {&kRule, &kRequirementMap};
constexpr Shape kRequirement = one_of(kRequirementChoices);
constexpr Shape kRequirementList = list_of(kRequirement);
constexpr const Shape* kRequireChoices[] = {&kRule, &kRequirementMap, &kRequirementList};
constexpr Shape kRequire = one_of(kRequireChoices);

constexpr std::string_view kIfExistsWords[] = {"return"};
constexpr Shape kIfExists = enum_of(kIfExistsWords);
constexpr Member kStepMembers[] = {
    {"put", &kText, "Writes an item of this entity."},
    {"update", &kText, "Changes an item of this entity."},
    {"delete", &kText, "Deletes an item of this entity."},
    {"check", &kText, "Checks an item of this entity."},
    {"transition", &kText, "ENTITY.TRANSITION: an update by a transition."},
    {"key", &kRuleNames, "The item's key; by default the parameters of the same name."},
    {"set", &kRuleNames, "Fields and their values."},
    {"remove", &kTexts, "Fields to remove."},
    {"take", &kTextOrTexts,
     "Fields to set from the parameters of the same name, if these are given; or all."},
    {"exists", &kBool, "Whether the item must exist."},
    {"if_exists", &kIfExists, "return: if the item exists, the operation does nothing and returns it."},
    {"require", &kRequire, "Conditions on the stored item."},
    {"otherwise", &kText, "The refusal's name for the whole step."},
    {"when", &kRule, "The step is taken only if this holds."},
    {"as", &kText, "A name for the written item."},
    {"each", &kText, "A pattern and a name for its item, as in: commentsOf as comment."},
};
constexpr Shape kStep = map_of("step", kStepMembers);
constexpr Shape kSteps = list_of(kStep);
constexpr Member kIdempotentMembers[] = {
    {"param", &kText, "The parameter that identifies a request.", kRequired},
    {"within", &kTextOrTexts, "Parameters: the same id within another scope is another request."},
};
constexpr Shape kIdempotentMap = map_of("idempotentBy", kIdempotentMembers);
constexpr const Shape* kIdempotentChoices[] = {&kText, &kIdempotentMap};
constexpr Shape kIdempotent = one_of(kIdempotentChoices);
constexpr Member kOperationMembers[] = {
    {"params", &kParameters, "Properties of parameters."},
    {"idempotent_by", &kIdempotent, "The parameter that identifies a request, alone or within a scope."},
    {"read", &kReads, "Items to read first."},
    {"steps", &kSteps, "The writes, in one transaction.", kRequired},
    {"returns", &kText,
     "The result: the name of a step or of an item read; by default the item that a single step puts."},
};
constexpr Shape kOperation = part_of("operation", kOperationMembers);
constexpr Shape kOperations = names_of(kOperation);

// ---- consequences ----

constexpr std::string_view kChangeWords[] = {"create", "update", "delete"};
constexpr Shape kChangeKind = enum_of(kChangeWords);
constexpr Shape kChangeKinds = list_of(kChangeKind);
constexpr const Shape* kOnChoices[] = {&kChangeKind, &kChangeKinds};
constexpr Shape kOn = one_of(kOnChoices);
constexpr Member kRelatedMembers[] = {
    {"get", &kText, "The entity.", kRequired},
    {"key", &kRuleNames, "The item's key; by default the fields of the same name."},
};
constexpr Shape kRelated = map_of("related", kRelatedMembers);
constexpr Shape kRelatedNames = names_of(kRelated);
constexpr Member kThenMembers[] = {
    {"put", &kText, "The entity of the new item.", kRequired},
    {"set", &kRuleNames, "Its fields; missing fields of its key have the values of the same name."},
};
constexpr Shape kThen = map_of("then", kThenMembers);
constexpr Member kConsequenceMembers[] = {
    {"of", &kTextOrTexts, "The entities whose changes have the consequence.", kRequired},
    {"on", &kOn, "The changes: create, update, delete; all of them by default."},
    {"read", &kRelatedNames, "Other items that `when` and `set` use."},
    {"when", &kRule, "Only changes of the fields in this condition that make it hold have the consequence."},
    {"then", &kThen, "The item that is written in the same transaction.", kRequired},
};
constexpr Shape kConsequence = part_of("consequence", kConsequenceMembers);
constexpr Shape kConsequences = names_of(kConsequence);

// ---- the rest ----

constexpr std::string_view kForever[] = {"forever"};
constexpr Shape kKeep = enum_of(kForever);
constexpr std::string_view kArchives[] = {"s3", "folder"};
constexpr Shape kArchive = enum_of(kArchives);
constexpr std::string_view kDeletes[] = {"soft"};
constexpr Shape kDelete = enum_of(kDeletes);
constexpr Member kRetentionMembers[] = {
    {"keep", &kKeep, "forever: items are never removed."},
    {"expire", &kWord, "Items expire after `after`, by the table's ttl."},
    {"archive", &kArchive, "Where items are archived after `after`."},
    {"delete", &kDelete, "soft: `attribute` marks deleted items."},
    {"after", &kDuration, "The age of the items."},
    {"by", &kText, "The attribute with the time."},
    {"attribute", &kText, "The attribute that marks deleted items."},
    {"why", &kText, "The reason."},
};
constexpr Shape kRetention = part_of("retention", kRetentionMembers);
constexpr Shape kRetentions = names_of(kRetention);

constexpr Member kRoleMembers[] = {
    {"is", &kText, "The holders of the role: logged-in, or a group."},
    {"extends", &kText, "A role whose rights this one includes."},
    {"read", &kTexts, "Entities."},
    {"write", &kTexts, "Entities."},
    {"run", &kTexts, "Patterns and operations."},
    {"own", &kText, "The field with the owner; limits the role to a person's own items."},
    {"import", &kBool, "May bring existing items in: in any state, with their counters and times."},
};
constexpr Shape kRole = part_of("role", kRoleMembers);
constexpr Shape kRoles = names_of(kRole);

constexpr Member kGroupsMembers[] = {
    {"member_of", &kText, "PATTERN.FIELD: the groups of a person, in addition to those in their token."},
    {"permissions", &kText,
     "PATTERN.FIELD: the permissions of a group's members, in addition to their roles."},
    {"for_others", &kTextOrTexts, "Permissions for everybody's items, even if a role is limited by `own`."},
};
constexpr Shape kGroups = map_of("groups", kGroupsMembers);

constexpr Member kCapacityMembers[] = {
    {"items", &kCountNames, "The number of items of each entity."},
    {"daily", &kCountNames, "The runs of each pattern and operation per day."},
    {"mode", &kText, "On-demand or provisioned, in words."},
    {"products", &kWord, "The number of products, in words."},
    {"daily_transactions", &kWord, "The number of transactions per day, in words."},
};
constexpr Shape kCapacity = part_of("capacity", kCapacityMembers);
constexpr Shape kCapacities = names_of(kCapacity);

constexpr Member kIndexPolicyMembers[] = {
    {"max", &kCount, "The maximum number of indexes."},
    {"unless", &kText, "The exception, in words."},
};
constexpr Shape kIndexPolicy = map_of("indexPolicy", kIndexPolicyMembers);
constexpr Member kTablePolicyMembers[] = {{"max", &kCount, "The maximum number of tables."}};
constexpr Shape kTablePolicy = map_of("tablePolicy", kTablePolicyMembers);
constexpr Member kPolicyMembers[] = {
    {"indexes", &kIndexPolicy, "The limit of indexes."},
    {"tables", &kTablePolicy, "The limit of tables."},
    {"authentication", &kText, "The assumptions about it."},
    {"guidance", &kTextOrTexts, "Advice for readers."},
};
constexpr Shape kPolicy = map_of("policy", kPolicyMembers);

constexpr const Shape* kWordOrWordsChoices[] = {&kWord, &kWords};
constexpr Shape kWordOrWords = one_of(kWordOrWordsChoices);
constexpr Member kChangeMembers[] = {
    {"rename_key", &kText, "A key attribute that gets the name `to`."},
    {"rename", &kText, "ENTITY.FIELD that gets the name `to`."},
    {"drop", &kTextOrTexts, "ENTITY.FIELD that is dropped."},
    {"retype", &kText, "ENTITY.FIELD whose type changes."},
    {"add", &kTextOrTexts, "ENTITY.FIELD that is added."},
    {"keep", &kTextOrTexts, "ENTITY.FIELD that stays."},
    {"set", &kAny, "ENTITY.FIELD that gets a value."},
    {"add_entity", &kTextOrTexts, "Entities that are added."},
    {"drop_entity", &kTextOrTexts, "Entities that are dropped."},
    {"add_index", &kTextOrTexts, "Indexes that are added."},
    {"drop_index", &kTextOrTexts, "Indexes that are dropped."},
    {"to", &kWord, "The new name or value."},
    {"was", &kAny, "The old type."},
    {"now", &kAny, "The new type."},
    {"when", &kText, "Changes only items for which this holds."},
    {"value", &kWord, "The new value."},
    {"replaced_by", &kText, "The replacement: a condition, or a sentence for people."},
    {"recompute", &kWordOrWords, "The program that computes the new values."},
    {"why", &kText, "The reason."},
};
constexpr Shape kChange = part_of("change", kChangeMembers);
constexpr Shape kChanges = list_of(kChange);
constexpr Member kRevisionMembers[] = {
    {"from", &kWord, "The older revision.", kRequired},
    {"to", &kWord, "The newer revision.", kRequired},
    {"changes", &kChanges, "The changes, in order."},
};
constexpr Shape kRevision = part_of("revision", kRevisionMembers);
constexpr Shape kRevisions = list_of(kRevision);

constexpr Member kRunMembers[] = {
    {"up", &kText, "The command that starts the server."},
    {"endpoints", &kTextNames, "The addresses of the started server."},
};
constexpr Shape kRun = part_of("run", kRunMembers);

constexpr std::string_view kVersions[] = {"1"};
constexpr Shape kVersion = enum_of(kVersions);
constexpr std::string_view kEnforcements[] = {"strict", "warn", "off"};
constexpr Shape kEnforce = enum_of(kEnforcements);
constexpr Member kDesignMembers[] = {
    {"design", &kVersion, "The version of the language.", kRequired},
    {"name", &kText, "The design's name.", kRequired},
    {"revision", &kWord, "The revision of this design."},
    {"purpose", &kTextOrTexts, "The purpose."},
    {"applies_to", &kTextOrTexts, "The files that the design applies to."},
    {"enforce", &kEnforce, "What happens to a write that breaks the design; strict by default."},
    {"table", &kTable, "The table.", kRequired},
    {"indexes", &kIndexes, "The table's indexes."},
    {"entities", &kEntities, "The kinds of items.", kRequired},
    {"copies", &kCopies, "Items that are written along with others."},
    {"consequences", &kConsequences, "New items that follow from changes of others."},
    {"patterns", &kPatterns, "The access patterns: named reads."},
    {"operations", &kOperations, "The operations: named writes."},
    {"retention", &kRetentions, "How long items are kept, by entity."},
    {"roles", &kRoles, "The permissions of people."},
    {"groups", &kGroups, "Where the table holds group memberships and permissions."},
    {"capacity", &kCapacities, "Sizes to plan for."},
    {"policy", &kPolicy, "Limits that the design observes."},
    {"planned", &kTexts, "Plans for later; never generated."},
    {"revisions", &kRevisions, "How a table of an older revision becomes this one."},
    {"run", &kRun, "How people start it."},
};
constexpr Shape kDesign = part_of("design", kDesignMembers);

constexpr std::array<std::pair<std::string_view, std::int64_t>, 6> kUnits{
    {{"ms", 1}, {"s", 1000}, {"m", 60'000}, {"h", 3'600'000}, {"d", 86'400'000}, {"w", 604'800'000}}};

}  // namespace

const Shape& design_shape() { return kDesign; }

std::vector<Member> all_members(const Shape& shape) {
  std::vector<Member> members(shape.members.begin(), shape.members.end());
  if (shape.noted) members.insert(members.end(), std::begin(kNotes), std::end(kNotes));
  return members;
}

std::optional<std::chrono::milliseconds> parse_duration(std::string_view text) {
  std::int64_t count = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), count);
  if (error != std::errc() || count < 0) return std::nullopt;
  const std::string_view unit = text.substr(static_cast<std::size_t>(end - text.data()));
  const auto* const found =
      std::ranges::find(kUnits, unit, &std::pair<std::string_view, std::int64_t>::first);
  if (found == kUnits.end() || count > std::numeric_limits<std::int64_t>::max() / found->second)
    return std::nullopt;
  return std::chrono::milliseconds(count * found->second);
}

}  // namespace tavola::design
