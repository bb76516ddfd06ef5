// AWS's names of the enums in requests and responses, in the order of its messages (dynalite's tests, run against AWS).
#pragma once

#include <tavola/backups.h>
#include <tavola/requests.h>
#include <tavola/streams.h>

#include "expr/language/enum_names.h"

namespace tavola {

// Types of key attributes: AWS's ScalarAttributeType.
template <>
struct EnumNames<Type> {
  static constexpr EnumName<Type> kAll[] = {{"B", Type::Binary}, {"N", Type::Number}, {"S", Type::String}};
};

template <>
struct EnumNames<KeyType> {
  static constexpr EnumName<KeyType> kAll[] = {{"HASH", KeyType::Hash}, {"RANGE", KeyType::Range}};
};

template <>
struct EnumNames<ProjectionType> {
  static constexpr EnumName<ProjectionType> kAll[] = {{"ALL", ProjectionType::All},
                                                      {"INCLUDE", ProjectionType::Include},
                                                      {"KEYS_ONLY", ProjectionType::KeysOnly}};
};

template <>
struct EnumNames<BillingMode> {
  static constexpr EnumName<BillingMode> kAll[] = {{"PROVISIONED", BillingMode::Provisioned},
                                                   {"PAY_PER_REQUEST", BillingMode::PayPerRequest}};
};

template <>
struct EnumNames<TableClass> {
  static constexpr EnumName<TableClass> kAll[] = {
      {"STANDARD", TableClass::Standard},
      {"STANDARD_INFREQUENT_ACCESS", TableClass::StandardInfrequentAccess}};
};

template <>
struct EnumNames<TableStatus> {
  static constexpr EnumName<TableStatus> kAll[] = {{"CREATING", TableStatus::Creating},
                                                   {"UPDATING", TableStatus::Updating},
                                                   {"ACTIVE", TableStatus::Active},
                                                   {"DELETING", TableStatus::Deleting}};
};

template <>
struct EnumNames<StreamView> {
  static constexpr EnumName<StreamView> kAll[] = {{"NEW_IMAGE", StreamView::NewImage},
                                                  {"OLD_IMAGE", StreamView::OldImage},
                                                  {"NEW_AND_OLD_IMAGES", StreamView::NewAndOldImages},
                                                  {"KEYS_ONLY", StreamView::KeysOnly}};
};

template <>
struct EnumNames<BackupStatus> {
  static constexpr EnumName<BackupStatus> kAll[] = {{"CREATING", BackupStatus::Creating},
                                                    {"DELETED", BackupStatus::Deleted},
                                                    {"AVAILABLE", BackupStatus::Available}};
};

template <>
struct EnumNames<BackupType> {
  static constexpr EnumName<BackupType> kAll[] = {{"USER", BackupType::User}, {"SYSTEM", BackupType::System}};
};

template <>
struct EnumNames<BackupTypeFilter> {
  static constexpr EnumName<BackupTypeFilter> kAll[] = {
      {"USER", BackupTypeFilter::User}, {"SYSTEM", BackupTypeFilter::System}, {"ALL", BackupTypeFilter::All}};
};

template <>
struct EnumNames<StreamStatus> {
  static constexpr EnumName<StreamStatus> kAll[] = {{"ENABLING", StreamStatus::Enabling},
                                                    {"ENABLED", StreamStatus::Enabled},
                                                    {"DISABLING", StreamStatus::Disabling},
                                                    {"DISABLED", StreamStatus::Disabled}};
};

template <>
struct EnumNames<ShardIteratorType> {
  static constexpr EnumName<ShardIteratorType> kAll[] = {
      {"AFTER_SEQUENCE_NUMBER", ShardIteratorType::AfterSequenceNumber},
      {"LATEST", ShardIteratorType::Latest},
      {"AT_SEQUENCE_NUMBER", ShardIteratorType::AtSequenceNumber},
      {"TRIM_HORIZON", ShardIteratorType::TrimHorizon}};
};

template <>
struct EnumNames<ChangeKind> {
  static constexpr EnumName<ChangeKind> kAll[] = {
      {"INSERT", ChangeKind::Insert}, {"MODIFY", ChangeKind::Modify}, {"REMOVE", ChangeKind::Remove}};
};

template <>
struct EnumNames<ReturnConsumedCapacity> {
  static constexpr EnumName<ReturnConsumedCapacity> kAll[] = {{"INDEXES", ReturnConsumedCapacity::Indexes},
                                                              {"TOTAL", ReturnConsumedCapacity::Total},
                                                              {"NONE", ReturnConsumedCapacity::None}};
};

template <>
struct EnumNames<ReturnItemCollectionMetrics> {
  static constexpr EnumName<ReturnItemCollectionMetrics> kAll[] = {
      {"SIZE", ReturnItemCollectionMetrics::Size}, {"NONE", ReturnItemCollectionMetrics::None}};
};

template <>
struct EnumNames<ReturnValues> {
  static constexpr EnumName<ReturnValues> kAll[] = {{"ALL_NEW", ReturnValues::AllNew},
                                                    {"UPDATED_OLD", ReturnValues::UpdatedOld},
                                                    {"ALL_OLD", ReturnValues::AllOld},
                                                    {"NONE", ReturnValues::None},
                                                    {"UPDATED_NEW", ReturnValues::UpdatedNew}};
};

template <>
struct EnumNames<ReturnValuesOnConditionCheckFailure> {
  static constexpr EnumName<ReturnValuesOnConditionCheckFailure> kAll[] = {
      {"ALL_OLD", ReturnValuesOnConditionCheckFailure::AllOld},
      {"NONE", ReturnValuesOnConditionCheckFailure::None}};
};

template <>
struct EnumNames<Select> {
  static constexpr EnumName<Select> kAll[] = {{"SPECIFIC_ATTRIBUTES", Select::SpecificAttributes},
                                              {"COUNT", Select::Count},
                                              {"ALL_ATTRIBUTES", Select::AllAttributes},
                                              {"ALL_PROJECTED_ATTRIBUTES", Select::AllProjectedAttributes}};
};

}  // namespace tavola
