#include "exchange/copy.h"

#include <errno.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "exchange/unchecked.h"

UNCHECKED static void copy_octets(uint8_t *to, const uint8_t *from, size_t length) {
#ifdef __x86_64__
    __asm__ volatile("rep movsb" : "+D"(to), "+S"(from), "+c"(length) : : "memory");
#else
    for (size_t i = 0; i < length; i += sizeof(uint64_t)) {
        *(volatile uint64_t *)(to + i) = *(const volatile uint64_t *)(from + i);
    }
#endif
}

UNCHECKED static int protect(uint8_t *memory, const struct exchange *exchange) {
    bool is_protected = exchange->protection == (PROT_READ | PROT_WRITE)
        || mprotect(memory, exchange->length, exchange->protection) == 0;
    return is_protected ? 0 : errno;
}

UNCHECKED static int replace(const struct exchange *exchange) {
    /* Memory that stays mapped where it is keeps its protection there. */
    int error = exchange->is_doubled ? 0 : protect(exchange->memory, exchange);
    if (error != 0) {
        return error;
    }
    void *replaced = mremap(exchange->memory, exchange->is_doubled ? 0 : exchange->length, exchange->length,
        MREMAP_MAYMOVE | MREMAP_FIXED, exchange->place);
    if (replaced == MAP_FAILED) {
        return errno;
    }
    if (exchange->is_locked) {
        /* The limit allowed for the old pages. If it has been lowered since, the memory stays unlocked. */
        syscall(SYS_mlock, exchange->place, exchange->length);
    }
    return exchange->is_doubled ? protect(exchange->place, exchange) : 0;
}

UNCHECKED int copy_and_exchange(const struct exchange *list, size_t count, size_t *done) {
    for (size_t i = 0; i < count; i++) {
        copy_octets(list[i].memory, list[i].source, list[i].length);
        int error = replace(&list[i]);
        if (error != 0) {
            return error;
        }
        *done = i + 1;
    }
    return 0;
}
