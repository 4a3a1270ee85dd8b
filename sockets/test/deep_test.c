/* Objects that find their own functions before the program's (RTLD_DEEPBIND), as extensions of PHP: their calls are for rddp, too. */
#include <dlfcn.h>

#include "both.h"

static void *load_beside_the_test(const char *name) {
    char path[4096];
    ssize_t octets = readlink("/proc/self/exe", path, sizeof path - 1);
    CHECK(octets > 0);
    path[octets] = 0;
    char *end = strrchr(path, '/') + 1;
    (void)snprintf(end, sizeof path - (size_t)(end - path), "%s", name);
    return dlopen(path, RTLD_NOW | RTLD_DEEPBIND);
}

static void should_serve_objects_that_bind_deeply(void) {
    int (*ask_peer)(int, struct sockaddr *, socklen_t *);
    struct pair pair = connect_pair();
    struct sockaddr_in peer;
    socklen_t length = sizeof peer;
    void *loaded = load_beside_the_test("deep.so");
    CHECK(loaded != NULL);
    *(void **)&ask_peer = dlsym(loaded, "ask_peer");
    CHECK(ask_peer != NULL && ask_peer(pair.near, (struct sockaddr *)&peer, &length) == 0);
    CHECK(peer.sin_family == AF_INET && peer.sin_port == htons(pair.port));
    CHECK(dlclose(loaded) == 0);
    close_pair(&pair);
}

static void run_all(void) {
    RUN(should_serve_objects_that_bind_deeply);
}

int main(int count, char **arguments) {
    return run_over_both(count, arguments, run_all);
}
