#include "tests/crash/deferred.h"

#include <charconv>
#include <cstdio>
#include <string>
#include <thread>
#include <unistd.h>
#include <vector>

#include "store/durable_reads.h"
#include "store/store.h"

namespace tavola::crash {

namespace {

using store::Decision;
using store::View;
using store::Write;

const std::vector<std::string> kLastNumber{"last"};

std::string entry_key(std::uint64_t number) {
  std::string digits = std::to_string(number);
  return "entry/" + std::string(12 - digits.size(), '0') + digits;
}

// Values of all lengths, so that records of the log end everywhere and some take many pages.
std::string entry_value(std::uint64_t number) {
  const std::size_t size = number % 16 == 0 ? number * 7919 % 60'000 : number * 7919 % 2'000;
  std::string value = std::to_string(number) + ":";
  while (value.size() < size) value += static_cast<char>('a' + (value.size() + number) % 26);
  return value;
}

std::uint64_t number_of(std::string_view text) {
  std::uint64_t number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

Result<std::uint64_t> write_next(store::Store& store) {
  std::uint64_t number = 0;
  TAVOLA_CHECK(store.transact(kLastNumber, {}, [&](const View& view) -> Result<Decision> {
    number = number_of(view[0].value_or("0")) + 1;
    return Decision{{Write::put(entry_key(number), entry_value(number)),
                     Write::put(kLastNumber.front(), std::to_string(number))},
                    {}};
  }));
  return number;
}

void report_durable(int journal, std::uint64_t number) {
  const std::string line = "D " + std::to_string(number) + "\n";
  if (write(journal, line.data(), line.size()) != static_cast<ssize_t>(line.size())) _exit(98);
}

void write_for_ever(store::Store& store, int journal) {
  while (true) {
    const auto number = write_next(store);
    if (!number) _exit(97);
    store.when_durable([journal, number = *number](const Result<void>& result) {
      if (!result) _exit(98);
      report_durable(journal, number);
    });
  }
}

// A value in a response must not be lost: it is reported as durable, without waiting.
void read_for_ever(const store::Store& store, int journal) {
  std::uint64_t reported = 0;
  while (true) {
    const store::DurableReads reads;
    const auto last = store.get_for_answer(kLastNumber.front());
    if (!last || !reads.saw_only_durable()) _exit(99);
    const std::uint64_t shown = number_of(last->value_or("0"));
    if (shown > reported) report_durable(journal, shown);
    reported = shown;
  }
}

}  // namespace

int write_deferred(const WriterOptions& options) {
  constexpr int kThreads = 3;
  constexpr std::size_t kWriteBufferBytes = std::size_t{2} * 1024 * 1024;  // so that logs change now and then
  const auto opened = store::open_rocks(options.directory, {.durability = store::Durability::Deferred,
                                                            .write_buffer_bytes = kWriteBufferBytes});
  if (!opened) {
    std::fprintf(stderr, "crash_test: cannot open: %s\n", opened.error().message().c_str());
    return 1;
  }
  std::vector<std::jthread> threads;
  threads.reserve(kThreads + 1);
  for (int thread = 0; thread < kThreads; ++thread) {
    threads.emplace_back([&] { write_for_ever(**opened, options.journal_fd); });
  }
  threads.emplace_back([&] { read_for_ever(**opened, options.journal_fd); });
  return 0;
}

std::optional<std::uint64_t> durable_number(std::string_view line) {
  if (!line.starts_with("D ")) return std::nullopt;
  return number_of(line.substr(2));
}

Violations check_deferred(const std::filesystem::path& directory, std::uint64_t durable) {
  const auto opened = store::open_rocks(directory, {});
  if (!opened) return {"the store does not open: " + opened.error().message()};
  Violations found;
  const auto last = (*opened)->get(kLastNumber.front());
  if (!last) return {"the store cannot be read: " + last.error().message()};
  const std::uint64_t count = number_of(last->value_or("0"));
  if (count < durable) {
    found.push_back("write " + std::to_string(durable) + " was durable, the last one is " +
                    std::to_string(count));
  }
  std::uint64_t next = 1;
  const auto snapshot = (*opened)->snapshot();
  const auto cursor = snapshot->range({.from = "entry/", .to = "entry0"}, store::Direction::Forward);
  for (; cursor->valid() && found.empty(); cursor->next(), ++next) {
    if (cursor->key() == entry_key(next) && cursor->value() == entry_value(next) && next <= count) continue;
    found.push_back("instead of entry " + std::to_string(next) + " of " + std::to_string(count) +
                    " there is " + std::string(cursor->key()));
  }
  if (found.empty() && next != count + 1) {
    found.push_back(std::to_string(next - 1) + " entries of " + std::to_string(count));
  }
  if (!write_next(**opened)) found.emplace_back("the store does not take writes");
  return found;
}

}  // namespace tavola::crash
