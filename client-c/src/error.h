/* Error texts, one per thread. */
#ifndef RDDP_ERROR_H
#define RDDP_ERROR_H

/* Sets the text for rddp_error(), and returns the reason. */
__attribute__((format(printf, 2, 3))) int fail(int reason, const char *format, ...);

/* Sets the text for a system call that has set errno, and returns the reason. */
int fail_errno(int reason, const char *what);

/* Keeps the text of a failure during clean-up, which may fail as well. */
struct saved_error {
    char text[512];
};

struct saved_error save_error(void);
void restore_error(const struct saved_error *saved);

#endif
