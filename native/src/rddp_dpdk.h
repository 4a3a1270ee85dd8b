/*
 * rddp_dpdk.h - DPDK as rddp sees it.
 *
 * Most of what a DPDK program calls per packet is static inline and has no symbol that another
 * language could call. This shim provides symbols for it, and wraps the other functions that rddp
 * uses, with types that do not depend on DPDK's headers. It makes no decisions, and holds no state that
 * its callers must know of.
 *
 * The header contains no DPDK type: it needs only a C compiler, and the Java bindings are generated
 * from it alone. Java gets the layout of rte_mbuf from rddp_get_mbuf_layout(), and checks with
 * rddp_abi() and rddp_fields() that bindings and shim agree on the types below.
 *
 * Results: unless stated otherwise a function returns 0 or a count on success and a negative errno on
 * failure; rddp_strerror() explains its absolute value, which may be one of DPDK's own numbers.
 *
 * Threads: control functions (EAL, pools, ports) may be called by one thread at a time. A queue
 * belongs to one thread; so does a reference count, unless all threads change it through DPDK.
 */
#ifndef RDDP_DPDK_H
#define RDDP_DPDK_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Agreement between shim and bindings ---- */

/* Increment with every change of a type or function below. */
#define RDDP_ABI 7

/* A member of one of the structs below, as the shim was compiled. */
struct rddp_field {
    const char *name; /* "struct.member"; a struct as a whole has the name "struct" and offset 0 */
    uint32_t offset;  /* octets from the struct's beginning */
    uint32_t size;    /* octets */
};

/* RDDP_ABI when the shim was compiled. */
uint32_t rddp_abi(void);

/* Every struct of this header and every member; an entry with a null name ends the list. */
const struct rddp_field *rddp_fields(void);

/* The layout of a packet buffer: offsets in octets from the beginning of rte_mbuf. */
struct rddp_mbuf_layout {
    uint32_t size;       /* of rte_mbuf itself, without private area and data */
    uint32_t headroom;   /* octets before the data of a newly allocated buffer */
    uint32_t buf_addr;   /* 8 octets: address of the buffer */
    uint32_t data_off;   /* 2: first octet of data, from buf_addr */
    uint32_t refcnt;     /* 2: references */
    uint32_t nb_segs;    /* 2: buffers in the chain that begins with this one */
    uint32_t ol_flags;   /* 8: offload flags */
    uint32_t pkt_len;    /* 4: octets of data in the whole chain */
    uint32_t data_len;   /* 2: octets of data in this buffer */
    uint32_t buf_len;    /* 2: octets of the buffer, headroom included */
    uint32_t pool;       /* 8: the pool it belongs to */
    uint32_t next;       /* 8: next buffer of the chain, or 0 */
    uint32_t tx_offload; /* 8: header lengths for transmit offloads */
};

/* Fills in the layout of rte_mbuf that the shim was compiled with. */
void rddp_get_mbuf_layout(struct rddp_mbuf_layout *layout);

/*
 * The offload flags of rte_mbuf. Receive: the port's results for a frame. Transmit: the offloads
 * requested, and the positions of the lengths in tx_offload.
 */
struct rddp_offload_flags {
    uint64_t rx_l4_mask;     /* mask of the TCP checksum's result: 0, or one of the next three */
    uint64_t rx_l4_good;     /* it is right */
    uint64_t rx_l4_none;     /* it was omitted, and the octets are right */
    uint64_t rx_l4_bad;      /* it is wrong */
    uint64_t tx_ipv4;        /* an IPv4 packet */
    uint64_t tx_ipv6;        /* an IPv6 packet */
    uint64_t tx_ip_checksum; /* compute the IP header's checksum */
    uint64_t tx_tcp_checksum; /* compute the TCP checksum */
    uint64_t tx_tcp_segment; /* cut into segments */
    uint32_t l2_shift;       /* lowest bit of the link header's length */
    uint32_t l3_shift;       /* lowest bit of the IP header's length */
    uint32_t l4_shift;       /* lowest bit of the TCP header's length */
    uint32_t segment_shift;  /* lowest bit of the octets of payload in a segment */
};

/* Fills in the flags that the shim was compiled with. */
void rddp_get_offload_flags(struct rddp_offload_flags *flags);

/* ---- Environment abstraction layer (EAL) ---- */

/* DPDK's version at run time, such as "DPDK 22.11.11". */
const char *rddp_dpdk_version(void);

/* Text of an errno or of a DPDK error number; valid until this thread's next call. */
const char *rddp_strerror(int error);

/*
 * Initialises the EAL: once per process, and not again after a failure. Pins the calling thread to
 * the main lcore; threads that it starts afterwards inherit that. argv[0] is the program's name;
 * the strings may be rearranged and must stay valid.
 * DPDK may end the process instead of returning, from 25.11 on for an argument that it does not know.
 * If standard output goes to a file meanwhile, that file's text is then copied to another descriptor,
 * after a line that says what has happened.
 *
 * kept  descriptor of the file, or -1 for none
 * told  descriptor that the file's text is copied to
 *
 * Returns the number of arguments that the EAL consumed.
 */
int rddp_eal_init(int argc, char **argv, int kept, int told);

/* Directory of the files that the EAL created for this process and does not remove. Call after init. */
const char *rddp_runtime_dir(void);

/* Registers the calling thread with the EAL, so that it gets its own cache in every pool. */
int rddp_thread_register(void);

/* Undoes rddp_thread_register(). */
void rddp_thread_unregister(void);

/* ---- Packet buffers ---- */

/*
 * Creates a pool of packet buffers.
 *
 * name      unique in the process, at most 25 characters
 * count     buffers; 2^n - 1 uses memory best
 * cache     buffers in a registered thread's own cache, 0 to 512 and at most count / 1.5
 * priv_size octets between rte_mbuf and the buffer, a multiple of 8
 * data_room octets of a buffer, headroom included, at most 65535
 * socket    NUMA node, or -1 for any
 * pool      the pool
 */
int rddp_mempool_create(const char *name, uint32_t count, uint32_t cache, uint32_t priv_size,
                        uint32_t data_room, int socket, void **pool);

/* Frees a pool. No port may use it any more. */
void rddp_mempool_free(void *pool);

/* Buffers that can be allocated now, including caches. Walks all caches, so not for every packet. */
uint32_t rddp_mempool_available(const void *pool);

/* Allocates count buffers with one reference each, all (0) or none (negative). Hot. */
int rddp_alloc_bulk(void *pool, void **mbufs, uint32_t count);

/* Releases one reference to each of count buffers and their chains. Hot. */
void rddp_free_bulk(void **mbufs, uint32_t count);

/* Allocates one buffer; null if there is none. Hot. */
void *rddp_alloc(void *pool);

/* Releases one reference to a buffer and its chain. Hot. */
void rddp_free(void *mbuf);

/* ---- Rings of pointers ---- */

/*
 * Creates a ring.
 *
 * name   unique in the process, at most 28 characters
 * slots  a power of two; one of them stays empty
 * socket NUMA node, or -1 for any
 * single whether a single thread enqueues and a single thread dequeues
 * ring   the ring
 */
int rddp_ring_create(const char *name, uint32_t slots, int socket, int single, void **ring);

/* Frees a ring. No port may use it any more. */
void rddp_ring_free(void *ring);

/* Dequeues up to count pointers; returns how many. */
uint32_t rddp_ring_dequeue(void *ring, void **objects, uint32_t count);

/* ---- Ethernet ports ---- */

/* Octets of a name, including the final zero. */
#define RDDP_NAME_SIZE 64

/* Identity and capabilities of a port. */
struct rddp_port_info {
    char name[RDDP_NAME_SIZE];   /* of the device, such as "net_vhost0" or "0000:03:00.0" */
    char driver[RDDP_NAME_SIZE]; /* such as "net_vhost" */
    uint64_t rx_offloads;        /* offloads that receive can do; rddp_rx_offload_name() */
    uint64_t tx_offloads;        /* offloads that transmit can do; rddp_tx_offload_name() */
    uint64_t mac;                /* address in the low 48 bits, its first octet highest */
    uint32_t min_mtu;            /* octets of an IP packet */
    uint32_t max_mtu;            /* octets of an IP packet; 65535 if the driver does not report it */
    uint32_t min_rx_buffer;      /* octets of room that a receive buffer must have */
    uint32_t max_rx_queues;
    uint32_t max_tx_queues;
    uint32_t default_rx_slots;  /* descriptors of a queue that the driver, or else DPDK, recommends */
    uint32_t default_tx_slots;
    uint32_t rss_tcp;           /* 1: can distribute TCP over IPv4 over its receive queues */
    uint32_t rss_tcp_ipv6;      /* 1: can distribute TCP over IPv6, too */
    uint32_t rss_key_size;      /* octets of the key of its hash; 0: it takes none */
    uint32_t rss_table_size;    /* entries of the table from hashes to queues; 0: it has none */
    int32_t socket;             /* NUMA node, or -1 */
};

/* Octets of the longest key of a port's hash. */
#define RDDP_RSS_KEY_SIZE 64

/* Configuration of a port. */
struct rddp_port_config {
    uint64_t rx_offloads;  /* of rddp_port_info.rx_offloads */
    uint64_t tx_offloads;  /* of rddp_port_info.tx_offloads */
    uint32_t rx_queues;
    uint32_t tx_queues;
    uint32_t mtu;          /* octets of an IP packet, or 0 for the driver's default */
    uint32_t rx_interrupts; /* 1: the port can signal received frames */
    uint32_t rss_tcp;      /* 1: distribute TCP over the receive queues by its four-tuple */
    uint32_t rss_key_size; /* octets of rss_key, or 0 for the driver's own key */
    uint8_t rss_key[RDDP_RSS_KEY_SIZE]; /* the key of the hash */
};

/* Counters of a port since its start. */
struct rddp_port_stats {
    uint64_t rx_frames;
    uint64_t tx_frames;
    uint64_t rx_octets;
    uint64_t tx_octets;
    uint64_t rx_missed;     /* dropped by the device: its queue was full */
    uint64_t rx_errors;     /* received damaged */
    uint64_t tx_errors;     /* could not be sent, and refused by rddp_tx_burst() */
    uint64_t rx_no_buffer;  /* no packet buffer to receive into */
};

/* The first port whose number is at least from; -ENODEV if there is none. */
int rddp_port_next(uint16_t from);

/*
 * Attaches a device: a virtual device such as "net_vhost0,iface=/run/a.sock", or a PCI address.
 * Returns its first port.
 */
int rddp_port_attach(const char *device_arguments);

/* Closes a stopped port and removes its device. */
int rddp_port_detach(uint16_t port);

/*
 * Creates a port from rings: it transmits into tx_rings and receives from rx_rings. Buffers are
 * passed on, not copied. Returns the port.
 */
int rddp_port_from_rings(const char *name, void *const *rx_rings, uint32_t rx_count,
                         void *const *tx_rings, uint32_t tx_count, int socket);

/* Gets identity and capabilities of the port. */
int rddp_port_get_info(uint16_t port, struct rddp_port_info *info);

/* Name of an offload that is the single bit set in offload, such as "SCATTER"; never null. */
const char *rddp_rx_offload_name(uint64_t offload);

/* Name of an offload that is the single bit set in offload, such as "MULTI_SEGS"; never null. */
const char *rddp_tx_offload_name(uint64_t offload);

/* Configures a stopped port. Its queues must be set up next. */
int rddp_port_configure(uint16_t port, const struct rddp_port_config *config);

/* Adjusts numbers of descriptors to the range that the driver allows. */
int rddp_port_adjust_slots(uint16_t port, uint16_t *rx_slots, uint16_t *tx_slots);

/* Sets up a receive queue that takes its buffers from pool. */
int rddp_port_rx_queue(uint16_t port, uint16_t queue, uint16_t slots, int socket, void *pool);

/* Sets up a transmit queue. */
int rddp_port_tx_queue(uint16_t port, uint16_t queue, uint16_t slots, int socket);

/* Starts a port that is configured. */
int rddp_port_start(uint16_t port);

/*
 * Whether the peer of a net_vhost port has agreed to take frames of several TCP segments, over IPv4 and IPv6: 1 or 0.
 * 0 while there is no peer, and for ports of other drivers.
 */
int rddp_port_peer_takes_long(uint16_t port);

/* Makes a started port receive all multicast frames; every frame if its driver cannot receive
 * multicast alone. A driver without either filter receives everything anyway. */
int rddp_port_receive_multicast(uint16_t port);

/* Stops a port. It releases the buffers that it holds now, or in rddp_port_detach(). */
int rddp_port_stop(uint16_t port);

/*
 * Gets the key with which a started port hashes received TCP, at most capacity octets. Returns its
 * octets; -ENOTSUP if the driver does not report it.
 */
int rddp_port_rss_key(uint16_t port, uint8_t *key, uint32_t capacity);

/*
 * Gets the table of a started port: the queue of each hash modulo the table's size, at most capacity
 * entries. Returns its entries; -ENOTSUP if the driver does not report it.
 */
int rddp_port_rss_table(uint16_t port, uint16_t *queues, uint32_t capacity);

/* Whether the link is up, without waiting: 1 or 0. */
int rddp_port_link_up(uint16_t port);

/* Gets the port's counters. */
int rddp_port_get_stats(uint16_t port, struct rddp_port_stats *stats);

/*
 * A descriptor for epoll(7), edge-triggered, by which a started port signals frames of the queue;
 * -ENOTSUP if the driver has none. The port owns it, and it must not be read.
 */
int rddp_rx_interrupt_descriptor(uint16_t port, uint16_t queue);

/*
 * Turns the port's signals for frames of the queue on or off. -ENOTSUP if the driver's descriptor
 * always signals them. Call on the thread that receives.
 */
int rddp_rx_interrupt(uint16_t port, uint16_t queue, int on);

/* ---- Bursts ---- */

/* Receives up to count frames; the caller owns a reference to each. Hot. */
uint16_t rddp_rx_burst(uint16_t port, uint16_t queue, void **mbufs, uint16_t count);

/*
 * Prepares and transmits count frames in order. Returns how many the port accepted, counted from the
 * first; it owns a reference to each of these. A frame that the driver refuses to prepare, because of
 * the offloads that it requests, counts as accepted and is freed. Hot.
 */
uint16_t rddp_tx_burst(uint16_t port, uint16_t queue, void **mbufs, uint16_t count);

/* ---- ESP ---- */

/*
 * Whether the functions below can be used: the shim was built with libipsec-mb, which is there, and the processor has the
 * instructions for AES-GCM.
 */
int rddp_esp_gcm_supported(void);

/*
 * Expands the keys of an association with AES-GCM (RFC 4106): 16 or 32 octets of key and 4 of salt, 20 or 36 octets in all. esn
 * says whether sequence numbers have 64 bits. NULL if that is not supported, or without memory.
 */
void *rddp_esp_key_new(const void *keys, uint32_t octets, int esn);

/* Overwrites and frees the keys; NULL: does nothing. */
void rddp_esp_key_free(void *key);

/*
 * Writes a sealed packet: ESP header, initialization vector, the encrypted payload with padding, pad length and next header, and
 * 16 octets of ICV. The payload is not written, and must not overlap. Hot.
 */
void rddp_esp_seal(const void *key, const void *payload, uint32_t length, uint32_t next, uint32_t spi, uint64_t sequence,
                   void *sealed);

/*
 * Decrypts a sealed packet of so many octets in place, and returns the octets of payload, padding and trailer, which begin 16
 * octets behind its ESP header; -1 if the packet is not authentic. Hot.
 */
int rddp_esp_open(const void *key, void *sealed, uint32_t length, uint64_t sequence);

#ifdef __cplusplus
}
#endif

#endif
