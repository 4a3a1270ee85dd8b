#include "memory/shared.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "error.h"
#include "memory/descriptors.h"

static int refuse(const struct mapping_info *mapping, const char *why) {
    fail(RDDP_INVALID, "the shared memory (MAP_SHARED) at %#zx cannot be registered: %s", (size_t)mapping->from, why);
    return EOPNOTSUPP;
}

/* Seals its size, unless that has been done; says whether a registration has sealed all. */
static int seal(int descriptor, const struct mapping_info *mapping, bool *was_registered) {
    int seals = fcntl(descriptor, F_GET_SEALS);
    if (seals < 0) {
        return refuse(mapping, "it is no memfd");
    }
    if ((seals & F_SEAL_SEAL) != 0) {
        return refuse(mapping,
            "holes in its memfd cannot be forbidden: make it with MFD_ALLOW_SEALING, and leave F_SEAL_SEAL out");
    }
    *was_registered = (seals & F_SEAL_FUTURE_WRITE) != 0;
    return fcntl(descriptor, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW) == 0
        ? 0
        : refuse(mapping, "its memfd cannot be sealed (F_ADD_SEALS)");
}

int share_mapping(rddp_session *session, const struct mapping_info *mapping, struct pool **shared) {
    if (mapping->is_segment) {
        return refuse(mapping,
            "of System V's memory, only what is removed (IPC_RMID) and attached once, by this process, can be");
    }
    int descriptor = find_descriptor(mapping);
    if (descriptor < 0) {
        return refuse(mapping,
            "that needs anonymous memory, or a memfd of which this process has a descriptor for writing; files cannot be"
            " sealed");
    }
    bool was_registered = false;
    int error = seal(descriptor, mapping, &was_registered);
    if (error == 0) {
        error = adopt_file(session, descriptor, shared);
        /* The daemon has it only as long as a session has. */
        if (error == EFAULT && was_registered) {
            error = refuse(mapping,
                "it was, with sessions that have ended, and nobody can map it anew since then (F_SEAL_FUTURE_WRITE)");
        }
    }
    close(descriptor);
    return error;
}
