// One client's connection: reads requests, passes them to the handler and writes the responses in the order of the
// requests, whatever the order in which they are made.
//
// The path of a request: on_read → process (read_head, read_body or read_chunks, dispatch) → the handler → the Reply →
// Exchange::reply → answered → flush → the transport.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <list>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "http/bytes/read_buffer.h"
#include "http/client.h"
#include "http/exchange.h"
#include "http/options.h"
#include "http/request_parser.h"
#include "http/sockets/transport.h"
#include "http/worker.h"

namespace tavola::http {

// Thread safety: hand_over() from any thread; everything else on the worker's. Invariants:
// (1) Requests [first_ ... last_] are in the order of arrival; only the last may still be in State::Reading.
// (2) A started read ends with on_read or on_read_failed, a started write with on_written; until then the memory it uses is
//     not touched, and the connection lives. It also lives until every Reply of its requests was called or dropped.
// (3) After close() nothing is read, handled or written any more.
class Connection final : public TransportEvents,
                         public ExchangeOwner,
                         public std::enable_shared_from_this<Connection> {
 public:
  Connection(std::shared_ptr<Worker> worker, std::string peer);
  ~Connection() override;

  void start(std::unique_ptr<Transport> transport);
  void on_read(std::size_t bytes) override;
  void on_read_failed() override;
  void on_written(bool ok) override;

  void tick(Worker::Time now);
  void finish();  // the server stops: close after what runs
  void close();   // now

  void hand_over(Exchange& exchange) override;
  void answered(Exchange& exchange) override;

  // Its position in the worker's list.
  std::list<std::shared_ptr<Connection>>::iterator place;

 private:
  enum class Reading : std::uint8_t {
    Head,      // a request line and headers, or nothing yet
    Body,      // of known length
    Chunks,    // a body of unknown length
    Complete,  // a request has arrived
    Paused,    // until responses are sent: too much is waiting
    Draining,  // received bytes are dropped, until the client has seen the last response
    Ended,     // no further request will be read
  };
  class Event;

  void leave();
  template <class Work>
  void guarded(Work work);

  void pump();
  void process();
  bool read_head();
  bool prepare_body();
  bool has_room_for_body();
  bool admit();
  bool knows_sender();
  bool grow_body(std::size_t size);
  std::uint64_t missing_bytes() const;
  std::uint64_t body_bytes_max() const;
  bool keep_body(std::string_view bytes);
  bool read_body();
  bool read_chunks();
  void dispatch();
  bool may_take_long(const Exchange& exchange) const;
  void end_of_input();
  void refuse(const Refusal& why);
  void refuse(Exchange& exchange, Response response);
  Response refusal(const Exchange& of, Refusal why) const;
  void settle(Exchange& exchange, Response response);
  bool may_read_ahead() const;
  bool memory_is_used_up() const;
  void read_more();
  void begin_deadline(std::chrono::milliseconds timeout);
  void set_read_deadline();
  void read_timed_out();

  bool flush();
  void flush_later();
  bool gather();
  std::size_t gathered_bytes() const;
  void sent();
  void end_writing();
  bool must_give_way(Worker::Time now) const;

  Exchange& begin_exchange();
  void remove_last();

  const Limits& limits() const;
  const Timeouts& timeouts() const;
  bool is_stopping() const;

  std::shared_ptr<Worker> worker_;
  std::string peer_;
  std::shared_ptr<Client> client_;
  std::unique_ptr<Transport> transport_;
  std::shared_ptr<Connection> self_;  // keeps it alive while only Replies are left

  unsigned depth_ = 0;  // of Events
  bool is_closed_ = false;
  bool is_retired_ = false;
  bool is_reading_ = false;  // a read is running
  bool is_writing_ = false;  // a write is running
  bool has_received_ = false;
  bool input_has_ended_ = false;    // the client sends no more
  bool writing_has_ended_ = false;  // and neither do we
  std::size_t unanswered_ = 0;

  Reading reading_ = Reading::Head;
  ReadBuffer in_;
  RequestParser parser_;
  Exchange* current_ = nullptr;  // whose request is being read
  bool head_has_begun_ = false;
  Worker::Time read_deadline_ = Worker::Time::max();
  // While reading or draining a body: the deadline for a silent client, and the bytes received since it was set.
  Worker::Time first_deadline_ = Worker::Time::max();
  std::size_t progress_bytes_ = 0;
  std::size_t drained_bytes_ = 0;

  std::vector<std::unique_ptr<Exchange>> exchanges_;  // all of them
  Exchange* unused_ = nullptr;
  Exchange* first_ = nullptr;
  Exchange* last_ = nullptr;
  std::size_t pipelined_ = 0;
  std::size_t unsent_bytes_ = 0;
  std::size_t expected_answer_bytes_ = std::size_t{1} << 20U;  // a page of Scan, until one is seen

  std::vector<std::string_view> pieces_;  // of the write
  std::size_t leaving_ = 0;               // exchanges that are done when the write is
  bool closes_ = false;                   // the write announces the end
  Worker::Time write_deadline_ = Worker::Time::max();
  Worker::Time gives_way_after_ = Worker::Time::max();  // if others lack the memory that the write holds
};

}  // namespace tavola::http
