/* Devices, one for an interface of the daemon, and contexts. All contexts of a device share a session. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "extended.h"
#include "objects.h"

#undef ibv_get_device_list

/* Sizes of the session that programs of verbs need; the daemon gives less if its configuration says so. */
#define MOST_REQUESTS 4096
#define MOST_COMPLETIONS 8192
#define MOST_REGIONS 4096

pthread_mutex_t streams = PTHREAD_MUTEX_INITIALIZER;

static pthread_mutex_t discovery = PTHREAD_MUTEX_INITIALIZER;
static struct device *found;

/* What rdma_cm uses; opened once. */
static struct ibv_context *shared;
static struct ibv_pd *domain;

/* A child has no session; it may open its own. What its parent had open is not for it. */
static void forget_in_child(void) {
    pthread_mutex_init(&discovery, NULL);
    pthread_mutex_init(&streams, NULL);
    found = NULL;
    shared = NULL;
    domain = NULL;
}

__attribute__((constructor)) static void prepare_for_fork(void) {
    pthread_atfork(NULL, NULL, forget_in_child);
}

static rddp_session *open_session(const char *interface) {
    rddp_session *session;
    struct rddp_session_options options = {.interface_name = interface, .send_queue = MOST_REQUESTS,
        .receive_queue = MOST_REQUESTS, .requests = MOST_REQUESTS, .completions = MOST_COMPLETIONS,
        .regions = MOST_REGIONS, .memories = MOST_REGIONS};
    int result = rddp_open(NULL, &options, &session);
    if (result != RDDP_OK) {
        verbs_log("no session: %s", rddp_error());
        errno = error_of(result);
        return NULL;
    }
    return session;
}

static struct device *make_device(const char *interface) {
    rddp_session *session = open_session(interface);
    struct device *device = session == NULL ? NULL : calloc(1, sizeof *device);
    if (device == NULL) {
        rddp_close(session);
        return NULL;
    }
    device->ibv.node_type = IBV_NODE_RNIC;
    device->ibv.transport_type = IBV_TRANSPORT_IWARP;
    strcpy(device->ibv.name, "rddp0");
    strcpy(device->ibv.dev_name, "uverbs0");
    /* Programs look for attributes below these paths, and find none. */
    strcpy(device->ibv.dev_path, "/sys/class/infiniband_verbs/uverbs0");
    strcpy(device->ibv.ibdev_path, "/sys/class/infiniband/rddp0");
    snprintf(device->interface, sizeof device->interface, "%s", rddp_interface_name(session));
    device->address = rddp_interface_address(session);
    pthread_mutex_init(&device->control, NULL);
    pthread_mutex_init(&device->disconnecting, NULL);
    /* A program may fork before it opens the device: the session is only kept while a context is open. */
    rddp_close(session);
    return device;
}

struct device *default_device(void) {
    pthread_mutex_lock(&discovery);
    if (found == NULL) {
        const char *interface = getenv("RDDP_INTERFACE");
        found = make_device(interface == NULL ? "" : interface);
    }
    struct device *device = found;
    pthread_mutex_unlock(&discovery);
    return device;
}

struct device *find_device(uint32_t address) {
    struct device *device = default_device();
    bool is_loopback = address >> 24 == 127;
    if (device != NULL && address != 0 && !is_loopback && address != device->address) {
        errno = EADDRNOTAVAIL;
        return NULL;
    }
    return device;
}

VERBS struct ibv_device **ibv_get_device_list(int *count) {
    struct device *device = default_device();
    struct ibv_device **list = calloc(2, sizeof *list);
    if (list == NULL) {
        return NULL;
    }
    if (device != NULL) {
        list[0] = &device->ibv;
    }
    if (count != NULL) {
        *count = device != NULL;
    }
    return list;
}

VERBS void ibv_free_device_list(struct ibv_device **list) {
    free(list);
}

VERBS const char *ibv_get_device_name(struct ibv_device *ibv) {
    return ibv->name;
}

/* Locally administered, and different for each address. */
VERBS __be64 ibv_get_device_guid(struct ibv_device *ibv) {
    return htobe64(0x0200000000000000 | ((struct device *)ibv)->address);
}

VERBS int ibv_get_device_index(struct ibv_device *ibv) {
    (void)ibv;
    return -1;
}

/* ---- Contexts ---- */

static int start_session(struct device *device) {
    device->session = open_session(device->interface);
    if (device->session == NULL) {
        return -1;
    }
    rddp_session_limits(device->session, &device->limits);
    device->lost = false;
    device->flushed = false;
    device->armed = 0;
    device->reserved = 0;
    int result = start_device_thread(device);
    if (result != 0) {
        rddp_close(device->session);
        device->session = NULL;
        return fails(result);
    }
    pthread_mutex_lock(&device->session->lock);
    device->session->observer = observe;
    device->session->observer_argument = device;
    bool lost = device->session->lost;
    pthread_mutex_unlock(&device->session->lock);
    if (lost) {
        observe(device, 0, NULL);
    }
    return 0;
}

/* The objects are the program's to destroy. */
static void empty_table(struct object_table *table) {
    for (size_t i = 0; i < sizeof table->pages / sizeof table->pages[0]; i++) {
        free(table->pages[i]);
        table->pages[i] = NULL;
    }
}

static void end_session(struct device *device) {
    pthread_mutex_lock(&device->session->lock);
    device->session->observer = NULL;
    pthread_mutex_unlock(&device->session->lock);
    stop_device_thread(device);
    release_memory(device->session);
    rddp_close(device->session);
    device->session = NULL;
    empty_table(&device->regions);
    empty_table(&device->queue_pairs);
    empty_table(&device->shared_queues);
}

static struct context *make_context(struct device *device) {
    struct context *context = calloc(1, sizeof *context);
    if (context == NULL) {
        return NULL;
    }
    context->device = device;
    struct verbs_context *verbs = &context->verbs;
    verbs->sz = sizeof *verbs;
    verbs->context.abi_compat = __VERBS_ABI_IS_EXTENDED;
    verbs->context.device = &device->ibv;
    verbs->context.cmd_fd = -1;
    verbs->context.async_fd = eventfd(0, EFD_SEMAPHORE | EFD_CLOEXEC);
    verbs->context.num_comp_vectors = 1;
    pthread_mutex_init(&verbs->context.mutex, NULL);
    offer_queries(verbs);
    offer_posting(verbs);
    offer_completions(verbs);
    offer_windows(verbs);
    offer_post_api(verbs);
    offer_poll_api(verbs);
    if (verbs->context.async_fd < 0) {
        free(context);
        return NULL;
    }
    return context;
}

VERBS struct ibv_context *ibv_open_device(struct ibv_device *ibv) {
    struct device *device = (struct device *)ibv;
    struct context *context = make_context(device);
    if (context == NULL) {
        return NULL;
    }
    pthread_mutex_lock(&device->control);
    bool usable = device->contexts > 0 || start_session(device) == 0;
    if (usable) {
        device->contexts++;
        pthread_mutex_lock(&streams);
        context->next = device->first_context;
        device->first_context = context;
        pthread_mutex_unlock(&streams);
    }
    pthread_mutex_unlock(&device->control);
    if (!usable) {
        int error = errno;
        close(context->verbs.context.async_fd);
        free(context);
        errno = error;
        return NULL;
    }
    return &context->verbs.context;
}

VERBS int ibv_close_device(struct ibv_context *ibv) {
    struct context *context = context_of(ibv);
    struct device *device = context->device;
    pthread_mutex_lock(&device->control);
    pthread_mutex_lock(&streams);
    struct context **at = &device->first_context;
    while (*at != context) {
        at = &(*at)->next;
    }
    *at = context->next;
    pthread_mutex_unlock(&streams);
    if (--device->contexts == 0) {
        end_session(device);
    }
    pthread_mutex_unlock(&device->control);
    while (context->first != NULL) {
        struct asynchronous_event *event = context->first;
        context->first = event->next;
        free(event);
    }
    close(ibv->async_fd);
    free(context);
    return 0;
}

VERBS struct ibv_context *ibv_import_device(int descriptor) {
    (void)descriptor;
    errno = EOPNOTSUPP;
    return NULL;
}

struct ibv_context *shared_context(struct device *device) {
    pthread_mutex_lock(&discovery);
    if (shared == NULL) {
        shared = ibv_open_device(&device->ibv);
        domain = shared == NULL ? NULL : ibv_alloc_pd(shared);
    }
    struct ibv_context *context = shared;
    pthread_mutex_unlock(&discovery);
    return context;
}

struct ibv_pd *shared_domain(struct device *device) {
    shared_context(device);
    return domain;
}
