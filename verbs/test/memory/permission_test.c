/*
 * Threads are stopped by ptrace(2) where Yama lets a process be traced by a declared one only (ptrace_scope 1). This test's
 * first process is Yama: by seccomp(2) it answers the two system calls of the second one that matter. The argument is the
 * daemon's socket.
 */
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <stddef.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "exchange/exchange.h"
#include "memory_pair.h"

/* What the program has chosen before. */
#define OWN_CHOICE 1ul

/* Notices prctl(PR_SET_PTRACER) and ptrace(PTRACE_SEIZE) of this thread and those that it begins. */
static int watch_calls(void) {
    struct sock_filter filter[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_prctl, 0, 2),
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, PR_SET_PTRACER, 3, 4),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_ptrace, 0, 3),
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, PTRACE_SEIZE, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_USER_NOTIF),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog program = {.len = sizeof filter / sizeof filter[0], .filter = filter};
    CHECK(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0);
    return (int)syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_NEW_LISTENER, &program);
}

static void register_once(const char *socket, int to_yama) {
    int listener = watch_calls();
    CHECK(listener >= 0);
    CHECK(write(to_yama, &listener, sizeof listener) == sizeof listener);
    struct pair pair;
    open_pair(&pair, socket, NULL);
    exchange_way = BY_TRACING;
    CHECK(prctl(PR_SET_PTRACER, OWN_CHOICE, 0, 0, 0) == 0);
    uint8_t *memory = aligned_alloc(PAGE_OCTETS, PAGE_OCTETS);
    CHECK(memory != NULL);
    memory[0] = 7;
    struct memory_registration *registration = register_range(&pair, memory, PAGE_OCTETS);
    CHECK(memory[0] == 7);
    CHECK_ERRNO(0, deregister_memory(registration));
    free(memory);
    release_memory(pair.two.session);
    close_pair(&pair);
}

/* The calls that permit tracing, in their order. */
struct choices {
    unsigned long tracers[16];
    size_t count;
    bool was_seized;
};

static void answer(int listener, struct choices *choices) {
    struct seccomp_notif call = {.id = 0};
    if (ioctl(listener, SECCOMP_IOCTL_NOTIF_RECV, &call) != 0) {
        CHECK(errno == ENOENT || errno == EINTR);
        return;
    }
    struct seccomp_notif_resp reply = {.id = call.id};
    unsigned long permitted = choices->count == 0 ? 0 : choices->tracers[choices->count - 1];
    if (call.data.nr == SYS_prctl) {
        CHECK(choices->count < 16);
        choices->tracers[choices->count++] = (unsigned long)call.data.args[1];
    } else if (permitted == call.pid || permitted == PR_SET_PTRACER_ANY) {
        choices->was_seized = true;
        reply.flags = SECCOMP_USER_NOTIF_FLAG_CONTINUE;
    } else {
        reply.error = -EPERM;
    }
    CHECK(ioctl(listener, SECCOMP_IOCTL_NOTIF_SEND, &reply) == 0 || errno == ENOENT);
}

/* The descriptor of another process. */
static int take_listener(pid_t process, int from_it) {
    int number;
    CHECK(read(from_it, &number, sizeof number) == sizeof number);
    int descriptor = (int)syscall(SYS_pidfd_open, process, 0);
    CHECK(descriptor >= 0);
    int listener = (int)syscall(SYS_pidfd_getfd, descriptor, number, 0);
    CHECK(listener >= 0);
    close(descriptor);
    return listener;
}

int main(int count, char **arguments) {
    CHECK(count == 2);
    int ends[2];
    CHECK(pipe(ends) == 0);
    pid_t program = fork();
    CHECK(program >= 0);
    if (program == 0) {
        register_once(arguments[1], ends[1]);
        return 0;
    }
    int listener = take_listener(program, ends[0]);
    struct choices choices = {.count = 0};
    struct pollfd polled = {.fd = listener, .events = POLLIN};
    while (poll(&polled, 1, -1) == 1 && (polled.revents & POLLIN) != 0) {
        answer(listener, &choices);
    }
    int status;
    CHECK(waitpid(program, &status, 0) == program);
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    CHECK(choices.was_seized && choices.count >= 5);
    /* Registering, then deregistering: the process that traces is named, and what was chosen before counts again. */
    for (size_t i = 0; i < 5; i++) {
        unsigned long tracer = choices.tracers[i];
        printf("may be traced by %ld\n", (long)tracer);
        CHECK(i % 2 == 0 ? tracer == OWN_CHOICE
                         : tracer != PR_SET_PTRACER_ANY && tracer > OWN_CHOICE);
    }
    puts("done");
    return 0;
}
