/*
 * The holder of a lock gets the processor although who waits for the lock has a higher real-time priority. Needs the right
 * to such priorities; without it nothing is tested. The argument is not used.
 */
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>

#include "peer.h"
#include "spin.h"

static struct spin lock;
static sem_t held;
static int order;
static int held_until, taken_at;

static void *hold(void *argument) {
    (void)argument;
    spin_lock(&lock);
    /* Whoever waits for that runs at once, on this processor. */
    CHECK(sem_post(&held) == 0);
    held_until = ++order;
    spin_unlock(&lock);
    return NULL;
}

static void *wait_for_lock(void *argument) {
    (void)argument;
    CHECK(sem_wait(&held) == 0);
    spin_lock(&lock);
    taken_at = ++order;
    spin_unlock(&lock);
    return NULL;
}

/* Returns an errno value. */
static int start(pthread_t *thread, void *(*function)(void *), int priority) {
    pthread_attr_t attributes;
    struct sched_param param = {.sched_priority = priority};
    pthread_attr_init(&attributes);
    pthread_attr_setinheritsched(&attributes, PTHREAD_EXPLICIT_SCHED);
    pthread_attr_setschedpolicy(&attributes, SCHED_FIFO);
    pthread_attr_setschedparam(&attributes, &param);
    int error = pthread_create(thread, &attributes, function, NULL);
    pthread_attr_destroy(&attributes);
    return error;
}

int main(void) {
    cpu_set_t all, one;
    CHECK(sched_getaffinity(0, sizeof all, &all) == 0);
    CPU_ZERO(&one);
    for (size_t i = 0; i < CPU_SETSIZE && CPU_COUNT(&one) == 0; i++) {
        if (CPU_ISSET(i, &all)) {
            CPU_SET(i, &one);
        }
    }
    CHECK(sched_setaffinity(0, sizeof one, &one) == 0);
    CHECK(sem_init(&held, 0, 0) == 0);
    pthread_t waiting, holding;
    if (start(&waiting, wait_for_lock, 2) == EPERM) {
        puts("no right to real-time priorities");
        puts("done");
        return 0;
    }
    CHECK(start(&holding, hold, 1) == 0);
    CHECK(pthread_join(holding, NULL) == 0 && pthread_join(waiting, NULL) == 0);
    CHECK(held_until == 1 && taken_at == 2);
    puts("done");
    return 0;
}
