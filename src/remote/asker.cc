#include "remote/asker.h"

#include "wire/client/answers.h"
#include "wire/client/batch_answers.h"
#include "wire/client/table_requests.h"

namespace tavola::remote {

std::unexpected<Error> Asker::not_dynamodb() {
  return fail(Error::internal("the endpoint does not respond like DynamoDB"));
}

Result<void> Asker::tell(Again again, Operation operation) {
  TAVOLA_CHECK(client_.send(std::move(operation), again));
  return {};
}

Result<std::string> Asker::arns(const std::string& table) {
  {
    const MutexLock lock(mutex_);
    if (!arns_.empty()) return arns_;
  }
  Result<std::string> learnt = learn_arns(table);
  if (!learnt && learnt.error().code() == ErrorCode::ResourceNotFound) {
    TAVOLA_TRY(const ListTablesResponse others,
               ask(Again::Always, {.name = "ListTables", .body = "{\"Limit\":1}"}, wire::read_list_tables));
    if (others.table_names.empty()) return "arn:aws:dynamodb:us-east-1:000000000000:table/";
    learnt = learn_arns(others.table_names.front());
  }
  if (!learnt) return learnt;
  const MutexLock lock(mutex_);
  arns_ = *learnt;
  return arns_;
}

Result<std::string> Asker::learn_arns(const std::string& table) {
  TAVOLA_TRY(
      const std::string arn,
      ask(Again::Always, {.name = "DescribeTable", .body = wire::table_body(table)}, wire::read_table_arn));
  return arn.substr(0, arn.rfind('/') + 1);
}

}  // namespace tavola::remote
