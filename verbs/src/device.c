/* Contexts. All contexts of a device share a session. */
#include <errno.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "objects.h"
#include "queues/extended.h"

/* Sizes of the session that programs of verbs need; the daemon gives less if its configuration says so. */
#define MOST_REQUESTS 4096
#define MOST_COMPLETIONS 8192
#define MOST_REGIONS 4096

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

/*
 * Switches the device to a session, and closes the unused one. Returns 0, or -1 with errno: the device keeps its old
 * one.
 */
static int use_session(struct device *device, rddp_session *session) {
    rddp_session *before = device->session;
    bool was_lost = device->lost;
    device->session = session;
    device->lost = false;
    device->flushed = false;
    device->armed = 0;
    device->reserved = 0;
    int result = start_device_thread(device);
    if (result != 0) {
        rddp_close(session);
        device->session = before;
        device->lost = was_lost;
        return fails(result);
    }
    rddp_session_limits(session, &device->limits);
    observe_session(session, &stream_observer, device);
    return 0;
}

static int start_session(struct device *device) {
    rddp_session *session = open_session(device->interface.name);
    return session == NULL ? -1 : use_session(device, session);
}

/* The program destroys the objects. */
static void empty_table(struct object_table *table) {
    for (size_t i = 0; i < sizeof table->pages / sizeof table->pages[0]; i++) {
        free(table->pages[i]);
        table->pages[i] = NULL;
    }
}

/* Stops all that reports to the device or serves it. */
static void leave_session(struct device *device) {
    observe_session(device->session, NULL, NULL);
    stop_device_thread(device);
}

static void close_session(struct device *device, rddp_session *session) {
    release_memory(session);
    rddp_close(session);
    empty_table(&device->regions);
    empty_table(&device->queue_pairs);
    empty_table(&device->shared_queues);
}

static void end_session(struct device *device) {
    leave_session(device);
    close_session(device, device->session);
    device->session = NULL;
    device->lost = false;
}

bool is_used(struct device *device) {
    return device->shared_domain == NULL ? device->objects > 0
                                         : device->objects > 1 || domain_of(device->shared_domain)->uses > 0;
}

int renew_session(struct device *device) {
    pthread_mutex_lock(&device->control);
    int result = 0;
    if (device->lost) {
        rddp_session *before = device->session;
        rddp_session *session = is_used(device) ? NULL : open_session(device->interface.name);
        result = is_used(device) ? fails(ENODEV) : session == NULL ? -1 : 0;
        if (result == 0) {
            leave_session(device);
            result = use_session(device, session);
        }
        if (result == 0) {
            close_session(device, before);
        }
    }
    pthread_mutex_unlock(&device->control);
    return result;
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
    verbs->context.async_fd = eventfd(0, EFD_SEMAPHORE | EFD_CLOEXEC);
    /* There is no device file. Programs duplicate its descriptor to import the context, which ibv_import_device() refuses. */
    verbs->context.cmd_fd = verbs->context.async_fd;
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

struct ibv_context *open_context(struct device *device) {
    if (renew_session(device) != 0) {
        return NULL;
    }
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
