#include "server/process/start_pages.h"

#include <cstddef>
#include <cstdint>
#include <link.h>
#include <sys/mman.h>
#include <unistd.h>

namespace tavola::server {
namespace {

// Called for the program first, and then for its libraries, which others share.
int give_back(dl_phdr_info* program, std::size_t, void*) {
  const auto page = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
  for (int i = 0; i < program->dlpi_phnum; ++i) {
    const auto& segment = program->dlpi_phdr[i];
    // Pages that are written, also by the loader, exist only in memory.
    if (segment.p_type != PT_LOAD || (segment.p_flags & PF_W) != 0) continue;
    const std::uintptr_t begin = (program->dlpi_addr + segment.p_vaddr + page - 1) / page * page;
    const std::uintptr_t end = (program->dlpi_addr + segment.p_vaddr + segment.p_memsz) / page * page;
    // NOLINTNEXTLINE(performance-no-int-to-ptr): addresses of the program are numbers in its header
    if (begin < end) madvise(reinterpret_cast<void*>(begin), end - begin, MADV_DONTNEED);
  }
  return 1;
}

}  // namespace

void give_back_start_pages() { dl_iterate_phdr(give_back, nullptr); }

}  // namespace tavola::server
