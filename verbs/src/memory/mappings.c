#include "memory/mappings.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/types.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "memory/pools.h"

/* Linux 6.11 and later; the system's headers may be older. */
struct query {
    __u64 size;
    __u64 query_flags;
    __u64 query_address;
    __u64 from;
    __u64 to;
    __u64 flags;
    __u64 page_octets;
    __u64 offset;
    __u64 inode;
    __u32 device_major;
    __u32 device_minor;
    __u32 name_room;
    __u32 build_id_room;
    __u64 name;
    __u64 build_id;
};

#define QUERY _IOWR(0xf9, 17, struct query)
#define QUERY_COVERING_OR_NEXT 0x10
#define QUERY_READABLE 0x01
#define QUERY_WRITABLE 0x02
#define QUERY_EXECUTABLE 0x04
#define QUERY_SHARED 0x08

/* Octets of text to read at first. */
#define FIRST_ROOM (64u << 10)

bool without_query;

static bool query(const struct mappings *mappings, uintptr_t address, struct query *query, char *name, size_t room) {
    memset(query, 0, sizeof *query);
    query->size = sizeof *query;
    query->query_flags = QUERY_COVERING_OR_NEXT;
    query->query_address = address;
    query->name = (uintptr_t)name;
    query->name_room = (__u32)room;
    name[0] = '\0';
    int result = ioctl(mappings->descriptor, QUERY, query);
    if (result != 0 && errno == ENAMETOOLONG) {
        /* No name that matters is so long. */
        query->name = query->name_room = 0;
        result = ioctl(mappings->descriptor, QUERY, query);
    }
    return result == 0;
}

static void name_mapping(struct mapping_info *found, const char *name) {
    found->is_stack = strcmp(name, "[stack]") == 0;
    found->is_special = strncmp(name, "[v", 2) == 0;
    found->is_segment = strncmp(name, "/SYSV", 5) == 0;
}

/* Reads all of the text into memory of its own: the heap may be what is about to be replaced. */
static int read_text(struct mappings *mappings) {
    mappings->room = FIRST_ROOM;
    mappings->text = mmap(NULL, mappings->room, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (mappings->text == MAP_FAILED) {
        mappings->text = NULL;
        return ENOMEM;
    }
    ssize_t octets;
    while ((octets = read(mappings->descriptor, mappings->text + mappings->length,
                mappings->room - 1 - mappings->length)) > 0) {
        mappings->length += (size_t)octets;
        if (mappings->length + 1 == mappings->room) {
            char *larger = mremap(mappings->text, mappings->room, 2 * mappings->room, MREMAP_MAYMOVE, NULL);
            if (larger == MAP_FAILED) {
                return ENOMEM;
            }
            mappings->text = larger;
            mappings->room *= 2;
        }
    }
    mappings->text[mappings->length] = '\0';
    return octets < 0 ? errno : 0;
}

int open_mappings(struct mappings *mappings) {
    memset(mappings, 0, sizeof *mappings);
    mappings->descriptor = open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
    if (mappings->descriptor < 0) {
        return errno;
    }
    struct query first;
    char name[64];
    mappings->has_query = !without_query && query(mappings, 0, &first, name, sizeof name);
    int error = mappings->has_query ? 0 : read_text(mappings);
    if (error != 0) {
        close_mappings(mappings);
    }
    return error;
}

static bool find_by_query(struct mappings *mappings, uintptr_t address, struct mapping_info *found) {
    struct query answer;
    char name[64];
    if (!query(mappings, address, &answer, name, sizeof name)) {
        return false;
    }
    *found = (struct mapping_info){.from = answer.from, .to = answer.to, .offset = answer.offset,
        .device = makedev(answer.device_major, answer.device_minor), .inode = answer.inode,
        .page_octets = answer.page_octets, .is_shared = (answer.flags & QUERY_SHARED) != 0,
        .protection = ((answer.flags & QUERY_READABLE) != 0 ? PROT_READ : 0)
            | ((answer.flags & QUERY_WRITABLE) != 0 ? PROT_WRITE : 0)
            | ((answer.flags & QUERY_EXECUTABLE) != 0 ? PROT_EXEC : 0)};
    name_mapping(found, name);
    return true;
}

static bool parse_line(const char *line, struct mapping_info *found) {
    char rights[5] = "", name[64] = "";
    unsigned major_number, minor_number;
    *found = (struct mapping_info){.from = 0};
    if (sscanf(line, "%" SCNxPTR "-%" SCNxPTR " %4s %" SCNx64 " %x:%x %" SCNu64 " %63[^\n]", &found->from, &found->to,
            rights, &found->offset, &major_number, &minor_number, &found->inode, name)
        < 7) {
        return false;
    }
    found->device = makedev(major_number, minor_number);
    found->protection = (rights[0] == 'r' ? PROT_READ : 0) | (rights[1] == 'w' ? PROT_WRITE : 0)
        | (rights[2] == 'x' ? PROT_EXEC : 0);
    found->is_shared = rights[3] == 's';
    name_mapping(found, name);
    return true;
}

static bool find_by_text(struct mappings *mappings, uintptr_t address, struct mapping_info *found) {
    while (mappings->at < mappings->length) {
        const char *line = mappings->text + mappings->at;
        if (!parse_line(line, found)) {
            return false;
        }
        if (found->to > address) {
            return true;
        }
        const char *end = strchr(line, '\n');
        mappings->at = end == NULL ? mappings->length : (size_t)(end + 1 - mappings->text);
    }
    return false;
}

bool find_mapping(struct mappings *mappings, uintptr_t address, struct mapping_info *found) {
    return mappings->has_query ? find_by_query(mappings, address, found) : find_by_text(mappings, address, found);
}

bool maps_file(uint64_t device, uint64_t inode) {
    int before = errno;
    struct mappings mappings;
    bool is_found = open_mappings(&mappings) != 0;
    struct mapping_info found;
    uintptr_t at = 0;
    while (!is_found && find_mapping(&mappings, at, &found)) {
        is_found = found.inode == inode && found.device == device;
        at = found.to;
    }
    close_mappings(&mappings);
    errno = before;
    return is_found;
}

bool is_locked(const struct mapping_info *mapping, uintptr_t address) {
    /* The kernel rejects MADV_COLD only for pages that are locked or huge. */
    return mapping->page_octets <= PAGE && madvise((void *)address, PAGE, MADV_COLD) != 0 && errno == EINVAL;
}

void close_mappings(struct mappings *mappings) {
    if (mappings->text != NULL) {
        munmap(mappings->text, mappings->room);
        mappings->text = NULL;
    }
    if (mappings->descriptor >= 0) {
        close(mappings->descriptor);
        mappings->descriptor = -1;
    }
}
