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
    {"doc", &kText, "What it is, for people."},
    {"origin", &kText, "Where it comes from."},
    {"accept", &kTextNames, "Lints that are meant: code and reason."},
};

// ---- table, indexes ----

constexpr std::string_view kKeyTypes[] = {"string", "number", "binary"};
constexpr Shape kKeyType = enum_of(kKeyTypes);
constexpr Member kKeyAttributeMembers[] = {
    {"name", &kText, "The attribute.", kRequired},
    {"type", &kKeyType, "Its type; string unless said."},
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
    {"hash", &kKeyAttribute, "The hash key.", kRequired},
    {"range", &kKeyAttribute, "The range key."},
    {"billing", &kBilling, "How capacity is paid for."},
    {"entity_attribute", &kText, "The attribute that holds the kind of every item."},
    {"index_keys", &kIndexKeyUse, "dedicated: no index key serves two indexes or is data."},
    {"ttl", &kText, "The attribute with the time of expiry."},
};
constexpr Shape kTable = part_of("table", kTableMembers);

constexpr std::string_view kProjections[] = {"all", "keys"};
constexpr Shape kProjectionWord = enum_of(kProjections);
constexpr const Shape* kProjectionChoices[] = {&kProjectionWord, &kTexts};
constexpr Shape kProjection = one_of(kProjectionChoices);
constexpr Member kIndexMembers[] = {
    {"hash", &kKeyAttribute, "The hash key.", kRequired},
    {"range", &kKeyAttribute, "The range key."},
    {"project", &kProjection, "all, keys, or a list of attributes."},
    {"local", &kBool, "Whether it is a local index, which shares the table's hash key."},
};
constexpr Shape kIndex = part_of("index", kIndexMembers);
constexpr Shape kIndexes = names_of(kIndex);

// ---- entities ----

extern const Shape kAttribute;  // its `of` are attributes again
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
    {"within", &kTexts, "The fields that are the scope."},
    {"otherwise", &kText, "The refusal's name; NOT_UNIQUE unless said."},
};
constexpr Shape kUniqueMap = map_of("unique", kUniqueMembers);
constexpr const Shape* kUniqueChoices[] = {&kBool, &kUniqueMap};
constexpr Shape kUnique = one_of(kUniqueChoices);
constexpr std::string_view kCardinalities[] = {"low", "high"};
constexpr Shape kCardinality = enum_of(kCardinalities);

constexpr Member kAttributeMembers[] = {
    {"type", &kType, "The type; string unless said."},
    {"of", &kOf, "The fields of a map, or of the maps in a list; of a hash, what it is made of."},
    {"required", &kBool, "It must be there."},
    {"immutable", &kBool, "It may not change."},
    {"default", &kAny, "What a missing value becomes when the item is created."},
    {"values", &kWords, "The only values."},
    {"suggest", &kWords, "The usual values."},
    {"min", &kNumber, "The least value."},
    {"max", &kNumber, "The greatest value."},
    {"min_length", &kCount, "The least number of characters."},
    {"max_length", &kCount, "The greatest number of characters."},
    {"max_items", &kCount, "The greatest number of elements."},
    {"pattern", &kRegex, "A regular expression (RE2) that the whole text matches."},
    {"format", &kTemplate, "A template with one placeholder, whose text is added where it is missing."},
    {"raw", &kBool, "It may hold '#'."},
    {"value", &kTemplate, "A template that gives the value."},
    {"derive", &kRule, "An expression that gives the value."},
    {"only", &kRule, "The one value that a client may write, and what is new has: caller()."},
    {"auto", &kAuto, "The moment of the item's creation, last update or last transition."},
    {"when", &kRule, "It is there exactly if this holds."},
    {"generate", &kGenerate, "Made when it is missing at creation."},
    {"ref", &kText, "The entity whose key this is."},
    {"unique", &kUnique, "No two entities have the same value."},
    {"cardinality", &kCardinality, "low: few different values."},
    {"check", &kWordNames, "Examples of a derived value: input and result."},
    {"purpose", &kText, "What it is for."},
    {"store", &kText, "How it is stored, for people."},
    {"example", &kAny, "A value, for people."},
};
constexpr Shape kAttributeMap = part_of("attributeMap", kAttributeMembers);
constexpr const Shape* kAttributeChoices[] = {&kType, &kAttributeMap};
constinit const Shape kAttribute{.kind = ShapeKind::OneOf, .name = "attribute", .choices = kAttributeChoices};

constexpr Member kEntryMembers[] = {
    {"hash", &kTemplate, "The template of the index's hash key.", kRequired},
    {"range", &kTemplate,
     "The template of its range key, or lifecycle(L): the key of that lifecycle's state."},
    {"when", &kRule, "The entry is there only if this holds."},
};
constexpr Shape kEntry = map_of("indexEntry", kEntryMembers);
constexpr Shape kEntries = names_of(kEntry);
constexpr Shape kTemplateNames = names_of(kTemplate);

constexpr Member kStateMembers[] = {
    {"key", &kTemplate, "The key of an index that holds this state."},
    {"initial", &kBool, "The state of what is new; otherwise the first one is."},
    {"terminal", &kBool, "It is not left."},
    {"stuck_after", &kDuration, "When somebody should look."},
};
constexpr Shape kState = part_of("state", kStateMembers);
constexpr Shape kStates = names_of(kState);
constexpr std::string_view kConflicts[] = {"exit", "fail", "retry"};
constexpr Shape kConflict = enum_of(kConflicts);
constexpr Member kTransitionMembers[] = {
    {"from", &kTextOrTexts, "The states it leaves.", kRequired},
    {"to", &kText, "The state it enters.", kRequired},
    {"set", &kRuleNames, "What it sets."},
    {"require", &kTextOrTexts, "The fields that must be there."},
    {"idempotent_by", &kText, "What tells one request from another."},
    {"on_conflict", &kConflict, "What a client does when somebody else was first."},
};
constexpr Shape kTransition = part_of("transition", kTransitionMembers);
constexpr Shape kTransitions = names_of(kTransition);
constexpr Member kLifecycleMembers[] = {
    {"in", &kText, "The attribute, or INDEX.range: where the state is held.", kRequired},
    {"states", &kStates, "The states.", kRequired},
    {"transitions", &kTransitions, "The ways from one to another."},
    {"guarantees", &kTexts, "What one can rely on."},
};
constexpr Shape kLifecycle = part_of("lifecycle", kLifecycleMembers);
constexpr Shape kLifecycles = names_of(kLifecycle);

constexpr Member kExampleMembers[] = {
    {"$state", &kTextNames, "The states, by lifecycle."},
    {"$index", &kAnyNames, "Index keys to compare."},
};
constexpr Shape kExample{.kind = ShapeKind::Map, .name = "example", .of = &kAny, .members = kExampleMembers};
constexpr Shape kExamples = list_of(kExample);

constexpr Member kEntityMembers[] = {
    {"key", &kTemplateNames, "The templates of the table's keys.", kRequired},
    {"ids", &kAttributes, "Fields that live in the keys alone."},
    {"index", &kEntries, "The keys of the indexes in which it is."},
    {"attributes", &kAttributes, "What is stored."},
    {"lifecycles", &kLifecycles, "The states it passes through."},
    {"on_delete", &kTextNames, "What goes with it: entities, by the pattern that finds them."},
    {"examples", &kExamples, "Items that must be what the design says."},
    {"stage", &kText, "When it is built, for people."},
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
    {"kind", &kCopyKind, "What kind of copy it is.", kRequired},
    {"from", &kText, "The entity that is copied.", kRequired},
    {"to", &kText, "The entity that is written along.", kRequired},
    {"mode", &kCopyMode, "When it is written; transaction unless said."},
    {"carry", &kCarry, "Fields, or field of `to`: expression over `from`."},
    {"key", &kRuleNames, "Which item: field of `to`: expression over `from`."},
    {"each", &kText, "Of a fanout: a list and a name for its element, as in: tags as tag."},
    {"count", &kText, "Of a counter: the field that counts."},
    {"sum", &kRuleNames, "Of a counter: fields that sum up an expression over `from`."},
    {"when", &kRule, "Only those of `from` for which this holds."},
};
constexpr Shape kCopy = part_of("copy", kCopyMembers);
constexpr Shape kCopies = names_of(kCopy);

// ---- patterns, operations ----

constexpr Member kParameterMembers[] = {
    {"type", &kType, "The type; that of the field of the same name unless said."},
    {"default", &kRule, "An expression that gives the value when none is given."},
    {"required", &kBool, "It must be given."},
    {"values", &kWords, "The only values."},
    {"suggest", &kWords, "The usual values."},
    {"min", &kNumber, "The least value."},
    {"max", &kNumber, "The greatest value."},
    {"min_length", &kCount, "The least number of characters."},
    {"max_length", &kCount, "The greatest number of characters."},
    {"max_items", &kCount, "The greatest number of elements."},
    {"pattern", &kRegex, "A regular expression (RE2) that the whole text matches."},
    {"example", &kAny, "A value, for people."},
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
    {"query", &kText, "An entity: items with one hash key."},
    {"scan", &kText, "An entity: everything, filtered."},
    {"union", &kTexts, "Patterns, one after the other."},
    {"transition", &kText, "ENTITY.LIFECYCLE: answered by operations."},
    {"via", &kText, "table, or an index."},
    {"hash", &kTemplate, "The template of the hash key."},
    {"range", &kRange, "A condition on the range key."},
    {"filter", &kRule, "A condition on what was found."},
    {"order", &kText, "asc or desc, or the range key and asc or desc."},
    {"limit", &kCount, "Items per page."},
    {"consistent", &kBool, "A strongly consistent read."},
    {"params", &kParameters, "What is said about parameters."},
    {"status", &kStatus, "planned: not served yet."},
    {"alternatives", &kAlternatives, "What else could serve it."},
};
constexpr Shape kPattern = part_of("pattern", kPatternMembers);
constexpr Shape kPatterns = names_of(kPattern);

constexpr Member kReadMembers[] = {
    {"get", &kText, "The entity.", kRequired},
    {"key", &kRuleNames, "Which item; otherwise parameters of the same name."},
    {"required", &kBool, "Whether the operation is refused without it."},
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

constexpr Member kStepMembers[] = {
    {"put", &kText, "The entity of which an item is written."},
    {"update", &kText, "The entity of which an item is changed."},
    {"delete", &kText, "The entity of which an item is removed."},
    {"check", &kText, "The entity of which an item is looked at."},
    {"transition", &kText, "ENTITY.TRANSITION: an update by a transition."},
    {"key", &kRuleNames, "Which item; otherwise parameters of the same name."},
    {"set", &kRuleNames, "Fields and their values."},
    {"remove", &kTexts, "Fields that are removed."},
    {"take", &kTextOrTexts,
     "Fields that are set from parameters of the same name when these are given, or all."},
    {"exists", &kBool, "Whether the item must be there already."},
    {"require", &kRequire, "Conditions on the stored item."},
    {"otherwise", &kText, "The refusal's name for all of the step."},
    {"when", &kRule, "The step is taken only if this holds."},
    {"as", &kText, "A name for what was written."},
    {"each", &kText, "A pattern and a name for its item, as in: commentsOf as comment."},
};
constexpr Shape kStep = map_of("step", kStepMembers);
constexpr Shape kSteps = list_of(kStep);
constexpr Member kOperationMembers[] = {
    {"params", &kParameters, "What is said about parameters."},
    {"idempotent_by", &kText, "The parameter that tells one request from another."},
    {"read", &kReads, "Items that are read first."},
    {"steps", &kSteps, "What is done, all of it or nothing.", kRequired},
    {"returns", &kText, "What is answered: the name of a step or of an item read."},
};
constexpr Shape kOperation = part_of("operation", kOperationMembers);
constexpr Shape kOperations = names_of(kOperation);

// ---- the rest ----

constexpr std::string_view kForever[] = {"forever"};
constexpr Shape kKeep = enum_of(kForever);
constexpr std::string_view kArchives[] = {"s3", "folder"};
constexpr Shape kArchive = enum_of(kArchives);
constexpr std::string_view kDeletes[] = {"soft"};
constexpr Shape kDelete = enum_of(kDeletes);
constexpr Member kRetentionMembers[] = {
    {"keep", &kKeep, "forever: it is never removed."},
    {"expire", &kWord, "It expires after `after`, by the table's ttl."},
    {"archive", &kArchive, "Where it is moved to after `after`."},
    {"delete", &kDelete, "soft: `attribute` marks what is deleted."},
    {"after", &kDuration, "How old it must be."},
    {"by", &kText, "The attribute with the moment."},
    {"attribute", &kText, "The attribute that marks what is deleted."},
    {"why", &kText, "The reason."},
};
constexpr Shape kRetention = part_of("retention", kRetentionMembers);
constexpr Shape kRetentions = names_of(kRetention);

constexpr Member kRoleMembers[] = {
    {"is", &kText, "Who has it: logged-in, or a group."},
    {"extends", &kText, "A role whose rights it has, too."},
    {"read", &kTexts, "Entities."},
    {"write", &kTexts, "Entities."},
    {"run", &kTexts, "Patterns and operations."},
    {"own", &kText, "The field with the owner: only those of one's own."},
};
constexpr Shape kRole = part_of("role", kRoleMembers);
constexpr Shape kRoles = names_of(kRole);

constexpr Member kGroupsMembers[] = {
    {"member_of", &kText, "PATTERN.FIELD: the groups of a person, besides those in their token."},
    {"permissions", &kText, "PATTERN.FIELD: what the members of a group may do, besides their roles."},
    {"for_others", &kTextOrTexts,
     "Permissions that are for everybody's items, though a role may use its `own` only."},
};
constexpr Shape kGroups = map_of("groups", kGroupsMembers);

constexpr Member kCapacityMembers[] = {
    {"items", &kCountNames, "How many items of each entity."},
    {"daily", &kCountNames, "How often each pattern and operation runs in a day."},
    {"mode", &kText, "On-demand or provisioned, in words."},
    {"products", &kWord, "How many products, in words."},
    {"daily_transactions", &kWord, "How many transactions in a day, in words."},
};
constexpr Shape kCapacity = part_of("capacity", kCapacityMembers);
constexpr Shape kCapacities = names_of(kCapacity);

constexpr Member kIndexPolicyMembers[] = {
    {"max", &kCount, "How many indexes there may be."},
    {"unless", &kText, "When there may be more."},
};
constexpr Shape kIndexPolicy = map_of("indexPolicy", kIndexPolicyMembers);
constexpr Member kTablePolicyMembers[] = {{"max", &kCount, "How many tables there may be."}};
constexpr Shape kTablePolicy = map_of("tablePolicy", kTablePolicyMembers);
constexpr Member kPolicyMembers[] = {
    {"indexes", &kIndexPolicy, "The limit of indexes."},
    {"tables", &kTablePolicy, "The limit of tables."},
    {"authentication", &kText, "What is assumed about it."},
    {"guidance", &kTextOrTexts, "What to keep in mind."},
};
constexpr Shape kPolicy = map_of("policy", kPolicyMembers);

constexpr const Shape* kWordOrWordsChoices[] = {&kWord, &kWords};
constexpr Shape kWordOrWords = one_of(kWordOrWordsChoices);
constexpr Member kChangeMembers[] = {
    {"rename_key", &kText, "A key attribute that gets the name `to`."},
    {"rename", &kText, "ENTITY.FIELD that gets the name `to`."},
    {"drop", &kTextOrTexts, "ENTITY.FIELD that is no more."},
    {"retype", &kText, "ENTITY.FIELD whose type changes."},
    {"add", &kTextOrTexts, "ENTITY.FIELD that is new."},
    {"keep", &kTextOrTexts, "ENTITY.FIELD that stays."},
    {"set", &kAny, "ENTITY.FIELD that gets a value."},
    {"add_entity", &kTextOrTexts, "Entities that are new."},
    {"drop_entity", &kTextOrTexts, "Entities that are no more."},
    {"add_index", &kTextOrTexts, "Indexes that are new."},
    {"drop_index", &kTextOrTexts, "Indexes that are no more."},
    {"to", &kWord, "The new name or value."},
    {"was", &kAny, "The old type."},
    {"now", &kAny, "The new type."},
    {"when", &kText, "Only those for which this holds."},
    {"value", &kWord, "The new value."},
    {"replaced_by", &kText, "What says the same now."},
    {"recompute", &kWordOrWords, "Who makes the new values."},
    {"why", &kText, "The reason."},
};
constexpr Shape kChange = part_of("change", kChangeMembers);
constexpr Shape kChanges = list_of(kChange);
constexpr Member kRevisionMembers[] = {
    {"from", &kWord, "The older revision.", kRequired},
    {"to", &kWord, "The newer revision.", kRequired},
    {"changes", &kChanges, "What changes, in order."},
};
constexpr Shape kRevision = part_of("revision", kRevisionMembers);
constexpr Shape kRevisions = list_of(kRevision);

constexpr Member kRunMembers[] = {
    {"up", &kText, "The command that starts it."},
    {"endpoints", &kTextNames, "Where it answers then."},
};
constexpr Shape kRun = part_of("run", kRunMembers);

constexpr std::string_view kVersions[] = {"1"};
constexpr Shape kVersion = enum_of(kVersions);
constexpr std::string_view kEnforcements[] = {"strict", "warn", "off"};
constexpr Shape kEnforce = enum_of(kEnforcements);
constexpr Member kDesignMembers[] = {
    {"design", &kVersion, "The version of the language.", kRequired},
    {"name", &kText, "The design's name.", kRequired},
    {"revision", &kWord, "Which revision this is."},
    {"purpose", &kTextOrTexts, "What it is for."},
    {"applies_to", &kTextOrTexts, "The files for which it counts."},
    {"enforce", &kEnforce, "What happens to a write that breaks the design; strict unless said."},
    {"table", &kTable, "The table.", kRequired},
    {"indexes", &kIndexes, "The table's indexes."},
    {"entities", &kEntities, "The kinds of items.", kRequired},
    {"copies", &kCopies, "What is written along with something else."},
    {"patterns", &kPatterns, "The questions that are asked."},
    {"operations", &kOperations, "The changes that are made."},
    {"retention", &kRetentions, "How long things are kept, by entity."},
    {"roles", &kRoles, "Who may do what."},
    {"groups", &kGroups, "Where the table tells who is in which group, and what a group permits."},
    {"capacity", &kCapacities, "Sizes to plan for."},
    {"policy", &kPolicy, "Limits that the design keeps."},
    {"planned", &kTexts, "What is meant for later; never generated."},
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
