/* Calls that are left in their middle: by jumps and forks of signal handlers, ends of threads, and sandboxes. */
#include "both.h"

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <setjmp.h>
#include <stddef.h>

/* The signal comes again and again until the timer is deleted. */
static timer_t start_signals(int number, void (*handler)(int), int flags) {
    struct sigaction action = {.sa_handler = handler, .sa_flags = flags};
    struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = number};
    struct itimerspec time = {.it_interval.tv_nsec = 3000000, .it_value.tv_nsec = 3000000};
    timer_t timer;
    CHECK(sigaction(number, &action, NULL) == 0);
    CHECK(timer_create(CLOCK_MONOTONIC, &event, &timer) == 0 && timer_settime(timer, 0, &time, NULL) == 0);
    return timer;
}

static void stop_signals(timer_t timer, int number) {
    CHECK(timer_delete(timer) == 0);
    signal(number, SIG_IGN);
}

/* ---- Jumps ---- */

static sigjmp_buf place;
static volatile sig_atomic_t may_jump;

static void jump(int number) {
    (void)number;
    if (may_jump != 0) {
        may_jump = 0;
        siglongjmp(place, 1);
    }
}

static void should_receive_after_jumps_out_of_calls_that_wait(void) {
    struct pair pair = connect_pair();
    timer_t timer = start_signals(SIGUSR1, jump, 0);
    struct pollfd polled = {.fd = pair.far, .events = POLLIN};
    static volatile int jumps;
    for (jumps = 0; jumps < 20; jumps++) {
        char octet;
        if (sigsetjmp(place, 1) == 0) {
            may_jump = 1;
            if (jumps % 2 == 0) {
                (void)!recv(pair.far, &octet, 1, 0);
            } else {
                (void)poll(&polled, 1, -1);
            }
            CHECK(!"nothing comes");
        }
    }
    stop_signals(timer, SIGUSR1);
    send_text(pair.near, "question");
    CHECK(await(pair.far, POLLIN) == POLLIN);
    expect_text(pair.far, "question");
    send_text(pair.far, "answer");
    expect_text(pair.near, "answer");
    close_pair(&pair);
}

/* ---- Forks in a handler ---- */

static volatile sig_atomic_t forks;

static void fork_a_child(int number) {
    (void)number;
    int error = errno;
    pid_t child = fork();
    if (child == 0) {
        _exit(0);
    }
    while (waitpid(child, NULL, 0) < 0 && errno == EINTR) {
    }
    forks++;
    errno = error;
}

static void *echo(void *argument) {
    int descriptor = *(int *)argument;
    sigset_t all;
    char octet;
    sigfillset(&all);
    CHECK(pthread_sigmask(SIG_BLOCK, &all, NULL) == 0);
    while (read(descriptor, &octet, 1) == 1) {
        CHECK(write(descriptor, &octet, 1) == 1);
    }
    return NULL;
}

static void should_go_on_beside_forks_in_a_handler(void) {
    struct pair pair = connect_pair();
    pthread_t thread;
    CHECK(pthread_create(&thread, NULL, echo, &pair.far) == 0);
    forks = 0;
    timer_t timer = start_signals(SIGUSR1, fork_a_child, SA_RESTART);
    char octet = 0;
    for (int i = 0; i < 1000 || forks < 20; i++) {
        char sent = octet;
        CHECK(write(pair.near, &sent, 1) == 1);
        CHECK(read(pair.near, &octet, 1) == 1 && octet == sent);
        octet++;
    }
    stop_signals(timer, SIGUSR1);
    CHECK(shutdown(pair.near, SHUT_WR) == 0);
    CHECK(pthread_join(thread, NULL) == 0);
    close_pair(&pair);
}

/* ---- Ends of threads ---- */

static pthread_key_t key;
static int descriptor_of_destructor;

// cppcheck-suppress constParameter  ; of pthread_key_create()
static void receive_at_the_end(void *argument) {
    char octet;
    CHECK(recv(descriptor_of_destructor, &octet, 1, 0) == 1 && octet == 'x');
    /* Again in the next round of destructors. */
    if (argument != &descriptor_of_destructor) {
        CHECK(pthread_setspecific(key, &descriptor_of_destructor) == 0);
    }
}

static void *end_with_a_value(void *argument) {
    CHECK(pthread_setspecific(key, argument) == 0);
    return NULL;
}

static void should_receive_in_a_destructor_of_a_thread(void) {
    struct pair pair = connect_pair();
    CHECK(pthread_key_create(&key, receive_at_the_end) == 0);
    descriptor_of_destructor = pair.far;
    for (int i = 0; i < 5; i++) {
        pthread_t thread;
        CHECK(pthread_create(&thread, NULL, end_with_a_value, &pair) == 0);
        send_text(pair.near, "x");
        send_text(pair.near, "x");
        CHECK(pthread_join(thread, NULL) == 0);
    }
    CHECK(pthread_key_delete(key) == 0);
    close_pair(&pair);
}

/* ---- Sandboxes ---- */

#define ALLOW(number)                                                                                                  \
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, number, 0, 1), BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)
#define FAIL(number, error)                                                                                            \
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, number, 0, 1), BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | (error))

static void enter_sandbox(const struct sock_filter *filter, size_t count) {
    const struct sock_fprog program = {.len = (unsigned short)count, .filter = (struct sock_filter *)filter};
    CHECK(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0);
    CHECK(prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0);
}

/* What a server's child may do that has no more rights than it needs before its client is known: all else ends it. */
static void enter_narrow_sandbox(void) {
    static const struct sock_filter filter[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)), FAIL(SYS_fstat, EACCES), FAIL(SYS_newfstatat, EACCES),
        FAIL(SYS_openat, EACCES), ALLOW(SYS_read), ALLOW(SYS_write), ALLOW(SYS_poll), ALLOW(SYS_ppoll), ALLOW(SYS_select),
        ALLOW(SYS_pselect6), ALLOW(SYS_close), ALLOW(SYS_shutdown), ALLOW(SYS_brk), ALLOW(SYS_clock_gettime), ALLOW(SYS_exit),
        ALLOW(SYS_exit_group), ALLOW(SYS_futex), ALLOW(SYS_getpid), ALLOW(SYS_gettid), ALLOW(SYS_getrandom), ALLOW(SYS_madvise),
        ALLOW(SYS_mmap), ALLOW(SYS_munmap), ALLOW(SYS_mremap), ALLOW(SYS_sigaltstack) /* of sanitizers */, ALLOW(SYS_rt_sigprocmask), ALLOW(SYS_nanosleep),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS)};
    enter_sandbox(filter, sizeof filter / sizeof filter[0]);
}

static void serve_in_a_sandbox(int far) {
    char octets[16] = "";
    enter_narrow_sandbox();
    for (int i = 0; i < 50; i++) {
        struct pollfd polled = {.fd = far, .events = POLLIN};
        if (i % 2 == 0 && poll(&polled, 1, -1) != 1) {
            _exit(1);
        }
        size_t got = 0;
        while (got < 8) {
            ssize_t part = read(far, octets + got, 8 - got);
            if (part <= 0) {
                _exit(2);
            }
            got += (size_t)part;
        }
        if (write(far, "answer", 6) != 6) {
            _exit(3);
        }
    }
    static char much[300000];
    for (size_t sent = 0; sent < sizeof much;) {
        ssize_t part = write(far, much, sizeof much - sent);
        if (part <= 0) {
            _exit(4);
        }
        sent += (size_t)part;
    }
    _exit(0);
}

static void should_serve_in_a_sandbox(void) {
    struct pair pair = connect_pair();
    pid_t child = start();
    if (child == 0) {
        serve_in_a_sandbox(pair.far);
    }
    CHECK(close(pair.far) == 0);
    for (int i = 0; i < 50; i++) {
        send_text(pair.near, "question");
        expect_text(pair.near, "answer");
    }
    char octets[1000];
    size_t got = 0;
    ssize_t part;
    while ((part = read(pair.near, octets, sizeof octets)) > 0) {
        got += (size_t)part;
    }
    expect_success(child);
    CHECK(part == 0 && got == 300000);
    CHECK(close(pair.near) == 0 && close(pair.listener) == 0);
}

static void connect_without_threads(void) {
    static const struct sock_filter filter[] = {BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        FAIL(SYS_clone, EPERM), FAIL(SYS_clone3, EPERM), BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)};
    enter_sandbox(filter, sizeof filter / sizeof filter[0]);
    struct pair pair = connect_pair();
    send_text(pair.near, "question");
    expect_text(pair.far, "question");
    close_pair(&pair);
}

static void should_connect_where_no_threads_may_be_made(void) {
    run_in_child(connect_without_threads);
}

static char root[] = "/tmp/rddp-root-XXXXXX";

/* Who may change it. */
static void connect_in_another_root(void) {
    if (geteuid() == 0) {
        CHECK(chroot(root) == 0 && chdir("/") == 0);
    }
    struct pair pair = connect_pair();
    send_text(pair.near, "question");
    expect_text(pair.far, "question");
    close_pair(&pair);
}

static void should_connect_in_another_root(void) {
    CHECK(mkdtemp(root) != NULL);
    run_in_child(connect_in_another_root);
    CHECK(rmdir(root) == 0);
    memset(strrchr(root, '-') + 1, 'X', 6);
}

/* A process that libc knows nothing of. */
static void should_go_on_in_a_child_of_a_system_call(void) {
    struct pair pair = connect_pair();
    fflush(stdout);
    pid_t child = (pid_t)syscall(SYS_clone, SIGCHLD, NULL, NULL, NULL, NULL);
    CHECK(child >= 0);
    if (child == 0) {
        alarm(MOST_SECONDS);
        char octets[8];
        ssize_t got = read(pair.far, octets, 8);
        _exit(got == 8 && write(pair.far, "answer", 6) == 6 ? 0 : 1);
    }
    send_text(pair.near, "question");
    expect_text(pair.near, "answer");
    expect_success(child);
    send_text(pair.near, "to the parent");
    expect_text(pair.far, "to the parent");
    close_pair(&pair);
}

static void run_all(void) {
    RUN(should_receive_after_jumps_out_of_calls_that_wait);
    RUN(should_go_on_beside_forks_in_a_handler);
    RUN(should_receive_in_a_destructor_of_a_thread);
    RUN(should_serve_in_a_sandbox);
    RUN(should_connect_where_no_threads_may_be_made);
    RUN(should_connect_in_another_root);
    RUN(should_go_on_in_a_child_of_a_system_call);
}

int main(int count, char **arguments) {
    return run_over_both(count, arguments, run_all);
}
