/*
 * rddp-sysfs PROGRAM [ARGUMENT]...: runs a program that finds rddp's devices in /sys/class/infiniband and /dev/infiniband.
 *
 * The program gets a mount namespace of its own, in which a file system lies over /sys/class, and one over /dev unless that
 * has an infiniband of its own. Without root this takes a user namespace, in which the program keeps its user and group.
 * RDDP_SOCKET, RDDP_INTERFACE and RDDP_VERBS_AS are those of the library. Nothing is left behind when the program ends.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tree.h"

#define MOST_INTERFACES 256
#define CLASSES "/sys/class"
#define DEVICES "/dev"

__attribute__((noreturn, format(printf, 1, 2))) static void fail(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    fputs("rddp: error: ", stderr);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
    va_end(arguments);
    exit(1);
}

/* ---- Interfaces ---- */

static struct rddp_interface interfaces[MOST_INTERFACES];

/* The interfaces that are devices of the library, in its order. */
static unsigned list_interfaces(void) {
    const char *wanted = getenv("RDDP_INTERFACE");
    unsigned count, kept = 0;
    if (rddp_list_interfaces(NULL, interfaces, MOST_INTERFACES, &count) != RDDP_OK) {
        fail("%s", rddp_error());
    }
    for (unsigned i = 0; i < count && i < MOST_INTERFACES; i++) {
        if (wanted == NULL || *wanted == '\0' || strcmp(wanted, interfaces[i].name) == 0) {
            interfaces[kept++] = interfaces[i];
        }
    }
    return kept;
}

/* ---- Namespaces ---- */

static void write_line(const char *path, const char *line) {
    int file = open(path, O_WRONLY | O_CLOEXEC);
    ssize_t length = (ssize_t)strlen(line);
    if (file < 0 || write(file, line, (size_t)length) != length || close(file) != 0) {
        fail("%s: %s", path, strerror(errno));
    }
}

/* A user namespace, in which this user may mount, and is who it was. */
static void enter_user_namespace(void) {
    char users[64], groups[64];
    snprintf(users, sizeof users, "%u %u 1", geteuid(), geteuid());
    snprintf(groups, sizeof groups, "%u %u 1", getegid(), getegid());
    if (unshare(CLONE_NEWUSER | CLONE_NEWNS) != 0) {
        fail("this system allows no user namespace (%s), which showing devices in /sys takes without root: run as root, or"
             " without --sysfs", strerror(errno));
    }
    write_line("/proc/self/setgroups", "deny");
    write_line("/proc/self/uid_map", users);
    write_line("/proc/self/gid_map", groups);
}

static void enter_namespace(void) {
    if (unshare(CLONE_NEWNS) != 0) {
        enter_user_namespace();
    }
    if (mount(NULL, "/", NULL, MS_REC | MS_SLAVE, NULL) != 0) {
        fail("a mount namespace: %s", strerror(errno));
    }
}

/* ---- /sys/class ---- */

static int open_folder(const char *path) {
    int folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (folder < 0) {
        fail("%s: %s", path, strerror(errno));
    }
    return folder;
}

static void mount_empty(const char *at) {
    if (mount("rddp", at, "tmpfs", MS_NOSUID, "mode=755") != 0 || chdir(at) != 0) {
        fail("a file system at %s: %s", at, strerror(errno));
    }
}

static void lay_over_classes(unsigned count) {
    char layers[128];
    int before = open_folder(CLASSES);
    mount_empty(CLASSES);
    int error = write_tree(interfaces, count);
    if (error != 0) {
        fail("the devices in %s: %s", CLASSES, strerror(error));
    }
    int made = open_folder(CLASSES);
    snprintf(layers, sizeof layers, "lowerdir=/proc/self/fd/%d:/proc/self/fd/%d", made, before);
    if (mount("rddp", CLASSES, "overlay", MS_NOSUID | MS_NODEV | MS_NOEXEC, layers) != 0) {
        fail("an overlay over %s, which takes Linux 5.11 without root: %s", CLASSES, strerror(errno));
    }
    close(made);
    close(before);
}

/* ---- /dev ---- */

/* Shows an entry of a folder in the current one. */
static void show(int folder, const struct dirent *entry) {
    char target[4096], path[320];
    ssize_t length = readlinkat(folder, entry->d_name, target, sizeof target - 1);
    if (length >= 0) {
        target[length] = '\0';
        (void)!symlink(target, entry->d_name);
        return;
    }
    snprintf(path, sizeof path, "/proc/self/fd/%d/%s", folder, entry->d_name);
    if (entry->d_type == DT_DIR) {
        (void)mkdir(entry->d_name, 0755);
    } else {
        close(open(entry->d_name, O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
    }
    (void)mount(path, entry->d_name, NULL, MS_BIND | MS_REC, NULL);
}

/* Programs ask whether the device's file is there; nobody opens it. */
static void add_devices(unsigned count) {
    int before = open_folder(DEVICES);
    DIR *entries = fdopendir(before);
    mount_empty(DEVICES);
    for (const struct dirent *each = readdir(entries); each != NULL; each = readdir(entries)) {
        if (strcmp(each->d_name, ".") != 0 && strcmp(each->d_name, "..") != 0) {
            show(before, each);
        }
    }
    closedir(entries);
    (void)mkdir("infiniband", 0755);
    for (unsigned i = 0; i < count; i++) {
        char name[64];
        snprintf(name, sizeof name, "infiniband/uverbs%u", i);
        close(open(name, O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
        if (mount("null", name, NULL, MS_BIND, NULL) != 0) {
            fail("%s/%s: %s", DEVICES, name, strerror(errno));
        }
    }
}

int main(int count, char **arguments) {
    if (count < 2) {
        fail("name the program to run");
    }
    unsigned devices = list_interfaces();
    int here = open(".", O_PATH | O_DIRECTORY | O_CLOEXEC);
    enter_namespace();
    lay_over_classes(devices);
    if (access(DEVICES "/infiniband", F_OK) != 0) {
        add_devices(devices);
    }
    if (here < 0 || fchdir(here) != 0) {
        fail("the current folder: %s", strerror(errno));
    }
    execvp(arguments[1], arguments + 1);
    fail("%s: %s", arguments[1], strerror(errno));
}
