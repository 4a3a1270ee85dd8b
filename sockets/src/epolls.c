#include "epolls.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/random.h>
#include <sys/stat.h>

#include "addresses.h"
#include "bridge.h"
#include "epoll_items.h"
#include "epoll_waits.h"
#include "io.h"
#include "libc.h"
#include "listening.h"
#include "waiting.h"

/* ---- epoll_ctl ---- */

void add_epoll(int epoll) {
    lock_library();
    struct instance *made = (struct instance *)new_object(AN_EPOLL);
    if (made != NULL) {
        made->descriptor = epoll;
        made->generation = generation();
        if (getrandom(&made->secret, sizeof made->secret, GRND_NONBLOCK) != sizeof made->secret) {
            made->secret = now() * 0x9e3779b97f4a7c15u;
        }
        made->secret &= ~(uint64_t)(MAX_DESCRIPTORS - 1);
        name(&made->object, epoll);
        put(&made->object);
    }
    unlock_library();
}

/* Whether somebody may sleep in the kernel's wait, or look there. */
static bool has_watchers(const struct instance *instance) {
    return instance->told || instance->waited;
}

static void ask(struct item *item, const struct epoll_event *event) {
    item->event = *event;
    item->asked = true;
    item->disabled = false;
    item->fresh = true;
    item->turn = item->instance->turn;
    heat_item(item);
}

/* The event is the program's. */
static int change_item(struct instance *instance, struct item *item, int what, const struct epoll_event *event) {
    struct epoll_event before = item->event;
    item->event = *event;
    if (register_item(item, what) != 0) {
        item->event = before;
        return -1;
    }
    ask(item, event);
    if (has_watchers(instance)) {
        (void)watch_item(item, true);
    }
    return 0;
}

/* What the kernel need not know, since it does not say what is asked anyway. False: it is to be asked. */
static bool control_quietly(struct instance *instance, int what, const struct stream *stream, int descriptor, const struct epoll_event *event) {
    lock_instance(instance);
    struct item *item = find_item(instance, stream, descriptor);
    bool known = item != NULL && !has_watchers(instance) && !is_exact(item);
    bool removes = known && what == EPOLL_CTL_DEL && item->asked;
    bool changes_it = known && what == (item->asked ? EPOLL_CTL_MOD : EPOLL_CTL_ADD)
        && (event->events & (EPOLLEXCLUSIVE | EPOLLWAKEUP)) == 0;
    if (removes) {
        item->asked = false;
        item->disabled = true;
    } else if (changes_it) {
        ask(item, event);
    }
    release(&instance->lock);
    return removes || changes_it;
}

static int control_stream(struct instance *instance, int what, struct stream *stream, int descriptor, const struct epoll_event *event) {
    if (control_quietly(instance, what, stream, descriptor, event)) {
        return 0;
    }
    struct stream *dropped = NULL, *replaced = NULL;
    lock_library();
    lock_instance(instance);
    struct item *item = find_item(instance, stream, descriptor);
    bool asked = item != NULL && item->asked;
    if (item != NULL && !asked) {
        (void)LIBC(epoll_ctl)(instance->descriptor, EPOLL_CTL_DEL, descriptor, NULL);
        replaced = remove_item(item);
    }
    int result;
    if (what == EPOLL_CTL_DEL && asked) {
        result = LIBC(epoll_ctl)(instance->descriptor, what, descriptor, NULL);
        dropped = remove_item(item);
    } else if (what == EPOLL_CTL_MOD && asked) {
        result = change_item(instance, item, what, event);
    } else if (what == EPOLL_CTL_ADD && !asked) {
        if (item_at(instance, (unsigned)descriptor) != NULL) {
            replaced = remove_item(item_at(instance, (unsigned)descriptor));  /* its descriptor has been closed */
        }
        item = new_item(instance, stream, descriptor);
        result = item == NULL ? fails(ENOMEM) : change_item(instance, item, what, event);
        if (item != NULL && result != 0) {
            dropped = remove_item(item);
        }
    } else {
        result = fails(what == EPOLL_CTL_ADD ? EEXIST : what == EPOLL_CTL_MOD || what == EPOLL_CTL_DEL ? ENOENT : EINVAL);
    }
    int error = errno;
    release(&instance->lock);
    unlock_library();
    if (replaced != NULL) {
        put_stream(replaced);
    }
    if (dropped != NULL) {
        put_stream(dropped);
    }
    errno = error;
    return result;
}

/* ---- Sockets that may become rddp's ---- */

static ino_t number_of(int descriptor) {
    struct stat now_at;
    return syscall(SYS_fstat, descriptor, &now_at) == 0 ? now_at.st_ino : 0;
}

static struct plain *find_plain(const struct instance *instance, int descriptor) {
    for (unsigned i = 0; i < instance->plain_count; i++) {
        if (instance->plain[i].descriptor == descriptor) {
            return &instance->plain[i];
        }
    }
    return NULL;
}

/* The kernel has done what was asked. */
static void note_plain(struct instance *instance, int what, int descriptor, const struct epoll_event *event) {
    lock_library();
    lock_instance(instance);
    struct plain *plain = find_plain(instance, descriptor);
    if (plain != NULL && (what == EPOLL_CTL_DEL || !is_unconnected(descriptor))) {
        *plain = instance->plain[--instance->plain_count];
    } else if (what != EPOLL_CTL_DEL && event != NULL && is_unconnected(descriptor)) {
        if (plain == NULL) {
            struct plain *more = realloc(instance->plain, (instance->plain_count + 1) * sizeof *more);
            if (more != NULL) {
                instance->plain = more;
                plain = &more[instance->plain_count++];
            }
        }
        if (plain != NULL) {
            *plain = (struct plain){.descriptor = descriptor, .number = number_of(descriptor), .event = *event};
        }
    }
    release(&instance->lock);
    unlock_library();
}

/* What the kernel alone has, or a listener, whose channel is beside the kernel's socket, with the same datum. */
static int control_kernels(int epoll, struct instance *instance, int what, int descriptor, struct epoll_event *event) {
    struct listener *listener = take_listener(descriptor);
    if (listener == NULL && is_named(descriptor) && what == EPOLL_CTL_ADD) {
        tell_kernel(descriptor);
    }
    int result = LIBC(epoll_ctl)(epoll, what, descriptor, event), error = errno;
    if (listener != NULL) {
        if (result == 0) {
            (void)LIBC(epoll_ctl)(epoll, what, listener->channel, event);
        }
        put_listener(listener);
    } else if (result == 0 && instance != NULL && (what == EPOLL_CTL_ADD || instance->plain_count > 0)) {
        note_plain(instance, what, descriptor, event);
    }
    errno = error;
    return result;
}

/* The instance with a reference. One that the library does not know is of a program before this one, or none at all: NULL. */
static struct instance *instance_for(int epoll, int descriptor) {
    struct instance *instance = take_instance(epoll);
    struct epoll_event none = {.events = 0};
    if (instance == NULL && LIBC(epoll_ctl)(epoll, EPOLL_CTL_MOD, descriptor, &none) != 0 && errno == ENOENT) {
        add_epoll(epoll);
        instance = take_instance(epoll);
    }
    return instance;
}

int control_epoll(int epoll, int what, int descriptor, struct epoll_event *event) {
    struct stream *stream = is_named(descriptor) ? current_stream(descriptor) : NULL;
    bool is_stream = stream != NULL && stream->origin == NULL;
    struct instance *instance = is_stream ? instance_for(epoll, descriptor) : take_instance(epoll);
    int result;
    if (stream != NULL && (!is_stream || instance == NULL || descriptor == epoll)) {
        result = LIBC(epoll_ctl)(epoll, what, descriptor, event);
    } else if (stream == NULL) {
        result = control_kernels(epoll, instance, what, descriptor, event);
    } else {
        result = event == NULL && what != EPOLL_CTL_DEL ? fails(EFAULT) : control_stream(instance, what, stream, descriptor, event);
    }
    int error = errno;
    if (instance != NULL) {
        put_instance(instance);
    }
    if (stream != NULL) {
        put_stream(stream);
    }
    errno = error;
    return result;
}

static void add_channel(struct object *object, int epoll, void *argument) {
    struct instance *instance = (struct instance *)object;
    const struct plain *made = argument;
    lock_instance(instance);
    struct plain *plain = epoll == instance->descriptor ? find_plain(instance, made->descriptor) : NULL;
    if (plain != NULL && plain->number == number_of(plain->descriptor)) {
        (void)LIBC(epoll_ctl)(epoll, EPOLL_CTL_ADD, made->event.data.fd, &plain->event);
        *plain = instance->plain[--instance->plain_count];
    }
    release(&instance->lock);
}

/* Its socket was in instances before it listened. */
static void enter_channel(const struct listener *listener, int descriptor) {
    struct plain made = {.descriptor = descriptor, .event.data.fd = listener->channel};
    lock_library();
    for_each(AN_EPOLL, add_channel, &made);
    unlock_library();
}

/* ---- Another file at a descriptor ---- */

/* Entries of instances to be made again, under the library's lock. */
static struct {
    struct instance *instance;
    struct epoll_event event;
} moving[16];
static unsigned moving_count;

struct departure {
    struct stream *stream;
    int descriptor;
    struct stream *dropped;
    bool moves;
};

static void depart(struct object *object, int epoll, void *argument) {
    struct departure *departure = argument;
    struct instance *instance = (struct instance *)object;
    (void)epoll;
    if (epoll != instance->descriptor) {
        return;
    }
    lock_instance(instance);
    struct item *item = find_item(instance, departure->stream, departure->descriptor);
    struct plain *plain = departure->moves ? find_plain(instance, departure->descriptor) : NULL;
    bool is_plain = plain != NULL && plain->number == number_of(departure->descriptor);
    if (item != NULL || is_plain) {
        if (departure->moves && (item == NULL || item->asked) && moving_count < sizeof moving / sizeof moving[0]) {
            moving[moving_count].instance = instance;
            moving[moving_count++].event = item != NULL ? item->event : plain->event;
            hold(&instance->object);
        }
        (void)LIBC(epoll_ctl)(instance->descriptor, EPOLL_CTL_DEL, departure->descriptor, NULL);
        departure->dropped = item != NULL ? remove_item(item) : NULL;
    }
    if (plain != NULL) {
        *plain = instance->plain[--instance->plain_count];
    }
    release(&instance->lock);
    if (departure->dropped != NULL) {
        put_stream(departure->dropped);
        departure->dropped = NULL;
    }
}

static void leave_instances(struct stream *stream, int descriptor) {
    struct departure departure = {.stream = stream, .descriptor = descriptor, .moves = true};
    lock_library();
    moving_count = 0;
    for_each(AN_EPOLL, depart, &departure);
    unlock_library();
}

static void enter_instances(struct stream *stream, int descriptor) {
    (void)stream;
    lock_library();
    unsigned count = moving_count;
    moving_count = 0;
    for (unsigned i = 0; i < count; i++) {
        (void)control_epoll(moving[i].instance->descriptor, EPOLL_CTL_ADD, descriptor, &moving[i].event);
        put(&moving[i].instance->object);
    }
    unlock_library();
}

/* A descriptor of a stream is closed: the kernel would go on with the socket if another process has it, too. */
static void forget_stream(struct stream *stream, int descriptor) {
    if (stream->items == NULL || !is_own_process()) {
        return;
    }
    struct departure departure = {.stream = stream, .descriptor = descriptor};
    lock_library();
    for_each(AN_EPOLL, depart, &departure);
    unlock_library();
}

/* ---- The end of an instance ---- */

static void find_descriptor(struct object *object, int descriptor, void *argument) {
    if (object == argument) {
        ((struct instance *)object)->descriptor = descriptor;
    }
}

static void forget_instance(struct object *object, int descriptor) {
    struct instance *instance = (struct instance *)object;
    if (instance->descriptor == descriptor && atomic_load(&object->descriptors) > 0) {
        lock_library();
        for_each(AN_EPOLL, find_descriptor, object);
        unlock_library();
    }
}

static void end_instance(struct object *object) {
    struct instance *instance = (struct instance *)object;
    for (unsigned i = 0; i < instance->room; i++) {
        if (instance->items[i] != NULL) {
            lock_library();
            struct stream *dropped = remove_item(instance->items[i]);
            unlock_library();
            put_stream(dropped);
        }
    }
    free(instance->items);
    free(instance->hot);
    free(instance->plain);
}

__attribute__((constructor(101))) static void prepare(void) {
    static const struct functions functions = {.size = sizeof(struct instance), .is_settled = is_always_settled, .forget = forget_instance, .end = end_instance};
    set_functions(AN_EPOLL, &functions);
    before_replacing = leave_instances;
    after_replacing = enter_instances;
    stream_forgotten = forget_stream;
    listener_made = enter_channel;
}
