/*
 * The functions of libc that the library stands in for. They are looked up in libc itself: a call of the program that is
 * not for rddp goes on there, and none of the library's own passes through another preloaded library.
 */
#ifndef RDDP_SOCKETS_LIBC_H
#define RDDP_SOCKETS_LIBC_H

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/types.h>
#include <sys/uio.h>

#define EXPORT __attribute__((visibility("default")))

/* What a function of libc returns that fails. */
static inline int fails(int error) {
    errno = error;
    return -1;
}

/* Of a program that is made with _FORTIFY_SOURCE: ends it if a call is for more octets than its buffer has room for. */
void check_room(size_t octets, size_t room);

#define LIBC_FUNCTIONS(X)                                                                                              \
    X(int, accept4, (int, struct sockaddr *, socklen_t *, int))                                                        \
    X(int, bind, (int, const struct sockaddr *, socklen_t))                                                            \
    X(int, chroot, (const char *))                                                                                     \
    X(int, clone, (int (*)(void *), void *, int, void *, ...))                                                         \
    X(int, close, (int))                                                                                               \
    X(int, close_range, (unsigned, unsigned, int))                                                                     \
    X(int, connect, (int, const struct sockaddr *, socklen_t))                                                         \
    X(int, dup, (int))                                                                                                 \
    X(int, dup2, (int, int))                                                                                           \
    X(int, dup3, (int, int, int))                                                                                      \
    X(int, epoll_create1, (int))                                                                                       \
    X(int, epoll_ctl, (int, int, int, struct epoll_event *))                                                           \
    X(int, epoll_wait, (int, struct epoll_event *, int, int))                                                          \
    X(int, epoll_pwait, (int, struct epoll_event *, int, int, const sigset_t *))                                       \
    X(int, epoll_pwait2, (int, struct epoll_event *, int, const struct timespec *, const sigset_t *))                  \
    X(int, execve, (const char *, char *const *, char *const *))                                                       \
    X(int, execveat, (int, const char *, char *const *, char *const *, int))                                           \
    X(int, execvpe, (const char *, char *const *, char *const *))                                                      \
    X(int, fcntl, (int, int, ...))                                                                                     \
    X(FILE *, fdopen, (int, const char *))                                                                             \
    X(int, fexecve, (int, char *const *, char *const *))                                                               \
    X(pid_t, _Fork, (void))                                                                                            \
    X(int, getpeername, (int, struct sockaddr *, socklen_t *))                                                         \
    X(int, getsockname, (int, struct sockaddr *, socklen_t *))                                                         \
    X(int, getsockopt, (int, int, int, void *, socklen_t *))                                                           \
    X(int, ioctl, (int, unsigned long, ...))                                                                           \
    X(int, listen, (int, int))                                                                                         \
    X(FILE *, popen, (const char *, const char *))                                                                     \
    X(int, posix_spawn, (pid_t *, const char *, const posix_spawn_file_actions_t *, const posix_spawnattr_t *, char *const *, char *const *))\
    X(int, posix_spawn_file_actions_adddup2, (posix_spawn_file_actions_t *, int, int))                                 \
    X(int, posix_spawnp, (pid_t *, const char *, const posix_spawn_file_actions_t *, const posix_spawnattr_t *, char *const *, char *const *))\
    X(int, ppoll, (struct pollfd *, nfds_t, const struct timespec *, const sigset_t *))                                \
    X(ssize_t, preadv2, (int, const struct iovec *, int, off_t, int))                                                  \
    X(int, prctl, (int, ...))                                                                                          \
    X(int, pselect, (int, fd_set *, fd_set *, fd_set *, const struct timespec *, const sigset_t *))                    \
    X(ssize_t, pwritev2, (int, const struct iovec *, int, off_t, int))                                                 \
    X(ssize_t, read, (int, void *, size_t))                                                                            \
    X(ssize_t, readv, (int, const struct iovec *, int))                                                                \
    X(ssize_t, recvfrom, (int, void *, size_t, int, struct sockaddr *, socklen_t *))                                   \
    X(int, recvmmsg, (int, struct mmsghdr *, unsigned, int, struct timespec *))                                        \
    X(ssize_t, recvmsg, (int, struct msghdr *, int))                                                                   \
    X(int, select, (int, fd_set *, fd_set *, fd_set *, struct timeval *))                                              \
    X(ssize_t, sendfile, (int, int, off_t *, size_t))                                                                  \
    X(int, sendmmsg, (int, struct mmsghdr *, unsigned, int))                                                           \
    X(ssize_t, sendmsg, (int, const struct msghdr *, int))                                                             \
    X(ssize_t, sendto, (int, const void *, size_t, int, const struct sockaddr *, socklen_t))                           \
    X(int, setsockopt, (int, int, int, const void *, socklen_t))                                                       \
    X(int, shutdown, (int, int))                                                                                       \
    X(ssize_t, splice, (int, off_t *, int, off_t *, size_t, unsigned))                                                 \
    X(int, system, (const char *))                                                                                     \
    X(int, vdprintf, (int, const char *, va_list))                                                                     \
    X(ssize_t, write, (int, const void *, size_t))                                                                     \
    X(ssize_t, writev, (int, const struct iovec *, int))

#define DECLARE_LIBC_FUNCTION(result, name, parameters) extern result(*libc_##name) parameters;
LIBC_FUNCTIONS(DECLARE_LIBC_FUNCTION)
#undef DECLARE_LIBC_FUNCTION

/* Looks them up. Other libraries' constructors may call ours before this library's own runs. */
void find_libc(void);

/* LIBC(read)(descriptor, octets, count): calls libc's function. */
#ifdef CPPCHECK  /* which looks at no function behind a pointer */
#define LIBC(name) name
#else
#define LIBC(name) (*(__builtin_expect(libc_##name != NULL, 1) ? libc_##name : (find_libc(), libc_##name)))
#endif

#endif
