// A process that has ended, for what is told by whose process lives.
#pragma once

#include <sys/wait.h>
#include <unistd.h>

#include "formats/files/file_owner.h"

namespace penstock::testing {

// What a child of this process was.
inline FileOwner EndedProcess() {
  int pipe_ends[2];
  FileOwner owner;
  if (pipe(pipe_ends) != 0) return owner;
  const pid_t child = fork();
  if (child == 0) {
    owner = ThisProcess();
    _exit(write(pipe_ends[1], &owner, sizeof(owner)) == sizeof(owner) ? 0 : 1);
  }
  const bool got = read(pipe_ends[0], &owner, sizeof(owner)) == sizeof(owner);
  close(pipe_ends[0]);
  close(pipe_ends[1]);
  waitpid(child, nullptr, 0);
  return got ? owner : FileOwner();
}

}  // namespace penstock::testing
