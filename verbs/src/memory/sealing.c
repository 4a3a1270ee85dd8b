#include "memory/sealing.h"

#include <errno.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Linux 6.3. */
#ifndef MFD_NOEXEC_SEAL
#define MFD_NOEXEC_SEAL 8u
#endif

/* Replaces libc's: what the program does not want to seal itself can be sealed when it is registered. A test has its own. */
__attribute__((visibility("default"), weak)) int memfd_create(const char *name, unsigned flags) {
    return (int)syscall(SYS_memfd_create, name, flags | MFD_ALLOW_SEALING);
}

/* Not executable: a system may forbid executable memfds (sysctl vm.memfd_noexec=2). Older kernels reject the flag. */
int create_sealable(unsigned pages) {
    int descriptor = memfd_create("rddp", MFD_CLOEXEC | MFD_NOEXEC_SEAL | pages);
    return descriptor < 0 && errno == EINVAL ? memfd_create("rddp", MFD_CLOEXEC | MFD_ALLOW_SEALING | pages)
                                             : descriptor;
}
