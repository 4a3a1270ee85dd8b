/* The device's thread: drains completions while queues are armed, ends connections, and flushes when the daemon is gone. */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "exchange/by_signal.h"
#include "objects.h"

#define THREAD_STACK (256 << 10)

static void flush_one(void *object, void *argument) {
    (void)argument;
    flush_queue_pair(object);
}

static void flush_all(struct device *device) {
    drain(device);
    spin_lock(&device->posting);
    for_each_object(&device->queue_pairs, flush_one, NULL);
    spin_unlock(&device->posting);
    device->flushed = true;
}

static void serve_completions(struct device *device) {
    spin_lock(&device->polling);
    if (device->lost && !device->flushed) {
        flush_all(device);
    } else if (!device->lost) {
        clear_events(device->session);
        do {
            drain(device);
        } while (device->armed > 0 && !await_completion(device->session));
    }
    spin_unlock(&device->polling);
}

static void *run(void *argument) {
    struct device *device = argument;
    while (!device->stopping) {
        struct pollfd polled[] = {
            {.fd = device->work, .events = POLLIN},
            {.fd = rddp_descriptor(device->session), .events = POLLIN},
        };
        /* The descriptor of a lost session stays readable. */
        if (poll(polled, device->lost ? 1 : 2, -1) < 0 && errno != EINTR) {
            break;
        }
        eventfd_t count;
        if ((polled[0].revents & POLLIN) != 0) {
            eventfd_read(device->work, &count);
        }
        end_streams(device);
        serve_completions(device);
    }
    return NULL;
}

int start_device_thread(struct device *device) {
    device->work = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
    if (device->work < 0) {
        return errno;
    }
    device->stopping = false;
    pthread_attr_t attributes;
    sigset_t all, before;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, THREAD_STACK);
    sigfillset(&all);
    sigdelset(&all, stop_signal());
    pthread_sigmask(SIG_SETMASK, &all, &before);
    int error = pthread_create(&device->thread, &attributes, run, device);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    pthread_attr_destroy(&attributes);
    device->has_thread = error == 0;
    if (error != 0) {
        close(device->work);
    }
    return error;
}

void stop_device_thread(struct device *device) {
    if (!device->has_thread) {
        return;
    }
    device->has_thread = false;
    device->stopping = true;
    wake_device_thread(device);
    pthread_join(device->thread, NULL);
    end_streams(device);
    close(device->work);
}
