#include "server/admin/request_gate.h"

namespace tavola::server {
namespace {

// How many passages this thread holds. Only the outermost one locks: a second lock could wait for a writer that waits for the first.
thread_local int passages = 0;

}  // namespace

RequestGate::Passage::Passage(RequestGate* gate) : gate_(gate) {
  if (gate_ != nullptr && passages++ == 0) gate_->mutex_.lock_shared();
}

RequestGate::Passage::~Passage() {
  if (gate_ != nullptr && --passages == 0) gate_->mutex_.unlock_shared();
}

}  // namespace tavola::server
