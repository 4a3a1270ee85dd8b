#include "libc.h"

#include <dlfcn.h>
#include <stdlib.h>

#define DEFINE_LIBC_FUNCTION(result, name, parameters) result(*libc_##name) parameters;
LIBC_FUNCTIONS(DEFINE_LIBC_FUNCTION)
#undef DEFINE_LIBC_FUNCTION

__attribute__((constructor)) void find_libc(void) {
    void *libc = dlopen("libc.so.6", RTLD_LAZY | RTLD_NOLOAD);
    if (libc == NULL) {
        abort();  /* this is a library for glibc */
    }
/* dlsym() returns an object pointer. */
#define FIND_LIBC_FUNCTION(result, name, parameters) *(void **)&libc_##name = dlsym(libc, #name);
    LIBC_FUNCTIONS(FIND_LIBC_FUNCTION)
#undef FIND_LIBC_FUNCTION
}
