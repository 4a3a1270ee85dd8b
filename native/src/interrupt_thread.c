#include "interrupt_thread.h"

#include <errno.h>
#include <semaphore.h>

#include <rte_alarm.h>

struct call {
    int (*function)(uint16_t port);
    uint16_t port;
    int result;
    sem_t done;
};

static void on_alarm(void *argument)
{
    struct call *call = argument;
    call->result = call->function(call->port);
    sem_post(&call->done);
}

int rddp_on_interrupt_thread(int (*function)(uint16_t port), uint16_t port)
{
    struct call call = {.function = function, .port = port};
    int error;
    if (sem_init(&call.done, 0, 0) < 0)
        return -errno;
    error = rte_eal_alarm_set(1, on_alarm, &call);
    if (error == 0) {
        while (sem_wait(&call.done) < 0) {
            /* Interrupted by a signal: waits again. */
        }
        error = call.result;
    }
    sem_destroy(&call.done);
    return error;
}
