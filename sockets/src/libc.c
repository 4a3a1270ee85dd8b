#include "libc.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <unistd.h>

#define DEFINE_LIBC_FUNCTION(result, name, parameters) result(*libc_##name) parameters;
LIBC_FUNCTIONS(DEFINE_LIBC_FUNCTION)
#undef DEFINE_LIBC_FUNCTION

/* ThreadSanitizer lets signal handlers run in its own functions only. */
static void *find(void *libc, const char *name, const char *watched) {
#ifdef __SANITIZE_THREAD__
    void *found = dlsym(RTLD_DEFAULT, watched);
    return found != NULL ? found : dlsym(libc, name);
#else
    (void)watched;
    return dlsym(libc, name);
#endif
}

__attribute__((constructor(101))) void find_libc(void) {
    void *libc = dlopen("libc.so.6", RTLD_LAZY | RTLD_NOLOAD);
    if (libc == NULL) {
        abort();  /* this is a library for glibc */
    }
/* dlsym() returns an object pointer. */
#define FIND_LIBC_FUNCTION(result, name, parameters) *(void **)&libc_##name = find(libc, #name, "__interceptor_" #name);
    LIBC_FUNCTIONS(FIND_LIBC_FUNCTION)
#undef FIND_LIBC_FUNCTION
}

void check_room(size_t octets, size_t room) {
    if (octets > room) {
        static const char text[] = "rddp sockets: a call for more than its buffer holds: the program ends\n";
        (void)!LIBC(write)(STDERR_FILENO, text, sizeof text - 1);
        abort();
    }
}

/*
 * An object that is loaded with RTLD_DEEPBIND, as PHP's extensions are, and what it brings along, find libc before this library: their
 * connections would be the kernel's without a word. It is a jump to libc, which looks for the file in the caller's folders.
 */
EXPORT void *(dlopen)(const char *file, int mode) {
    static void *(*next)(const char *, int);
    if (next == NULL) {
        *(void **)&next = dlsym(RTLD_NEXT, "dlopen");
    }
    return next(file, mode & ~RTLD_DEEPBIND);
}
