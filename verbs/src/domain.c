/* Protection domains and memory regions. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "objects.h"

#undef ibv_reg_mr
#undef ibv_reg_mr_iova

#define REMOTE_ACCESS (IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_ATOMIC)
#define KNOWN_ACCESS (IBV_ACCESS_LOCAL_WRITE | REMOTE_ACCESS | IBV_ACCESS_MW_BIND)
/* The lower bits are an index, as in numbers of connections. */
#define LKEY_GENERATIONS (1u << (32 - INDEX_BITS))

/* Takes a number that no protection domain of the device has; 0 if there is none. */
static uint32_t take_domain_number(struct device *device) {
    uint32_t number = 1;
    pthread_mutex_lock(&device->control);
    while (number < MOST_DOMAINS && device->domains[number] != 0) {
        number++;
    }
    if (number < MOST_DOMAINS) {
        device->domains[number] = 1;
        device->objects++;
    }
    pthread_mutex_unlock(&device->control);
    return number < MOST_DOMAINS ? number : 0;
}

VERBS struct ibv_pd *ibv_alloc_pd(struct ibv_context *context) {
    struct domain *domain = calloc(1, sizeof *domain);
    if (domain == NULL) {
        return NULL;
    }
    domain->number = take_domain_number(device_of(context));
    if (domain->number == 0) {
        verbs_log("no more than %d protection domains", MOST_DOMAINS - 1);
        free(domain);
        errno = ENOMEM;
        return NULL;
    }
    domain->ibv.context = context;
    return &domain->ibv;
}

VERBS int ibv_dealloc_pd(struct ibv_pd *ibv) {
    struct domain *domain = domain_of(ibv);
    if (domain->uses > 0) {
        return EBUSY;
    }
    struct device *device = device_of(ibv->context);
    pthread_mutex_lock(&device->control);
    device->domains[domain->number] = 0;
    device->objects--;
    pthread_mutex_unlock(&device->control);
    free(domain);
    return 0;
}

unsigned rights_of(unsigned access) {
    unsigned rights = 0;
    rights |= (access & IBV_ACCESS_LOCAL_WRITE) != 0 ? RDDP_LOCAL_WRITE : 0u;
    rights |= (access & IBV_ACCESS_REMOTE_READ) != 0 ? RDDP_REMOTE_READ : 0u;
    rights |= (access & IBV_ACCESS_REMOTE_WRITE) != 0 ? RDDP_REMOTE_WRITE : 0u;
    rights |= (access & IBV_ACCESS_REMOTE_ATOMIC) != 0 ? RDDP_REMOTE_ATOMIC : 0u;
    rights |= (access & IBV_ACCESS_MW_BIND) != 0 ? RDDP_MW_BIND : 0u;
    return rights;
}

/* Gives a region a unique key, under control. 0 is never a key. */
static bool add_region(struct device *device, struct region *region) {
    for (uint32_t tries = 0; tries < 1u << INDEX_BITS; tries++) {
        uint32_t number = ++device->last_region;
        uint32_t key = (number & ((1u << INDEX_BITS) - 1)) | (number / (1u << INDEX_BITS) % LKEY_GENERATIONS) << INDEX_BITS;
        if (key != 0 && find_object(&device->regions, key) == NULL) {
            region->ibv.lkey = key;
            return add_object(&device->regions, key, region);
        }
    }
    return false;
}

/* Whether rights can be had, and go together. Returns an errno value. */
static int check_access(unsigned access) {
    if ((access & ~(unsigned)(KNOWN_ACCESS | IBV_ACCESS_OPTIONAL_RANGE)) != 0) {
        return EOPNOTSUPP;  /* on demand, zero based, huge pages */
    }
    bool changes = (access & (IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_ATOMIC)) != 0;
    return changes && (access & IBV_ACCESS_LOCAL_WRITE) == 0 ? EINVAL : 0;
}

/* Registers memory for a region, which has its new domain, address, length, base and rights. Returns an errno value. */
static int enroll(struct region *region) {
    const struct ibv_mr *ibv = &region->ibv;
    int error = ibv->length == 0 ? EINVAL : check_access(region->access);
    if (error != 0) {
        return error;
    }
    struct memory_request request = {.session = device_of(ibv->context)->session, .address = ibv->addr,
        .length = ibv->length, .base = region->base, .access = rights_of(region->access),
        .domain = domain_of(ibv->pd)->number};
    error = register_memory(&request, &region->registration);
    if (error != 0) {
        verbs_log("%zu octets at %p are not registered: %s", ibv->length, ibv->addr, rddp_error());
        return error;
    }
    region->stag = region->registration->stag;
    region->ibv.rkey = region->stag;
    verbs_log("%zu octets at %p are registered: rkey 0x%x, rights %u, base 0x%lx", ibv->length, ibv->addr, region->stag, request.access,
        (unsigned long)region->registration->base);
    return 0;
}

VERBS struct ibv_mr *ibv_reg_mr_iova2(struct ibv_pd *pd, void *address, size_t length, uint64_t base, unsigned access) {
    struct device *device = device_of(pd->context);
    struct region *region = calloc(1, sizeof *region);
    if (region == NULL) {
        return NULL;
    }
    region->base = base;
    region->access = access;
    region->ibv = (struct ibv_mr){.context = pd->context, .pd = pd, .addr = address, .length = length};
    int error = enroll(region);
    if (error != 0) {
        free(region);
        errno = error;
        return NULL;
    }
    pthread_mutex_lock(&device->control);
    bool added = add_region(device, region);
    pthread_mutex_unlock(&device->control);
    if (!added) {
        (void)!deregister_memory(region->registration);
        free(region);
        errno = ENOMEM;
        return NULL;
    }
    domain_of(pd)->uses++;
    return &region->ibv;
}

VERBS struct ibv_mr *ibv_reg_mr_iova(struct ibv_pd *pd, void *address, size_t length, uint64_t base, int access) {
    return ibv_reg_mr_iova2(pd, address, length, base, (unsigned)access);
}

VERBS struct ibv_mr *ibv_reg_mr(struct ibv_pd *pd, void *address, size_t length, int access) {
    return ibv_reg_mr_iova2(pd, address, length, (uintptr_t)address, (unsigned)access);
}

VERBS int ibv_dereg_mr(struct ibv_mr *ibv) {
    struct region *region = (struct region *)ibv;
    struct device *device = device_of(ibv->context);
    int error = deregister_memory(region->registration);
    if (error != 0) {
        verbs_log("a region of %zu octets is not deregistered: %s", ibv->length, rddp_error());
        return error;
    }
    pthread_mutex_lock(&device->control);
    remove_object(&device->regions, ibv->lkey);
    pthread_mutex_unlock(&device->control);
    domain_of(ibv->pd)->uses--;
    free(region);
    return 0;
}

static int refuse_change(int error) {
    errno = error;
    return IBV_REREG_MR_ERR_INPUT;  /* the region is as it was */
}

/* The lkey stays. Registered anew before the old registration ends: what cannot be had leaves the region as it was. */
VERBS int ibv_rereg_mr(struct ibv_mr *ibv, int flags, struct ibv_pd *pd, void *address, size_t length, int access) {
    struct region *region = (struct region *)ibv, changed = *region;
    bool moves = (flags & IBV_REREG_MR_CHANGE_TRANSLATION) != 0, governs = (flags & IBV_REREG_MR_CHANGE_ACCESS) != 0;
    if (flags == 0 || (flags & ~IBV_REREG_MR_FLAGS_SUPPORTED) != 0 || (moves && (address == NULL || length == 0))
        || (access != 0 && !governs)) {
        return refuse_change(EINVAL);
    }
    if (moves) {
        changed.ibv.addr = address;
        changed.ibv.length = length;
        changed.base = (uintptr_t)address;
    }
    changed.access = governs ? (unsigned)access : region->access;
    changed.ibv.pd = (flags & IBV_REREG_MR_CHANGE_PD) != 0 ? pd : ibv->pd;
    int error = enroll(&changed);
    if (error != 0) {
        return refuse_change(error);
    }
    error = deregister_memory(region->registration);
    if (error != 0) {
        verbs_log("a region of %zu octets is not changed: %s", ibv->length, rddp_error());
        (void)!deregister_memory(changed.registration);
        return refuse_change(error);
    }
    domain_of(changed.ibv.pd)->uses++;
    domain_of(ibv->pd)->uses--;
    *region = changed;
    return 0;
}

/* ---- Pieces ---- */

/* A piece that the daemon refuses: the request completes with a protection error, in its order. */
static const struct rddp_piece REFUSED_PIECE = {.stag = 0, .offset = 0, .length = 1};

int make_pieces(struct device *device, const struct ibv_pd *domain, const struct ibv_sge *list, int count,
    struct rddp_piece *pieces, unsigned *made, bool *refused) {
    if (count < 0 || count > MAX_PIECES) {
        return EINVAL;
    }
    unsigned number = 0;
    for (int i = 0; i < count; i++) {
        if (list[i].length == 0) {
            continue;
        }
        const struct region *region = find_object(&device->regions, list[i].lkey);
        bool usable = region != NULL && region->ibv.lkey == list[i].lkey && region->ibv.pd == domain
            && list[i].addr >= region->base && list[i].addr - region->base <= region->ibv.length
            && list[i].length <= region->ibv.length - (list[i].addr - region->base);
        if (!usable && refused != NULL) {
            *refused = true;
        }
        pieces[number++] = usable
            ? (struct rddp_piece){.stag = region->stag, .offset = list[i].addr - region->base, .length = list[i].length}
            : REFUSED_PIECE;
    }
    *made = number;
    return 0;
}
