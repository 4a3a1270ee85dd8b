#include "message.h"

#include <endian.h>
#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#define HEADER 12

static uint8_t *writable(struct message *message, size_t octets) {
    if (message->broken || octets > MESSAGE_OCTETS - message->at) {
        message->broken = true;
        return NULL;
    }
    uint8_t *place = message->octets + message->at;
    message->at += octets;
    message->length = message->at;
    return place;
}

static const uint8_t *readable(struct message *message, size_t octets) {
    if (message->broken || octets > message->length - message->at) {
        message->broken = true;
        return NULL;
    }
    const uint8_t *place = message->octets + message->at;
    message->at += octets;
    return place;
}

static void put(struct message *message, const void *value, size_t octets) {
    uint8_t *place = writable(message, octets);
    if (place != NULL && octets > 0) {
        memcpy(place, value, octets);
    }
}

static bool get(struct message *message, void *value, size_t octets) {
    const uint8_t *place = readable(message, octets);
    if (place == NULL) {
        memset(value, 0, octets);
        return false;
    }
    memcpy(value, place, octets);
    return true;
}

void begin_message(struct message *message, unsigned type) {
    message->at = message->length = 12;
    message->broken = false;
    message->type = type;
    message->descriptor_count = message->taken = 0;
}

void put_u16(struct message *message, unsigned value) {
    uint16_t number = htobe16((uint16_t)value);
    put(message, &number, sizeof number);
}

void put_u32(struct message *message, uint32_t value) {
    uint32_t number = htobe32(value);
    put(message, &number, sizeof number);
}

void put_u64(struct message *message, uint64_t value) {
    uint64_t number = htobe64(value);
    put(message, &number, sizeof number);
}

void put_bool(struct message *message, bool value) {
    uint8_t octet = value;
    put(message, &octet, 1);
}

/* Linux's AF_INET and AF_INET6. */
#define FAMILY_IPV4 2
#define FAMILY_IPV6 10

void put_address(struct message *message, uint32_t value) {
    put_u16(message, FAMILY_IPV4);
    put_u32(message, 0);
    put_u64(message, (uint64_t)value << 32);
    put_u64(message, 0);
}

void put_ipv6(struct message *message, const struct in6_addr *address) {
    if (IN6_IS_ADDR_V4MAPPED(address)) {
        put_address(message, unmapped(address));
        return;
    }
    put_u16(message, FAMILY_IPV6);
    put_u32(message, 0);
    put(message, address, sizeof *address);
}

void put_octets(struct message *message, const void *octets, size_t length) {
    if (length > UINT16_MAX) {
        message->broken = true;
        return;
    }
    put_u16(message, (unsigned)length);
    put(message, octets, length);
}

void put_text(struct message *message, const char *text) {
    put_octets(message, text, strlen(text));
}

unsigned get_u16(struct message *message) {
    uint16_t number;
    get(message, &number, sizeof number);
    return be16toh(number);
}

uint32_t get_u32(struct message *message) {
    uint32_t number;
    get(message, &number, sizeof number);
    return be32toh(number);
}

uint64_t get_u64(struct message *message) {
    uint64_t number;
    get(message, &number, sizeof number);
    return be64toh(number);
}

struct in6_addr mapped(uint32_t address) {
    struct in6_addr made = {.s6_addr = {[10] = 0xff, [11] = 0xff}};
    uint32_t word = htobe32(address);
    memcpy(made.s6_addr + 12, &word, sizeof word);
    return made;
}

static uint32_t low_word(const struct in6_addr *address) {
    uint32_t word;
    memcpy(&word, address->s6_addr + 12, sizeof word);
    return be32toh(word);
}

uint32_t unmapped(const struct in6_addr *address) {
    return IN6_IS_ADDR_V4MAPPED(address) ? low_word(address) : 0;
}

struct in6_addr get_ipv6(struct message *message) {
    unsigned family = get_u16(message);
    get_u32(message);
    struct in6_addr address;
    get(message, &address, sizeof address);
    if (family == FAMILY_IPV4) {
        memmove(address.s6_addr + 12, address.s6_addr, 4);
        memset(address.s6_addr, 0, 10);
        memset(address.s6_addr + 10, 0xff, 2);
    }
    return address;
}

uint32_t get_address(struct message *message) {
    struct in6_addr address = get_ipv6(message);
    return unmapped(&address);
}

uint8_t get_u8(struct message *message) {
    uint8_t octet;
    get(message, &octet, 1);
    return octet;
}

bool get_bool(struct message *message) {
    uint8_t octet;
    get(message, &octet, 1);
    message->broken |= octet > 1;
    return octet == 1;
}

size_t get_octets(struct message *message, void *octets, size_t room) {
    size_t length = get_u16(message);
    const uint8_t *place = readable(message, length);
    if (place == NULL) {
        return 0;
    }
    memcpy(octets, place, length < room ? length : room);
    return length < room ? length : room;
}

void get_text(struct message *message, char *text, size_t room) {
    text[get_octets(message, text, room - 1)] = '\0';
}

int take_descriptor(struct message *message) {
    return message->taken < message->descriptor_count ? message->descriptors[message->taken++] : -1;
}

bool is_complete(const struct message *message) {
    return !message->broken && message->at == message->length;
}

void close_descriptors(struct message *message) {
    while (message->taken < message->descriptor_count) {
        close(take_descriptor(message));
    }
}

/* Room for the descriptors of one message. */
union ancillary {
    struct cmsghdr header;
    char room[CMSG_SPACE(MESSAGE_DESCRIPTORS * sizeof(int))];
};

enum transfer send_message(int socket, struct message *message) {
    if (message->broken) {
        errno = EMSGSIZE;
        return TRANSFER_FAILED;
    }
    uint32_t length = htobe32((uint32_t)message->length);
    uint16_t type = htobe16((uint16_t)message->type);
    uint32_t request = htobe32(message->request);
    memcpy(message->octets, &length, sizeof length);
    memcpy(message->octets + 4, &type, sizeof type);
    memset(message->octets + 6, 0, 2);
    memcpy(message->octets + 8, &request, sizeof request);

    struct iovec part = {.iov_base = message->octets, .iov_len = message->length};
    union ancillary ancillary;
    struct msghdr header = {.msg_iov = &part, .msg_iovlen = 1};
    if (message->descriptor_count > 0) {
        size_t octets = message->descriptor_count * sizeof(int);
        memset(&ancillary, 0, sizeof ancillary);
        header.msg_control = &ancillary;
        header.msg_controllen = CMSG_SPACE(octets);
        struct cmsghdr *control = CMSG_FIRSTHDR(&header);
        control->cmsg_level = SOL_SOCKET;
        control->cmsg_type = SCM_RIGHTS;
        control->cmsg_len = CMSG_LEN(octets);
        memcpy(CMSG_DATA(control), message->descriptors, octets);
    }
    ssize_t sent;
    do {
        sent = sendmsg(socket, &header, MSG_DONTWAIT | MSG_NOSIGNAL);
    } while (sent < 0 && errno == EINTR);
    if (sent >= 0) {
        return TRANSFERRED;
    }
    /* ETOOMANYREFS: too many descriptors in flight for now. */
    return errno == EAGAIN || errno == ETOOMANYREFS ? WOULD_BLOCK : TRANSFER_FAILED;
}

static void take_descriptors(struct message *message, struct msghdr *header) {
    for (struct cmsghdr *control = CMSG_FIRSTHDR(header); control != NULL; control = CMSG_NXTHDR(header, control)) {
        if (control->cmsg_level != SOL_SOCKET || control->cmsg_type != SCM_RIGHTS) {
            continue;
        }
        size_t count = (control->cmsg_len - CMSG_LEN(0)) / sizeof(int);
        for (size_t i = 0; i < count; i++) {
            int descriptor;
            memcpy(&descriptor, CMSG_DATA(control) + i * sizeof(int), sizeof(int));
            if (message->descriptor_count < MESSAGE_DESCRIPTORS) {
                message->descriptors[message->descriptor_count++] = descriptor;
            } else {
                close(descriptor);
            }
        }
    }
}

/* Reads the header; the fields follow. */
static bool has_header(struct message *message) {
    message->at = 0;
    message->broken = false;
    uint32_t length = get_u32(message);
    message->type = get_u16(message);
    unsigned zero = get_u16(message);
    message->request = get_u32(message);
    return !message->broken && length == message->length && zero == 0;
}

enum transfer receive_message(int socket, struct message *message) {
    // cppcheck-suppress ctuuninitvar  ; recvmsg() fills it
    struct iovec part = {.iov_base = message->octets, .iov_len = sizeof message->octets};
    union ancillary ancillary;
    struct msghdr header = {
        .msg_iov = &part, .msg_iovlen = 1, .msg_control = &ancillary, .msg_controllen = sizeof ancillary};
    ssize_t received;
    do {
        received = recvmsg(socket, &header, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
    } while (received < 0 && errno == EINTR);
    if (received < 0) {
        return errno == EAGAIN ? WOULD_BLOCK : TRANSFER_FAILED;
    }
    message->length = (size_t)received;
    message->descriptor_count = 0;
    message->taken = 0;
    take_descriptors(message, &header);
    if (received == 0) {
        errno = EPIPE;
        return TRANSFER_FAILED;
    }
    if ((header.msg_flags & (MSG_TRUNC | MSG_CTRUNC)) != 0 || !has_header(message)) {
        close_descriptors(message);
        /* The process may have no more of them. */
        errno = (header.msg_flags & MSG_CTRUNC) != 0 ? EMFILE : EBADMSG;
        return TRANSFER_FAILED;
    }
    return TRANSFERRED;
}
