#include "taking_copy.h"

#include <errno.h>
#include <sys/mman.h>

#include "taking_unchecked.h"

UNCHECKED static void copy_octets(uint8_t *to, const uint8_t *from, size_t length) {
#ifdef __x86_64__
    __asm__ volatile("rep movsb" : "+D"(to), "+S"(from), "+c"(length) : : "memory");
#else
    for (size_t i = 0; i < length; i += sizeof(uint64_t)) {
        *(volatile uint64_t *)(to + i) = *(const volatile uint64_t *)(from + i);
    }
#endif
}

UNCHECKED static int replace(const struct exchange *exchange) {
    void *replaced = mremap(exchange->memory, exchange->is_doubled ? 0 : exchange->length, exchange->length,
        MREMAP_MAYMOVE | MREMAP_FIXED, exchange->place);
    if (replaced == MAP_FAILED) {
        return errno;
    }
    if (exchange->protection != (PROT_READ | PROT_WRITE)) {
        /* Cannot fail: what is replaced is a mapping of its own, so none has to be split. */
        mprotect(exchange->place, exchange->length, exchange->protection);
    }
    return 0;
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
