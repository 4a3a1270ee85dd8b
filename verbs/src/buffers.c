/* Buffers of libibverbs' allocation (ibv_alloc_buf, rdma-core 65): ordinary memory of whole pages. */
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "objects.h"

/* Declared by newer headers only. */
struct ibv_buf {
    char *octets;
    size_t size;
};

VERBS void *ibv_alloc_buf(struct ibv_pd *pd, size_t size, struct ibv_buf **made) {
    (void)pd;
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    if (size == 0 || size > SIZE_MAX - page) {
        errno = size == 0 ? EINVAL : ENOMEM;
        return NULL;
    }
    struct ibv_buf *buffer = malloc(sizeof *buffer);
    if (buffer == NULL) {
        return NULL;
    }
    buffer->size = size;
    buffer->octets = aligned_alloc(page, (size + page - 1) / page * page);
    if (buffer->octets == NULL) {
        free(buffer);
        errno = ENOMEM;
        return NULL;
    }
    *made = buffer;
    return buffer->octets;
}

VERBS void ibv_free_buf(struct ibv_buf *buffer) {
    free(buffer->octets);
    free(buffer);
}

VERBS struct ibv_mr *ibv_reg_buf_mr(struct ibv_pd *pd, struct ibv_buf *buffer, void *address, size_t length, int access) {
    size_t offset = (uintptr_t)address - (uintptr_t)buffer->octets;
    if (offset > buffer->size || length > buffer->size - offset) {
        errno = EINVAL;
        return NULL;
    }
    return ibv_reg_mr_iova2(pd, address, length, (uintptr_t)address, (unsigned)access);
}
