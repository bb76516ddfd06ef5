// A disk whose syncs hang or fail, for a program that is started with this library preloaded (LD_PRELOAD). Files say how:
//
//   $FAULTY_SYNC/hold      while it is there, a sync does not end; the file `holding` appears beside it when that of a log waits
//   $FAULTY_SYNC/fail      while it is there, a sync that was not held fails with EIO
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int is_there(const char* name) {
  char path[4096];
  const char* folder = getenv("FAULTY_SYNC");
  if (folder == NULL) return 0;
  snprintf(path, sizeof path, "%s/%s", folder, name);
  return access(path, F_OK) == 0;
}

static void tell(const char* name) {
  char path[4096];
  snprintf(path, sizeof path, "%s/%s", getenv("FAULTY_SYNC"), name);
  const int file = open(path, O_CREAT | O_WRONLY, 0600);
  if (file >= 0) close(file);
}

static int is_log(int file) {
  char link[64];
  char path[4096];
  snprintf(link, sizeof link, "/proc/self/fd/%d", file);
  const ssize_t length = readlink(link, path, sizeof path);
  return length > 4 && memcmp(path + length - 4, ".log", 4) == 0;
}

static int sync_with(const char* function, int file) {
  while (is_there("hold")) {
    if (is_log(file)) tell("holding");
    usleep(1000);
  }
  if (is_there("fail")) {
    errno = EIO;
    return -1;
  }
  int (*real)(int) = (int (*)(int))dlsym(RTLD_NEXT, function);
  return real(file);
}

int fsync(int file) { return sync_with("fsync", file); }
int fdatasync(int file) { return sync_with("fdatasync", file); }
