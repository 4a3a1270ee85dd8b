/*
 * System calls of the library's own, which other preloaded libraries do not see. librspreload (rsockets) defines close(),
 * poll() and the like: it would take the library's descriptors for the program's, and it holds a lock of its own while it
 * calls us. UCX, Open MPI and libfabric put theirs in the place of mmap() and the like, and UCX's mremap() drops the new
 * address; librddp-verbs itself defines mmap() and munmap(). The compiler includes this file in each of the library's
 * (-include); own-calls checks that nothing is left out.
 */
#ifndef RDDP_OWN_CALLS_H
#define RDDP_OWN_CALLS_H

#include <fcntl.h>
#include <poll.h>
#include <stdint.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* librddp-sockets stands in for syscall(2), too. */
#ifdef OWN_SYSCALL
long own_syscall(long number, ...);
#define syscall(...) own_syscall(__VA_ARGS__)
#endif

static inline int own_close(int descriptor) {
    return (int)syscall(SYS_close, descriptor);
}

static inline int own_poll(struct pollfd *polled, nfds_t count, int timeout_ms) {
    struct timespec timeout = {.tv_sec = timeout_ms / 1000, .tv_nsec = timeout_ms % 1000 * 1000000L};
    return (int)syscall(SYS_ppoll, polled, count, timeout_ms < 0 ? NULL : &timeout, NULL, 0L);
}

/* ThreadSanitizer has to see which descriptors are closed: it takes the next one of that number for the same. */
#ifndef __SANITIZE_THREAD__
static inline void *own_mmap(void *address, size_t length, int protection, int flags, int descriptor, off_t offset) {
    return (void *)syscall(SYS_mmap, address, length, protection, flags, descriptor, offset);
}

static inline int own_munmap(void *address, size_t length) {
    return (int)syscall(SYS_munmap, address, length);
}

#define close(descriptor) own_close(descriptor)
#define connect(descriptor, address, length) ((int)syscall(SYS_connect, (descriptor), (address), (length)))
#define epoll_create1(flags) ((int)syscall(SYS_epoll_create1, (flags)))
#define epoll_ctl(epoll, what, descriptor, event) ((int)syscall(SYS_epoll_ctl, (epoll), (what), (descriptor), (event)))
#define getsockopt(descriptor, level, name, value, length)                                                             \
    ((int)syscall(SYS_getsockopt, (descriptor), (level), (name), (value), (length)))
#define poll(polled, count, timeout_ms) own_poll((polled), (count), (timeout_ms))
#define read(descriptor, octets, count) ((ssize_t)syscall(SYS_read, (descriptor), (octets), (size_t)(count)))
#define recv(descriptor, octets, count, flags)                                                                         \
    ((ssize_t)syscall(SYS_recvfrom, (descriptor), (octets), (size_t)(count), (flags), NULL, NULL))
#define recvmsg(descriptor, message, flags) ((ssize_t)syscall(SYS_recvmsg, (descriptor), (message), (flags)))
#define send(descriptor, octets, count, flags)                                                                         \
    ((ssize_t)syscall(SYS_sendto, (descriptor), (octets), (size_t)(count), (flags), NULL, 0L))
#define sendmsg(descriptor, message, flags) ((ssize_t)syscall(SYS_sendmsg, (descriptor), (message), (flags)))
#define socket(domain, type, protocol) ((int)syscall(SYS_socket, (domain), (type), (protocol)))
#define write(descriptor, octets, count) ((ssize_t)syscall(SYS_write, (descriptor), (octets), (size_t)(count)))
#else
/* And which descriptors are used: librddp-verbs and librddp-sockets themselves stand in the place of these functions. */
int __interceptor_close(int descriptor);
int __interceptor_connect(int descriptor, const void *address, socklen_t length);
int __interceptor_epoll_create1(int flags);
int __interceptor_epoll_ctl(int epoll, int what, int descriptor, struct epoll_event *event);
int __interceptor_getsockopt(int descriptor, int level, int name, void *value, socklen_t *length);
void *__interceptor_mmap(void *address, size_t length, int protection, int flags, int descriptor, off_t offset);
int __interceptor_munmap(void *address, size_t length);
int __interceptor_poll(struct pollfd *polled, nfds_t count, int timeout_ms);
ssize_t __interceptor_read(int descriptor, void *octets, size_t count);
ssize_t __interceptor_recv(int descriptor, void *octets, size_t count, int flags);
ssize_t __interceptor_recvmsg(int descriptor, struct msghdr *message, int flags);
ssize_t __interceptor_send(int descriptor, const void *octets, size_t count, int flags);
ssize_t __interceptor_sendmsg(int descriptor, const struct msghdr *message, int flags);
int __interceptor_socket(int domain, int type, int protocol);
ssize_t __interceptor_write(int descriptor, const void *octets, size_t count);

#define close(descriptor) __interceptor_close(descriptor)
#define connect(descriptor, address, length) __interceptor_connect((descriptor), (address), (length))
#define epoll_create1(flags) __interceptor_epoll_create1(flags)
#define epoll_ctl(epoll, what, descriptor, event) __interceptor_epoll_ctl((epoll), (what), (descriptor), (event))
#define getsockopt(descriptor, level, name, value, length)                                                             \
    __interceptor_getsockopt((descriptor), (level), (name), (value), (length))
#define poll(polled, count, timeout_ms) __interceptor_poll((polled), (count), (timeout_ms))
#define read(descriptor, octets, count) __interceptor_read((descriptor), (octets), (count))
#define recv(descriptor, octets, count, flags) __interceptor_recv((descriptor), (octets), (count), (flags))
#define recvmsg(descriptor, message, flags) __interceptor_recvmsg((descriptor), (message), (flags))
#define send(descriptor, octets, count, flags) __interceptor_send((descriptor), (octets), (count), (flags))
#define sendmsg(descriptor, message, flags) __interceptor_sendmsg((descriptor), (message), (flags))
#define socket(domain, type, protocol) __interceptor_socket((domain), (type), (protocol))
#define write(descriptor, octets, count) __interceptor_write((descriptor), (octets), (count))
#define own_mmap __interceptor_mmap
#define own_munmap __interceptor_munmap
#endif

/* Called under locks, which a cancelled thread would keep. eventfd_read stays libc's: programs cancel threads that wait in it. */
static inline int own_eventfd_write(int descriptor, uint64_t count) {
    return syscall(SYS_write, descriptor, &count, sizeof count) == sizeof count ? 0 : -1;
}

static inline int own_nanosleep(const struct timespec *pause) {
    return (int)syscall(SYS_nanosleep, pause, NULL);
}

#define eventfd_write(descriptor, count) own_eventfd_write((descriptor), (count))
#define fcntl(descriptor, ...) ((int)syscall(SYS_fcntl, (descriptor), __VA_ARGS__))
#define madvise(address, length, advice) ((int)syscall(SYS_madvise, (address), (size_t)(length), (advice)))
#define mmap(address, length, protection, flags, descriptor, offset)                                                   \
    own_mmap((address), (length), (protection), (flags), (descriptor), (offset))
#define mremap(address, length, wanted, flags, at)                                                                     \
    ((void *)syscall(SYS_mremap, (address), (size_t)(length), (size_t)(wanted), (long)(flags), (at)))
#define munmap(address, length) own_munmap((address), (length))
#define nanosleep(pause, left) own_nanosleep(pause)

#endif
