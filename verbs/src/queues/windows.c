/*
 * Memory windows. The daemon chooses the upper bits of a window's STag, which stay; each bind chooses the last octet:
 * this file for type 1, the program for type 2.
 */
#include <errno.h>
#include <stdlib.h>

#include "objects.h"
#include "queues/post.h"

#define KEY 0xffu
#define PEER_RIGHTS (IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_ATOMIC)

struct window {
    struct ibv_mw ibv;
    rddp_window window;
};

static struct ibv_mw *alloc_mw(struct ibv_pd *pd, enum ibv_mw_type type) {
    if (type != IBV_MW_TYPE_1 && type != IBV_MW_TYPE_2) {
        errno = EINVAL;
        return NULL;
    }
    struct window *window = calloc(1, sizeof *window);
    if (window == NULL) {
        return NULL;
    }
    enum rddp_window_kind kind = type == IBV_MW_TYPE_1 ? RDDP_WINDOW_TYPE_1 : RDDP_WINDOW_TYPE_2;
    int result = rddp_allocate_window(
        device_of(pd->context)->session, kind, domain_of(pd)->number, &window->window);
    if (result != RDDP_OK) {
        verbs_log("no memory window: %s", rddp_error());
        free(window);
        errno = error_of(result);
        return NULL;
    }
    window->ibv = (struct ibv_mw){.context = pd->context, .pd = pd, .rkey = window->window.stag,
        .handle = window->window.number, .type = type};
    domain_of(pd)->uses++;
    return &window->ibv;
}

static int dealloc_mw(struct ibv_mw *ibv) {
    struct window *window = (struct window *)ibv;
    int result = rddp_free_window(device_of(ibv->context)->session, window->window);
    if (result != RDDP_OK && result != RDDP_LOST) {
        verbs_log("the memory window 0x%x is not freed: %s", ibv->rkey, rddp_error());
        return result == RDDP_STATE ? EBUSY : error_of(result);
    }
    domain_of(ibv->pd)->uses--;
    free(window);
    return 0;
}

/* The part of the region, or a piece that the daemon refuses: the bind then completes with an error, in its order. */
static struct rddp_piece piece_of(const struct ibv_mw_bind_info *info) {
    const struct region *region = (const struct region *)info->mr;
    uint64_t offset = info->addr - region->base;
    bool fits = info->addr >= region->base && offset <= region->ibv.length && info->length <= region->ibv.length - offset;
    return fits ? (struct rddp_piece){.stag = region->stag, .offset = offset, .length = info->length}
                : (struct rddp_piece){.stag = 0, .offset = 0, .length = 1};
}

int make_bind(const struct queue_pair *pair, const struct ibv_send_wr *work, enum ibv_mw_type type,
    struct rddp_request *request, struct rddp_piece *piece) {
    const struct ibv_mw *mw = work->bind_mw.mw;
    const struct ibv_mw_bind_info *info = &work->bind_mw.bind_info;
    unsigned rights = rights_of(info->mw_access_flags & PEER_RIGHTS);
    bool opens = info->length > 0;
    /* Only type 1 may be bound to nothing; of type 2, only the key is the program's. */
    if (mw->type != type || (!opens && type == IBV_MW_TYPE_2) || (opens && info->mr == NULL)
        || (work->bind_mw.rkey & ~KEY) != (mw->rkey & ~KEY)) {
        return EINVAL;
    }
    if (mw->pd != pair->ibv.pd || (opens && info->mr->pd != mw->pd)) {
        return EPERM;
    }
    request->remote_stag = ((const struct window *)mw)->window.number;
    request->remote_to = rights;
    request->queue = work->bind_mw.rkey & KEY;
    request->immediate = (info->mw_access_flags & IBV_ACCESS_ZERO_BASED) != 0 ? 0 : info->addr;
    request->piece_count = 0;
    if (opens) {
        *piece = piece_of(info);
        request->piece_count = 1;
    }
    return 0;
}

void offer_windows(struct verbs_context *verbs) {
    verbs->context.ops.alloc_mw = alloc_mw;
    verbs->context.ops.dealloc_mw = dealloc_mw;
}
