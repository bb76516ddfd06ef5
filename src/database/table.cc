#include <tavola/table.h>

namespace tavola {
namespace {

Result<std::optional<Item>> unpacked(std::optional<PackedItem> item) {
  std::optional<Item> tree;
  if (item) {
    tree = item->unpack();
  }
  return tree;
}

// The fields that put, update and delete share.
template <class Request>
Result<Request> write_request(const std::string& table, const WriteOptions& options) {
  Request request;
  request.table_name = table;
  request.condition_expression = options.condition;
  request.names = options.names;
  TAVOLA_TRY(request.values, pack(options.values));
  return request;
}

// The fields that query and scan share.
template <class Request>
Result<Request> read_request(const std::string& table, const ReadOptions& options) {
  Request request;
  request.table_name = table;
  request.index_name = options.index;
  request.filter_expression = options.filter;
  request.projection_expression = options.projection;
  request.names = options.names;
  request.limit = options.page_limit;
  request.consistent_read = options.consistent;
  TAVOLA_TRY(request.values, pack(options.values));
  return request;
}

}  // namespace

Result<void> Table::put(const Item& item, const WriteOptions& options) {
  TAVOLA_TRY(auto request, write_request<PutItemRequest>(name_, options));
  TAVOLA_TRY(request.item, pack(item));
  TAVOLA_CHECK(database_.put_item(request));
  return {};
}

Result<std::optional<Item>> Table::get(const Item& key, const GetOptions& options) {
  GetItemRequest request;
  request.table_name = name_;
  TAVOLA_TRY(request.key, pack(key));
  request.consistent_read = options.consistent;
  request.projection_expression = options.projection;
  request.names = options.names;
  TAVOLA_TRY(GetItemResponse response, database_.get_item(request));
  return unpacked(std::move(response.item));
}

Result<Item> Table::update(const Item& key, std::string_view expression, const WriteOptions& options) {
  // A request without an expression would create the item, which nobody means by passing an empty expression.
  if (expression.empty()) {
    return fail(Error::validation("Invalid UpdateExpression: The expression can not be empty;"));
  }
  TAVOLA_TRY(auto request, write_request<UpdateItemRequest>(name_, options));
  TAVOLA_TRY(request.key, pack(key));
  request.update_expression = expression;
  request.return_values = ReturnValues::AllNew;
  TAVOLA_TRY(UpdateItemResponse response, database_.update_item(request));
  return response.attributes ? response.attributes->unpack() : Item();
}

Result<std::optional<Item>> Table::remove(const Item& key, const WriteOptions& options) {
  TAVOLA_TRY(auto request, write_request<DeleteItemRequest>(name_, options));
  TAVOLA_TRY(request.key, pack(key));
  request.return_values = ReturnValues::AllOld;
  TAVOLA_TRY(DeleteItemResponse response, database_.delete_item(request));
  return unpacked(std::move(response.attributes));
}

Items Table::query(std::string_view key_condition, const ReadOptions& options) {
  Result<QueryRequest> request = read_request<QueryRequest>(name_, options);
  if (!request) {
    return {database_, request.error()};
  }
  request->key_condition_expression = key_condition;
  request->scan_index_forward = options.forward;
  return {database_, *std::move(request)};
}

Items Table::scan(const ReadOptions& options) {
  Result<ScanRequest> request = read_request<ScanRequest>(name_, options);
  if (!request) {
    return {database_, request.error()};
  }
  return {database_, *std::move(request)};
}

void Items::advance() {
  while (next_ == page_.items.size() && more_pages_) {
    Result<Page> page = fetch();
    if (!page) {
      more_pages_ = false;
      page_.items.clear();
      next_ = 0;
      current_ = fail(page.error());
      return;
    }
    page_ = *std::move(page);
    next_ = 0;
    more_pages_ = page_.last_evaluated_key.has_value();
  }
  if (next_ == page_.items.size()) {
    current_.reset();
    return;
  }
  current_ = page_.items[next_++].unpack();
}

Result<Page> Items::fetch() {
  if (const auto* error = std::get_if<Error>(&request_)) {
    return fail(*error);
  }
  if (auto* query = std::get_if<QueryRequest>(&request_)) {
    query->exclusive_start_key = page_.last_evaluated_key;
    return database_->query(*query);
  }
  auto& scan = std::get<ScanRequest>(request_);
  scan.exclusive_start_key = page_.last_evaluated_key;
  return database_->scan(scan);
}

}  // namespace tavola
