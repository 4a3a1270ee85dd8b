/* Sentences about what went wrong, of each thread. */
#ifndef RDDP_ERROR_H
#define RDDP_ERROR_H

/* Keeps the sentence for rddp_error(), and returns the reason. */
__attribute__((format(printf, 2, 3))) int fail(int reason, const char *format, ...);

/* The same for a system call that has set errno. */
int fail_errno(int reason, const char *what);

/* Keeps the sentence of a failure while something is undone, which may fail as well. */
struct saved_error {
    char text[512];
};

struct saved_error save_error(void);
void restore_error(const struct saved_error *saved);

#endif
