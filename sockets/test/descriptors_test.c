/* What becomes of a connection's descriptor: closed by whom it may be, sent away, taken by other programs, in other numbers' places. */
#include "both.h"

#include <netinet/tcp.h>
#include <spawn.h>
#include <sys/stat.h>

extern char **environ;

/* ---- Closed behind the library's back ---- */

static int new_file(void) {
    char name[] = "/tmp/rddp-sockets-XXXXXX";
    int file = mkstemp(name);
    CHECK(file >= 0 && unlink(name) == 0);
    return file;
}

/* The descriptor is a file, and what is written there comes from it again. */
static void expect_file(int file) {
    char octets[16];
    CHECK(write(file, "of the file", 11) == 11);
    CHECK(lseek(file, 0, SEEK_SET) == 0);
    CHECK(read(file, octets, sizeof octets) == 11 && memcmp(octets, "of the file", 11) == 0);
    CHECK_ERRNO(ENOTSOCK, recv(file, octets, 1, MSG_DONTWAIT) == -1);
}

static void close_by_system_call(int descriptor) {
    CHECK(syscall(SYS_close, descriptor) == 0);
}

static void close_range_by_system_call(int descriptor) {
    CHECK(syscall(SYS_close_range, descriptor, descriptor, 0) == 0);
}

static void close_range_by_libc(int descriptor) {
    CHECK(close_range((unsigned)descriptor, (unsigned)descriptor, 0) == 0);
}

static void close_by_stdio(int descriptor) {
    FILE *file = fdopen(descriptor, "r+");
    CHECK(file != NULL && fclose(file) == 0);
}

static void should_give_the_number_to_a_file_however_it_was_closed(void) {
    static void (*const closes[])(int) = {close_by_system_call, close_range_by_system_call, close_range_by_libc, close_by_stdio};
    for (size_t i = 0; i < sizeof closes / sizeof closes[0]; i++) {
        struct pair pair = connect_pair();
        send_text(pair.near, "before");
        closes[i](pair.near);
        int file = new_file();
        CHECK(file == pair.near);
        expect_file(file);
        expect_text(pair.far, "before");
        expect_end(pair.far);
        close_pair(&pair);
    }
}

static void should_give_the_number_to_a_file_that_takes_its_place(void) {
    struct pair pair = connect_pair();
    int file = new_file();
    CHECK(syscall(SYS_dup3, file, pair.near, 0) == pair.near);
    expect_file(pair.near);
    expect_end(pair.far);
    CHECK(close(file) == 0);
    close_pair(&pair);
}

static void should_give_the_number_to_another_connection(void) {
    struct pair pair = connect_pair();
    int epoll = epoll_create1(EPOLL_CLOEXEC), second = begin_connect(FAR_ADDRESS, pair.port);
    add(epoll, pair.near, EPOLLIN);
    close_by_system_call(pair.near);
    CHECK(dup2(second, pair.near) == pair.near && close(second) == 0);
    await_established(pair.near);
    int far = accept(pair.listener, NULL, NULL);
    CHECK(far >= 0);
    add(epoll, pair.near, EPOLLIN);
    send_text(far, "second");
    CHECK(next_event(epoll, pair.near) == EPOLLIN);
    set_nonblocking(pair.near, false);
    expect_text(pair.near, "second");
    expect_end(pair.far);
    CHECK(close(epoll) == 0 && close(far) == 0);
    close_pair(&pair);
}

/* Its connections are reset, as nobody can accept them. */
static void should_end_a_listener_however_it_was_closed(void) {
    static void (*const closes[])(int) = {close_by_system_call, close_range_by_system_call, close_range_by_libc};
    for (size_t i = 0; i < sizeof closes / sizeof closes[0]; i++) {
        uint16_t port;
        char octet;
        int listener = listen_at(FAR_ADDRESS, &port), near = begin_connect(FAR_ADDRESS, port);
        await_established(near);
        set_nonblocking(near, false);
        closes[i](listener);
        CHECK_ERRNO(ECONNRESET, recv(near, &octet, 1, 0) == -1);
        CHECK(close(near) == 0);
    }
}

/* The child stays, stopped: it is not its end that closes. */
static void should_close_all_from_a_number_on(void) {
    struct pair pair = connect_pair();
    pid_t child = start();
    if (child == 0) {
        send_text(pair.near, "from the child");
        closefrom(3);
        CHECK_ERRNO(EBADF, write(pair.near, "x", 1) == -1);
        kill(getpid(), SIGSTOP);
        _exit(0);
    }
    int status;
    CHECK(close(pair.near) == 0);
    CHECK(waitpid(child, &status, WUNTRACED) == child && WIFSTOPPED(status));
    expect_text(pair.far, "from the child");
    expect_end(pair.far);
    CHECK(kill(child, SIGCONT) == 0);
    expect_success(child);
    CHECK(close(pair.far) == 0 && close(pair.listener) == 0);
}

/* ---- Over the library's own descriptors ---- */

static void replace_all_numbers(void) {
    int plain = open("/dev/null", O_RDWR);
    CHECK(plain >= 0);
    struct pair before = connect_pair();
    for (int number = before.far + 1; number < 1024; number++) {
        CHECK(dup2(plain, number) == number);
    }
    send_text(before.near, "still");
    expect_text(before.far, "still");
    close_pair(&before);
    for (int number = before.far + 1; number < 1024; number++) {
        struct stat now, wanted;
        CHECK(fstat(number, &now) == 0 && fstat(plain, &wanted) == 0 && now.st_ino == wanted.st_ino);
    }
    closefrom(plain + 1);
    struct pair after = connect_pair();
    send_text(after.near, "again");
    expect_text(after.far, "again");
    closefrom(plain + 1);
    struct pair last = connect_pair();
    close_pair(&last);
}

static void should_go_on_when_all_numbers_are_taken_and_closed(void) {
    run_in_child(replace_all_numbers);
}

/* ---- By a Unix socket ---- */

union right {
    struct cmsghdr header;
    char room[CMSG_SPACE(sizeof(int))];
};

static void send_descriptor(int channel, int descriptor) {
    union right right;
    struct iovec piece = {.iov_base = "d", .iov_len = 1};
    struct msghdr message = {.msg_iov = &piece, .msg_iovlen = 1, .msg_control = &right, .msg_controllen = sizeof right};
    struct cmsghdr *control = CMSG_FIRSTHDR(&message);
    control->cmsg_level = SOL_SOCKET;
    control->cmsg_type = SCM_RIGHTS;
    control->cmsg_len = CMSG_LEN(sizeof descriptor);
    memcpy(CMSG_DATA(control), &descriptor, sizeof descriptor);
    CHECK(sendmsg(channel, &message, 0) == 1);
}

static int receive_descriptor(int channel) {
    union right right;
    char octet;
    struct iovec piece = {.iov_base = &octet, .iov_len = 1};
    struct msghdr message = {.msg_iov = &piece, .msg_iovlen = 1, .msg_control = &right, .msg_controllen = sizeof right};
    CHECK(recvmsg(channel, &message, MSG_CMSG_CLOEXEC) == 1);
    struct cmsghdr *control = CMSG_FIRSTHDR(&message);
    int descriptor;
    CHECK(control != NULL && control->cmsg_type == SCM_RIGHTS);
    memcpy(&descriptor, CMSG_DATA(control), sizeof descriptor);
    return descriptor;
}

static void expect_internet_names(int descriptor) {
    struct sockaddr_in name;
    socklen_t length = sizeof name;
    CHECK(getpeername(descriptor, (struct sockaddr *)&name, &length) == 0 && length == sizeof name);
    /* Both interfaces reach it. */
    in_addr_t other = (name.sin_addr.s_addr ^ inet_addr(near_address())) & htonl(0xffffff00u);
    CHECK(name.sin_family == AF_INET && other == 0 && name.sin_port != 0);
    CHECK(getsockname(descriptor, (struct sockaddr *)&name, &length) == 0 && length == sizeof name);
    CHECK(name.sin_family == AF_INET && name.sin_addr.s_addr == inet_addr(FAR_ADDRESS) && name.sin_port != 0);
    int on = 1, error = -1;
    length = sizeof on;
    CHECK(setsockopt(descriptor, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on) == 0);
    CHECK(setsockopt(descriptor, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof on) == 0);
    CHECK(getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &error, &length) == 0 && error == 0);
}

/* The process that gets the connection was there before it. */
static void should_go_on_in_a_process_that_gets_it(void) {
    int channel[2];
    CHECK(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, channel) == 0);
    pid_t child = start();
    if (child == 0) {
        int far = receive_descriptor(channel[1]);
        expect_internet_names(far);
        expect_text(far, "question");
        send_text(far, "answer");
        expect_end(far);
        send_text(far, "end");
        exit(0);
    }
    struct pair pair = connect_pair();
    send_text(pair.near, "quest");
    send_text(pair.far, "before ");
    send_descriptor(channel[0], pair.far);
    CHECK(close(pair.far) == 0);
    send_text(pair.near, "ion");
    expect_text(pair.near, "before answer");
    CHECK(shutdown(pair.near, SHUT_WR) == 0);
    expect_text(pair.near, "end");
    expect_end(pair.near);
    expect_success(child);
    close_pipe(channel);
    CHECK(close(pair.near) == 0 && close(pair.listener) == 0);
}

static void should_go_on_beside_what_was_sent_away(void) {
    struct pair pair = connect_pair();
    int channel[2];
    CHECK(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, channel) == 0);
    send_descriptor(channel[0], pair.near);
    send_text(pair.near, "one ");
    int second = receive_descriptor(channel[1]);
    send_text(second, "two ");
    send_text(pair.near, "three");
    expect_text(pair.far, "one two three");
    CHECK(close(pair.near) == 0);
    send_text(second, "four");
    expect_text(pair.far, "four");
    CHECK(close(second) == 0);
    expect_end(pair.far);
    close_pipe(channel);
    CHECK(close(pair.far) == 0 && close(pair.listener) == 0);
}

/* ---- Other programs: what they start has no library, as a static one has none ---- */

static void should_be_the_output_of_a_program_after_vfork(void) {
    struct pair pair = connect_pair();
    send_text(pair.near, "before ");
    pid_t child = vfork();
    CHECK(child >= 0);
    if (child == 0) {
        dup2(pair.near, STDOUT_FILENO);
        execl("/bin/echo", "echo", "of the child", (char *)NULL);
        _exit(1);
    }
    expect_success(child);
    send_text(pair.near, "after");
    expect_text(pair.far, "before of the child\nafter");
    send_text(pair.far, "answer");
    expect_text(pair.near, "answer");
    CHECK(close(pair.near) == 0);
    expect_end(pair.far);
    CHECK(close(pair.far) == 0 && close(pair.listener) == 0);
}

static void should_be_the_output_of_a_spawned_program(void) {
    struct pair pair = connect_pair();
    posix_spawn_file_actions_t actions;
    char *arguments[] = {"echo", "of the child", NULL};
    pid_t child;
    CHECK(posix_spawn_file_actions_init(&actions) == 0);
    CHECK(posix_spawn_file_actions_adddup2(&actions, pair.near, STDOUT_FILENO) == 0);
    CHECK(posix_spawn(&child, "/bin/echo", &actions, NULL, arguments, environ) == 0);
    CHECK(posix_spawn_file_actions_destroy(&actions) == 0);
    expect_success(child);
    expect_text(pair.far, "of the child\n");
    close_pair(&pair);
}

static void should_be_used_by_commands(void) {
    struct pair pair = connect_pair();
    char command[64];
    keep_over_exec(pair.near);
    (void)snprintf(command, sizeof command, "echo one >&%d", pair.near);
    CHECK(system(command) == 0);
    (void)snprintf(command, sizeof command, "cat >&%d", pair.near);
    FILE *input = popen(command, "w");
    CHECK(input != NULL && fputs("two", input) >= 0 && pclose(input) == 0);
    expect_text(pair.far, "one\ntwo");
    close_pair(&pair);
}

/* What has come before the exec(2) is read behind it. */
static void should_go_on_in_a_program_without_the_library(void) {
    struct pair pair = connect_pair();
    send_text(pair.near, "quest");
    CHECK(await(pair.far, POLLIN) == POLLIN);
    pid_t child = start();
    if (child == 0) {
        CHECK(dup2(pair.far, 0) == 0 && dup2(pair.far, 1) == 1);
        execl("/bin/sh", "sh", "-c", "read -r line; echo \"got $line\"; cat", (char *)NULL);
        _exit(1);
    }
    CHECK(close(pair.far) == 0);
    send_text(pair.near, "ion\n");
    expect_text(pair.near, "got question\n");
    send_octets(pair.near, 0, 100000);
    expect_octets(pair.near, 0, 100000);
    CHECK(shutdown(pair.near, SHUT_WR) == 0);
    expect_end(pair.near);
    expect_success(child);
    CHECK(close(pair.near) == 0 && close(pair.listener) == 0);
}

/* The program behind the exec(2) of the next test. */
static int be_executed(char **arguments) {
    int far = atoi(arguments[2]);
    far_address = arguments[3];
    alarm(MOST_SECONDS);
    expect_internet_names(far);
    expect_text(far, "question");
    send_text(far, "answer");
    expect_end(far);
    return 0;
}

static void should_go_on_in_a_program_with_the_library(void) {
    struct pair pair = connect_pair();
    pid_t child = start();
    if (child == 0) {
        char number[16];
        (void)snprintf(number, sizeof number, "%d", pair.far);
        keep_over_exec(pair.far);
        execl("/proc/self/exe", "descriptors_test", "executed", number, FAR_ADDRESS, (char *)NULL);
        _exit(1);
    }
    CHECK(close(pair.far) == 0);
    send_text(pair.near, "question");
    expect_text(pair.near, "answer");
    CHECK(shutdown(pair.near, SHUT_WR) == 0);
    expect_end(pair.near);
    expect_success(child);
    CHECK(close(pair.near) == 0 && close(pair.listener) == 0);
}

/* ---- stdio ---- */

static void should_be_read_and_written_by_stdio(void) {
    struct pair pair = connect_pair();
    send_text(pair.far, "first\nsec");
    CHECK(await(pair.near, POLLIN) == POLLIN);
    FILE *reader = fdopen(dup(pair.near), "r"), *writer = fdopen(pair.near, "w");
    char line[64];
    CHECK(reader != NULL && writer != NULL);
    CHECK(fgets(line, sizeof line, reader) != NULL && strcmp(line, "first\n") == 0);
    send_text(pair.far, "ond\n");
    CHECK(fgets(line, sizeof line, reader) != NULL && strcmp(line, "second\n") == 0);
    CHECK(fprintf(writer, "number %d, ", 1) == 10 && fflush(writer) == 0);
    CHECK(dprintf(pair.near, "number %d", 2) == 8);
    expect_text(pair.far, "number 1, number 2");
    CHECK(fclose(writer) == 0 && fclose(reader) == 0);
    expect_end(pair.far);
    CHECK(close(pair.far) == 0 && close(pair.listener) == 0);
}

/* ---- Large numbers ---- */

#define LARGE 3000

static void select_a_large_number(void) {
    struct rlimit limit;
    CHECK(getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_max > LARGE);
    limit.rlim_cur = LARGE + 100;
    CHECK(setrlimit(RLIMIT_NOFILE, &limit) == 0);
    struct pair pair = connect_pair();
    int large = fcntl(pair.far, F_DUPFD, LARGE);
    CHECK(large >= LARGE && close(pair.far) == 0);
    static unsigned long readable[LARGE / 64 + 2];
    struct timeval none = {.tv_sec = 0}, much = {.tv_sec = 20};
    unsigned long bit = 1ul << large % 64;
    readable[large / 64] = bit;
    CHECK(select(large + 1, (fd_set *)readable, NULL, NULL, &none) == 0 && readable[large / 64] == 0);
    send_text(pair.near, "x");
    readable[large / 64] = bit;
    CHECK(select(large + 1, (fd_set *)readable, NULL, NULL, &much) == 1 && readable[large / 64] == bit);
    expect_text(large, "x");
    CHECK(close(large) == 0 && close(pair.near) == 0 && close(pair.listener) == 0);
}

static void should_select_a_large_number(void) {
    run_in_child(select_a_large_number);
}

static void run_all(void) {
    RUN(should_give_the_number_to_a_file_however_it_was_closed);
    RUN(should_give_the_number_to_a_file_that_takes_its_place);
    RUN(should_give_the_number_to_another_connection);
    RUN(should_end_a_listener_however_it_was_closed);
    RUN(should_close_all_from_a_number_on);
    RUN(should_go_on_when_all_numbers_are_taken_and_closed);
    RUN(should_go_on_in_a_process_that_gets_it);
    RUN(should_go_on_beside_what_was_sent_away);
    RUN(should_be_the_output_of_a_program_after_vfork);
    RUN(should_be_the_output_of_a_spawned_program);
    RUN(should_be_used_by_commands);
    RUN(should_go_on_in_a_program_without_the_library);
    RUN(should_go_on_in_a_program_with_the_library);
    RUN(should_be_read_and_written_by_stdio);
    RUN(should_select_a_large_number);
}

int main(int count, char **arguments) {
    return count > 3 ? be_executed(arguments) : run_over_both(count, arguments, run_all);
}
