/* Memory of a session: mappings, registered regions, windows. */
#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "internal.h"

/* Octets whose pages a slow machine allocates per second. */
#define POPULATED_A_SECOND (16u << 20)

/* The daemon cuts smaller pieces from memory that has several. */
#define LEAST_WHOLE (1u << 20)

/* Whether holes are forbidden in a memfd from its start (FS_IMMUTABLE_FL), so that it needs no seal: docs/ipc.md, Trust. */
static bool is_immutable(int descriptor) {
    long flags = 0;
    return syscall(SYS_ioctl, descriptor, FS_IOC_GETFLAGS, &flags) == 0 && ((int)flags & FS_IMMUTABLE_FL) != 0;
}

static int check_shared(int descriptor, uint64_t *length) {
    int seals = fcntl(descriptor, F_GET_SEALS);
    if (seals < 0) {
        return fail(RDDP_UNSAFE_MEMORY, "it is not a memfd that allows sealing");
    }
    if ((seals & F_SEAL_SHRINK) == 0 || (seals & F_SEAL_GROW) == 0) {
        return fail(RDDP_UNSAFE_MEMORY, "its size is not sealed: add F_SEAL_SHRINK and F_SEAL_GROW with fcntl(2)");
    }
    if ((seals & F_SEAL_SEAL) != 0 && !is_immutable(descriptor)) {
        return fail(RDDP_UNSAFE_MEMORY, "it has F_SEAL_SEAL, so holes cannot be forbidden: leave F_SEAL_SEAL out");
    }
    off_t end = lseek(descriptor, 0, SEEK_END);
    if (end <= 0) {
        return fail(RDDP_UNSAFE_MEMORY, "it is empty");
    }
    *length = (uint64_t)end;
    return RDDP_OK;
}

int map_shared(int descriptor, struct mapping *mapping) {
    int result = check_shared(descriptor, &mapping->length);
    if (result == RDDP_OK && (fcntl(descriptor, F_GET_SEALS) & F_SEAL_FUTURE_WRITE) != 0) {
        result = fail(RDDP_UNSAFE_MEMORY,
            "F_SEAL_FUTURE_WRITE, which a registration adds, forbids a further mapping: register the memory once, and map"
            " it in every process before");
    }
    if (result == RDDP_OK) {
        mapping->address = mmap(NULL, mapping->length, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
        if (mapping->address == MAP_FAILED) {
            result = fail_errno(RDDP_RESOURCES, "the memory cannot be mapped");
        }
    }
    if (result != RDDP_OK) {
        close(descriptor);
        mapping->address = NULL;
        mapping->descriptor = -1;
        return result;
    }
    mapping->descriptor = descriptor;
    return RDDP_OK;
}

void unmap_shared(struct mapping *mapping) {
    if (mapping->address != NULL) {
        munmap(mapping->address, mapping->length);
        mapping->address = NULL;
    }
    if (mapping->descriptor >= 0) {
        close(mapping->descriptor);
        mapping->descriptor = -1;
    }
}

int share_memory(rddp_session *session, uint32_t number, struct mapping *mapping) {
    /* Waits until a hole that is being punched is done. */
    if (!is_immutable(mapping->descriptor) && fcntl(mapping->descriptor, F_ADD_SEALS, F_SEAL_FUTURE_WRITE) != 0) {
        return fail_errno(RDDP_UNSAFE_MEMORY, "holes in the memory cannot be forbidden");
    }
    close(mapping->descriptor);
    mapping->descriptor = -1;
    struct message message;
    begin_message(&message, SHARE_MEMORY);
    put_u32(&message, number);
    struct pending pending = {.arrived = NULL};
    return request(session, &message, DONE, mapping->length / POPULATED_A_SECOND * 1000000000u, &pending);
}

static rddp_memory *find_memory(rddp_session *session, uint32_t number) {
    rddp_memory *memory = session->memories;
    while (memory != NULL && memory->number != number) {
        memory = memory->next;
    }
    return memory;
}

static rddp_memory *add_memory(rddp_session *session, uint32_t number, struct mapping mapping) {
    rddp_memory *memory = calloc(1, sizeof *memory);
    if (memory != NULL) {
        memory->session = session;
        memory->number = number;
        memory->mapping = mapping;
        memory->next = session->memories;
        session->memories = memory;
    }
    return memory;
}

static void remove_memory(rddp_session *session, rddp_memory *memory) {
    rddp_memory **at = &session->memories;
    while (*at != memory) {
        at = &(*at)->next;
    }
    *at = memory->next;
    unmap_shared(&memory->mapping);
    free(memory);
}

/* Frees a piece in the daemon, and the memory here with its last piece. */
static int free_piece(rddp_session *session, rddp_memory *memory, uint64_t offset) {
    struct message message;
    begin_message(&message, FREE_MEMORY);
    put_u32(&message, memory->number);
    put_u64(&message, offset);
    int result = request_done(session, &message);
    if (result != RDDP_OK && result != RDDP_LOST) {
        return result;
    }
    memory->pieces--;
    if (memory->pieces == 0) {
        remove_memory(session, memory);
    }
    return RDDP_OK;
}

static int check_access(const struct rddp_region_options *options) {
    return options->connection == NULL && (options->access & RDDP_REMOTE_INVALIDATE) != 0
        ? fail(RDDP_INVALID,
              "a region with RDDP_REMOTE_INVALIDATE must be for one connection: give rddp_register_part() one, or bind a"
              " memory window")
        : RDDP_OK;
}

static void put_region_options(struct message *message, const struct rddp_region_options *options) {
    put_u32(message, options->access);
    put_u32(message, options->connection == NULL ? 0 : options->connection->number);
    put_u64(message, options->base);
    put_u32(message, options->domain);
}

/* Sends a request that registers `octets`; the region is filled in but for its place in memory. */
static int request_region(rddp_session *session, struct message *message, uint64_t octets, rddp_region **region) {
    rddp_region *made = calloc(1, sizeof *made);
    if (made == NULL) {
        return fail(RDDP_RESOURCES, "no memory for a region");
    }
    struct pending pending = {.arrived = NULL};
    int result = request(session, message, REGISTERED, octets / POPULATED_A_SECOND * 1000000000u, &pending);
    if (result != RDDP_OK) {
        free(made);
        return result;
    }
    made->session = session;
    made->length = octets;
    made->stag = get_u32(&pending.reply);
    made->base = get_u64(&pending.reply);
    pthread_mutex_lock(&session->lock);
    made->next = session->regions;
    session->regions = made;
    pthread_mutex_unlock(&session->lock);
    *region = made;
    return RDDP_OK;
}

static int register_range(rddp_memory *memory, uint64_t offset, uint64_t octets,
    const struct rddp_region_options *options, bool owns_piece, rddp_region **region) {
    struct message message;
    begin_message(&message, REGISTER);
    put_u32(&message, memory->number);
    put_u64(&message, offset);
    put_u64(&message, octets);
    put_region_options(&message, options);
    int result = check_access(options);
    if (result == RDDP_OK) {
        result = request_region(memory->session, &message, octets, region);
    }
    if (result == RDDP_OK) {
        (*region)->memory = memory;
        (*region)->offset = offset;
        (*region)->owns_piece = owns_piece;
    }
    return result;
}

int rddp_register_pieces(rddp_session *session, const struct rddp_memory_piece *pieces, unsigned count,
    const struct rddp_region_options *options, rddp_region **region) {
    if (count == 0 || count > RDDP_MAX_MEMORY_PIECES) {
        return fail(RDDP_INVALID, "%u pieces: a region has 1 to %u", count, RDDP_MAX_MEMORY_PIECES);
    }
    struct message message;
    begin_message(&message, REGISTER_PIECES);
    put_region_options(&message, options);
    put_u16(&message, count);
    uint64_t octets = 0;
    for (unsigned i = 0; i < count; i++) {
        put_u32(&message, pieces[i].memory->number);
        put_u64(&message, pieces[i].offset);
        put_u64(&message, pieces[i].octets);
        octets += pieces[i].octets;
    }
    int result = check_access(options);
    return result == RDDP_OK ? request_region(session, &message, octets, region) : result;
}

/* Registers the whole of a new piece; frees it if that fails. */
static int register_piece(rddp_session *session, rddp_memory *memory, uint64_t offset, uint64_t octets,
    unsigned access, rddp_region **region) {
    struct rddp_region_options options = {.access = access};
    int result = register_range(memory, offset, octets, &options, true, region);
    if (result != RDDP_OK) {
        struct saved_error saved = save_error();
        free_piece(session, memory, offset);
        restore_error(&saved);
    }
    return result;
}

/* Adds a mapping of both ends with its first piece, and shares it. */
static int share_new(rddp_session *session, uint32_t number, struct mapping mapping, rddp_memory **made) {
    rddp_memory *memory = add_memory(session, number, mapping);
    if (memory == NULL) {
        unmap_shared(&mapping);
        return fail(RDDP_RESOURCES, "no memory for a mapping");
    }
    memory->pieces = 1;
    int result = share_memory(session, number, &memory->mapping);
    if (result != RDDP_OK) {
        struct saved_error saved = save_error();
        free_piece(session, memory, 0);
        restore_error(&saved);
        return result;
    }
    *made = memory;
    return RDDP_OK;
}

/* Finds the memory of a piece that the daemon has allocated; maps it if its descriptor came with the piece. */
static int piece_memory(rddp_session *session, struct message *reply, rddp_memory **memory, uint64_t *offset) {
    uint32_t number = get_u32(reply);
    *offset = get_u64(reply);
    uint64_t octets = get_u64(reply);
    bool has_descriptor = get_bool(reply);
    int descriptor = take_descriptor(reply);
    if (!is_complete(reply) || has_descriptor != (descriptor >= 0)) {
        if (descriptor >= 0) {
            close(descriptor);
        }
        return fail(RDDP_PROTOCOL, "the daemon's reply about memory is not well formed");
    }
    if (has_descriptor) {
        struct mapping mapping;
        int result = map_shared(descriptor, &mapping);
        if (result == RDDP_OK) {
            result = share_new(session, number, mapping, memory);
        }
        if (result != RDDP_OK) {
            return result;
        }
    } else {
        *memory = find_memory(session, number);
        if (*memory != NULL) {
            (*memory)->pieces++;
        }
    }
    if (*memory == NULL || octets > (*memory)->mapping.length || *offset > (*memory)->mapping.length - octets) {
        return fail(RDDP_PROTOCOL, "the daemon allocated memory outside of its mapping");
    }
    return RDDP_OK;
}

/* Allocates a piece of a memory. */
static int allocate(rddp_session *session, uint64_t octets, rddp_memory **memory, uint64_t *offset) {
    struct message message;
    begin_message(&message, ALLOCATE_MEMORY);
    put_u64(&message, octets);
    struct pending pending = {.arrived = NULL};
    int result = request(session, &message, MEMORY_ALLOCATED, 0, &pending);
    return result == RDDP_OK ? piece_memory(session, &pending.reply, memory, offset) : result;
}

int rddp_allocate_memory(rddp_session *session, uint64_t octets, rddp_memory **memory) {
    uint64_t offset;
    pthread_mutex_lock(&session->memory_lock);
    int result = allocate(session, octets < LEAST_WHOLE ? LEAST_WHOLE : octets, memory, &offset);
    pthread_mutex_unlock(&session->memory_lock);
    return result;
}

void *rddp_memory_address(const rddp_memory *memory) {
    return memory->mapping.address;
}

int rddp_allocate(rddp_session *session, uint64_t octets, unsigned access, rddp_region **region) {
    rddp_memory *memory = NULL;
    uint64_t offset = 0;
    pthread_mutex_lock(&session->memory_lock);
    int result = allocate(session, octets, &memory, &offset);
    if (result == RDDP_OK) {
        result = register_piece(session, memory, offset, octets, access, region);
    }
    pthread_mutex_unlock(&session->memory_lock);
    return result;
}

/* Sends a memfd that has been mapped or checked, and shares it; closes the mapping if that fails. */
static int adopt(rddp_session *session, struct mapping mapping, rddp_memory **memory) {
    struct message message;
    begin_message(&message, ADOPT_MEMORY);
    message.descriptors[0] = mapping.descriptor;
    message.descriptor_count = 1;
    struct pending pending = {.arrived = NULL};
    int result = request(session, &message, MEMORY_ADOPTED, 0, &pending);
    if (result != RDDP_OK) {
        unmap_shared(&mapping);
        return result;
    }
    return share_new(session, get_u32(&pending.reply), mapping, memory);
}

static int duplicate(int descriptor, int *own) {
    *own = fcntl(descriptor, F_DUPFD_CLOEXEC, 0);
    return *own < 0 ? fail_errno(RDDP_INVALID, "the descriptor cannot be duplicated") : RDDP_OK;
}

int rddp_register_fd(rddp_session *session, int descriptor, unsigned access, rddp_region **region) {
    int own;
    struct mapping mapping;
    int result = duplicate(descriptor, &own);
    if (result == RDDP_OK) {
        result = map_shared(own, &mapping);
    }
    if (result != RDDP_OK) {
        return result;
    }
    rddp_memory *memory;
    pthread_mutex_lock(&session->memory_lock);
    result = adopt(session, mapping, &memory);
    if (result == RDDP_OK) {
        result = register_piece(session, memory, 0, memory->mapping.length, access, region);
    }
    pthread_mutex_unlock(&session->memory_lock);
    return result;
}

int rddp_adopt(rddp_session *session, int descriptor, rddp_memory **memory) {
    struct mapping mapping = {.address = NULL};
    int result = duplicate(descriptor, &mapping.descriptor);
    if (result == RDDP_OK) {
        result = check_shared(mapping.descriptor, &mapping.length);
        if (result != RDDP_OK) {
            unmap_shared(&mapping);
        }
    }
    if (result == RDDP_OK) {
        pthread_mutex_lock(&session->memory_lock);
        result = adopt(session, mapping, memory);
        pthread_mutex_unlock(&session->memory_lock);
    }
    return result;
}

int rddp_free_memory(rddp_memory *memory) {
    if (memory == NULL) {
        return RDDP_OK;
    }
    rddp_session *session = memory->session;
    pthread_mutex_lock(&session->memory_lock);
    int result = free_piece(session, memory, 0);
    pthread_mutex_unlock(&session->memory_lock);
    return result;
}

static int fail_range(uint64_t offset, uint64_t octets, uint64_t length) {
    return fail(RDDP_INVALID, "octets %llu to %llu + %llu of %llu", (unsigned long long)offset,
        (unsigned long long)offset, (unsigned long long)octets, (unsigned long long)length);
}

int rddp_register(rddp_memory *memory, uint64_t offset, uint64_t octets, const struct rddp_region_options *options,
    rddp_region **region) {
    if (octets > memory->mapping.length || offset > memory->mapping.length - octets) {
        return fail_range(offset, octets, memory->mapping.length);
    }
    return register_range(memory, offset, octets, options, false, region);
}

int rddp_register_part(rddp_region *whole, uint64_t offset, uint64_t octets, unsigned access,
    rddp_connection *connection, rddp_region **region) {
    struct rddp_region_options options = {.access = access, .connection = connection};
    return rddp_register_part_with(whole, offset, octets, &options, region);
}

int rddp_register_part_with(rddp_region *whole, uint64_t offset, uint64_t octets,
    const struct rddp_region_options *options, rddp_region **region) {
    if (whole->memory == NULL) {
        return fail(RDDP_INVALID, "the region has several pieces: register those that the part needs");
    }
    if (octets > whole->length || offset > whole->length - octets) {
        return fail_range(offset, octets, whole->length);
    }
    return register_range(whole->memory, whole->offset + offset, octets, options, false, region);
}

int rddp_free(rddp_region *region) {
    rddp_session *session = region->session;
    if (!region->deregistered) {
        struct message message;
        begin_message(&message, DEREGISTER);
        put_u32(&message, region->stag);
        int result = request_done(session, &message);
        if (result != RDDP_OK && result != RDDP_LOST) {
            return result;
        }
        region->deregistered = true;
    }
    if (region->owns_piece) {
        pthread_mutex_lock(&session->memory_lock);
        int result = free_piece(session, region->memory, region->offset);
        pthread_mutex_unlock(&session->memory_lock);
        if (result != RDDP_OK) {
            return result;
        }
    }
    pthread_mutex_lock(&session->lock);
    rddp_region **at = &session->regions;
    while (*at != region) {
        at = &(*at)->next;
    }
    *at = region->next;
    pthread_mutex_unlock(&session->lock);
    free(region);
    return RDDP_OK;
}

void free_memories(rddp_session *session) {
    while (session->regions != NULL) {
        rddp_region *region = session->regions;
        session->regions = region->next;
        free(region);
    }
    while (session->memories != NULL) {
        remove_memory(session, session->memories);
    }
}

void *rddp_region_address(const rddp_region *region) {
    uint8_t *address = region->memory == NULL ? NULL : region->memory->mapping.address;
    return address == NULL ? NULL : address + region->offset;
}

uint64_t rddp_region_length(const rddp_region *region) {
    return region->length;
}

uint32_t rddp_region_stag(const rddp_region *region) {
    return region->stag;
}

uint64_t rddp_region_base(const rddp_region *region) {
    return region->base;
}

int rddp_allocate_window(rddp_session *session, enum rddp_window_kind kind, uint32_t domain, rddp_window *window) {
    struct message message;
    begin_message(&message, ALLOCATE_WINDOW);
    put_u32(&message, kind);
    put_u32(&message, domain);
    struct pending pending = {.arrived = NULL};
    int result = request(session, &message, WINDOW_ALLOCATED, 0, &pending);
    if (result == RDDP_OK) {
        window->number = get_u32(&pending.reply);
        window->stag = get_u32(&pending.reply);
    }
    return result;
}

int rddp_free_window(rddp_session *session, rddp_window window) {
    struct message message;
    begin_message(&message, FREE_WINDOW);
    put_u32(&message, window.number);
    return request_done(session, &message);
}
