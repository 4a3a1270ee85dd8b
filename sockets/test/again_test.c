/* The memory of connections that have ended is used again, unless a child may use it still. */
#include "ends.h"

#define MEMORIES 4096

static unsigned long seen[MEMORIES];
static size_t count;

/* Notes the memories of streams that this process has mapped. */
static void look_at_memories(void) {
    FILE *maps = fopen("/proc/self/maps", "re");
    char line[512];
    CHECK(maps != NULL);
    while (fgets(line, sizeof line, maps) != NULL) {
        unsigned long number;
        if (strstr(line, "memfd:rddp-stream") == NULL || sscanf(line, "%*s %*s %*s %*s %lu", &number) != 1) {
            continue;
        }
        size_t at = 0;
        while (at < count && seen[at] != number) {
            at++;
        }
        CHECK(at < MEMORIES);
        seen[at] = number;
        count += at == count;
    }
    CHECK(fclose(maps) == 0);
}

static void pass(const struct pair *pair) {
    send_text(pair->near, "there");
    expect_text(pair->far, "there");
    send_text(pair->far, "back");
    expect_text(pair->near, "back");
}

/* Each of them has two memories while it lasts. */
static void use(int connections, bool forks) {
    for (int i = 0; i < connections; i++) {
        struct pair pair = connect_pair();
        pass(&pair);
        look_at_memories();
        pid_t child = forks ? fork() : 0;
        CHECK(child >= 0);
        if (forks && child == 0) {
            pass(&pair);
            _exit(0);
        }
        int status = 0;
        CHECK(!forks || (waitpid(child, &status, 0) == child && status == 0));
        close_pair(&pair);
    }
}

/* What the engine has at hand must not let it answer for a listener whose end the daemon has not noticed yet. */
static void connect_where_nobody_listens_any_more(void) {
    for (int i = 0; i < 200; i++) {
        uint16_t port;
        CHECK(close(listen_at(FAR_ADDRESS, &port)) == 0);
        struct sockaddr_in to = address_of(FAR_ADDRESS, port);
        int made = socket(AF_INET, SOCK_STREAM, 0);
        CHECK_ERRNO(ECONNREFUSED, connect(made, (struct sockaddr *)&to, sizeof to) == -1);
        CHECK(close(made) == 0);
    }
}

int main(void) {
    alarm(100);
    use(20, true);
    CHECK(count >= 40);
    /* Others than root have no immutable memory, which alone can be used again. */
    count = 0;
    for (size_t i = 1; geteuid() == 0 && (i == 1 || count >= 2 * (i - 1)); i++) {
        use(1, false);
    }
    connect_where_nobody_listens_any_more();
    puts("done");
    return 0;
}
