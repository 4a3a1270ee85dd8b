/*
 * A process that gets no session, because it or the daemon lacks something, hears that: it neither listens by the kernel alone nor reads
 * that there is no daemon. The daemon has one session.
 */
#include <dirent.h>
#include <sys/resource.h>

#include "ends.h"

#define MOST_NEEDED 32

static int new_socket(void) {
    int made = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    CHECK(made >= 0);
    return made;
}

/* 0 or errno. */
static int outcome_of_connecting(void) {
    struct sockaddr_in to = address_of(FAR_ADDRESS, 7001);
    int made = new_socket(), error = connect(made, (struct sockaddr *)&to, sizeof to) == 0 ? 0 : errno;
    CHECK(close(made) == 0);
    return error;
}

static int outcome_of_listening(void) {
    struct sockaddr_in at = address_of(FAR_ADDRESS, 0);
    int made = new_socket();
    CHECK(bind(made, (struct sockaddr *)&at, sizeof at) == 0);
    int error = listen(made, 1) == 0 ? 0 : errno;
    CHECK(close(made) == 0);
    return error;
}

static unsigned count_descriptors(void) {
    DIR *folder = opendir("/proc/self/fd");
    unsigned count = 0;
    CHECK(folder != NULL);
    while (readdir(folder) != NULL) {
        count++;
    }
    CHECK(closedir(folder) == 0);
    return count;
}

static void set_most_descriptors(rlim_t most) {
    struct rlimit limit;
    CHECK(getrlimit(RLIMIT_NOFILE, &limit) == 0);
    limit.rlim_cur = most;
    CHECK(setrlimit(RLIMIT_NOFILE, &limit) == 0);
}

static void lack_descriptors(void) {
    int next = dup(STDIN_FILENO), error = EMFILE;
    CHECK(next >= 0 && close(next) == 0);
    unsigned before = count_descriptors();
    for (int more = 1; error == EMFILE; more++) {
        CHECK(more < MOST_NEEDED);
        set_most_descriptors((rlim_t)(next + more));
        error = outcome_of_listening();
        CHECK(error == EMFILE || error == 0);
        error = outcome_of_connecting();
        set_most_descriptors((rlim_t)(next + MOST_NEEDED));
        CHECK(error != EMFILE || count_descriptors() == before);
    }
    CHECK(error == ECONNREFUSED);
}

/* This program anew, which has no session. */
static void start_as(const char *role) {
    execl("/proc/self/exe", "sessions_test", role, NULL);
    _exit(127);
}

static void run_first(void) {
    int status = 0;
    lack_descriptors();
    CHECK(outcome_of_listening() == 0);
    pid_t child = fork();
    CHECK(child >= 0);
    if (child == 0) {
        start_as("second");
    }
    CHECK(waitpid(child, &status, 0) == child && status == 0);
    puts("done");
}

static void run_second(void) {
    CHECK(outcome_of_listening() == EMFILE);
    CHECK(outcome_of_connecting() == EMFILE);
}

int main(int count, char **arguments) {
    alarm(100);
    if (count == 1) {
        /* As `rddp sockets` does: what it starts does not ask the daemon which addresses are rddp's. */
        CHECK(setenv("RDDP_SOCKETS_NETWORKS", "one 10.0.0.1/24;two 10.0.0.2/24", 1) == 0);
        start_as("first");
    } else if (strcmp(arguments[1], "first") == 0) {
        run_first();
    } else {
        run_second();
    }
    return 0;
}
