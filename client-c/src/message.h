/* Control messages: bounded, every octet checked, numbers in network order (docs/ipc.md). */
#ifndef RDDP_MESSAGE_H
#define RDDP_MESSAGE_H

#include <netinet/in.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define MESSAGE_OCTETS 4096
#define MESSAGE_DESCRIPTORS 2

enum message_type {
    HELLO = 1,
    ALLOCATE_MEMORY = 2,
    ADOPT_MEMORY = 3,
    FREE_MEMORY = 4,
    REGISTER = 5,
    DEREGISTER = 6,
    LISTEN = 7,
    CLOSE_LISTENER = 8,
    ACCEPT = 9,
    REJECT = 10,
    CONNECT = 11,
    DISCONNECT = 12,
    CLOSE_SESSION = 16,
    ALLOCATE_WINDOW = 17,
    FREE_WINDOW = 18,
    CREATE_RECEIVE_QUEUE = 19,
    ARM_RECEIVE_QUEUE = 20,
    DESTROY_RECEIVE_QUEUE = 21,
    SHARE_MEMORY = 22,
    REGISTER_PIECES = 23,
    LIST_INTERFACES = 24,
    CREATE_NUMBER = 25,
    FREE_NUMBER = 26,
    EXPECT = 28,
    EXPECT_PSN = 29,

    WELCOME = 32,
    DONE = 33,
    REFUSED = 34,
    MEMORY_ALLOCATED = 35,
    MEMORY_ADOPTED = 36,
    REGISTERED = 37,
    LISTENING = 38,
    CONNECTING = 39,
    WINDOW_ALLOCATED = 42,
    RECEIVE_QUEUE_CREATED = 43,
    INTERFACES_LISTED = 44,
    NUMBER_CREATED = 48,

    CONNECTION_REQUESTED = 64,
    ESTABLISHED = 65,
    REJECTED = 66,
    FAILED = 67,
    PEER_CLOSED = 68,
    CLOSED = 69,
    STREAM_FAILED = 70,
    RECEIVE_QUEUE_LIMIT = 71
};

/* A message and a position in it. Reading or writing beyond its end sets `broken` and does nothing else. */
struct message {
    uint8_t octets[MESSAGE_OCTETS];
    size_t length;
    size_t at;
    bool broken;
    unsigned type;
    uint32_t request;
    int descriptors[MESSAGE_DESCRIPTORS];
    unsigned descriptor_count;
    unsigned taken;
};

/* Starts a message of a type; its request's number is set later. */
void begin_message(struct message *message, unsigned type);

void put_u16(struct message *message, unsigned value);
void put_u32(struct message *message, uint32_t value);
void put_u64(struct message *message, uint64_t value);
void put_bool(struct message *message, bool value);
/* An IPv4 address. */
void put_address(struct message *message, uint32_t value);
/* Length and octets: private data, or text. */
void put_octets(struct message *message, const void *octets, size_t length);
void put_text(struct message *message, const char *text);

unsigned get_u16(struct message *message);
uint32_t get_u32(struct message *message);
uint64_t get_u64(struct message *message);
/* An IPv4 address; 0 for none, and for one of IPv6. */
uint32_t get_address(struct message *message);

/* An address of either family, IPv4 mapped (RFC 4291 section 2.5.5.2). */
void put_ipv6(struct message *message, const struct in6_addr *address);

/* An address of either family, IPv4 mapped; :: for none. */
struct in6_addr get_ipv6(struct message *message);

/* An IPv4 address, mapped. */
struct in6_addr mapped(uint32_t address);

/* The IPv4 address of a mapped one; 0 for an IPv6 address. */
uint32_t unmapped(const struct in6_addr *address);
bool get_bool(struct message *message);
uint8_t get_u8(struct message *message);
/* Copies at most `room` octets, and returns how many there were. */
size_t get_octets(struct message *message, void *octets, size_t room);
/* Copies a text, truncated to the room and ended by 0. */
void get_text(struct message *message, char *text, size_t room);
/* The next descriptor, which now belongs to the caller; -1 if there is none. */
int take_descriptor(struct message *message);

/* Whether everything was read and nothing was missing. */
bool is_complete(const struct message *message);
void close_descriptors(struct message *message);

enum transfer { TRANSFERRED, WOULD_BLOCK, TRANSFER_FAILED };

/* Sends a message; its descriptors stay the caller's. TRANSFER_FAILED sets errno. */
enum transfer send_message(int socket, struct message *message);

/* Receives a message. TRANSFER_FAILED sets errno: EPIPE at the end, EBADMSG for a message that is not well formed. */
enum transfer receive_message(int socket, struct message *message);

#endif
