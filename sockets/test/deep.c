/* An object that deep_test loads: whom its calls reach. */
#include <sys/socket.h>

int ask_peer(int descriptor, struct sockaddr *address, socklen_t *length);

int ask_peer(int descriptor, struct sockaddr *address, socklen_t *length) {
    return getpeername(descriptor, address, length);
}
