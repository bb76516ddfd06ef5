// A disk with bad sectors, for a program that is started with this library preloaded (LD_PRELOAD):
//
//   $FAULTY_READ     "INODE:OFFSET,…": a read of that file that touches the 4096 bytes from there fails with EIO
//   $SYNCED_LIST     a file; each path that is synced is added to it
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int is_bad(int file, off_t from, size_t bytes) {
  const char* bad = getenv("FAULTY_READ");
  struct stat status;
  if (bad == NULL || fstat(file, &status) != 0) return 0;
  while (*bad != '\0') {
    char* end;
    const unsigned long inode = strtoul(bad, &end, 10);
    const long at = strtol(end + 1, &end, 10);
    if (inode == status.st_ino && from < at + 4096 && from + (off_t)bytes > at) return 1;
    bad = *end == ',' ? end + 1 : end;
  }
  return 0;
}

static off_t place_of(int file) { return lseek(file, 0, SEEK_CUR); }

#define FAIL_IF(bad) \
  if (bad) {         \
    errno = EIO;     \
    return -1;       \
  }
#define REAL(function) ((__typeof__(&function))dlsym(RTLD_NEXT, #function))

ssize_t pread(int file, void* to, size_t bytes, off_t at) {
  FAIL_IF(is_bad(file, at, bytes))
  return REAL(pread)(file, to, bytes, at);
}
ssize_t pread64(int file, void* to, size_t bytes, off64_t at) {
  FAIL_IF(is_bad(file, at, bytes))
  return REAL(pread64)(file, to, bytes, at);
}
ssize_t read(int file, void* to, size_t bytes) {
  FAIL_IF(is_bad(file, place_of(file), bytes))
  return REAL(read)(file, to, bytes);
}
ssize_t sendfile(int to, int file, off_t* at, size_t bytes) {
  FAIL_IF(is_bad(file, at ? *at : place_of(file), bytes))
  ssize_t (*real)(int, int, off_t*, size_t) = (ssize_t(*)(int, int, off_t*, size_t))dlsym(RTLD_NEXT, "sendfile");
  return real(to, file, at, bytes);
}
ssize_t copy_file_range(int file, off64_t* at, int to, off64_t* to_at, size_t bytes, unsigned flags) {
  FAIL_IF(is_bad(file, at ? *at : place_of(file), bytes))
  return REAL(copy_file_range)(file, at, to, to_at, bytes, flags);
}

static void note(int file) {
  const char* list = getenv("SYNCED_LIST");
  char link[64], path[4096];
  snprintf(link, sizeof link, "/proc/self/fd/%d", file);
  const ssize_t bytes = readlink(link, path, sizeof path - 1);
  const int out = list == NULL || bytes < 0 ? -1 : open(list, O_CREAT | O_WRONLY | O_APPEND, 0600);
  if (out < 0) return;
  path[bytes] = '\n';
  if (write(out, path, (size_t)bytes + 1) < 0) perror("write");
  close(out);
}
int fsync(int file) {
  note(file);
  return REAL(fsync)(file);
}
