#include "server/console/guarded_reply.h"

#include <memory>
#include <utility>

#include "http/pages/page_answers.h"
#include "server/v1/problem.h"

namespace tavola::server {
namespace {

// A target deletes itself when it has answered: a Reply calls exactly one of its functions.
class ProtectedTarget final : public http::ReplyTarget {
 public:
  explicit ProtectedTarget(http::Reply next) : next_(std::move(next)) {}
  void reply(http::Response response) override {
    const std::unique_ptr<ProtectedTarget> self(this);
    http::protect(response);
    next_(std::move(response));
  }
  void dropped() override { delete this; }

 private:
  http::Reply next_;
};

class DurableTarget final : public http::ReplyTarget {
 public:
  DurableTarget(store::Store& store, http::Reply next) : store_(store), next_(std::move(next)) {}
  void reply(http::Response response) override {
    response_ = std::move(response);
    store_.when_durable([self = std::shared_ptr<DurableTarget>(this)](const Result<void>& durable) {
      self->next_(durable ? std::move(self->response_) : to_response(problem_of(durable.error())));
    });
  }
  void dropped() override { delete this; }

 private:
  store::Store& store_;
  http::Reply next_;
  http::Response response_;
};

}  // namespace

http::Reply protected_reply(http::Reply reply) { return http::Reply(*new ProtectedTarget(std::move(reply))); }

http::Reply durable_reply(store::Store& store, http::Reply reply) {
  return http::Reply(*new DurableTarget(store, std::move(reply)));
}

}  // namespace tavola::server
