/*
 * Tests everything that the shim wraps against DPDK itself, in one process without hugepages or
 * privileges, with two ports connected by rings. Built with sanitizers; ends at the first failure.
 */
#define ALLOW_EXPERIMENTAL_API /* rte_eth_dev_conf_get */
#include "rddp_dpdk.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <rte_ethdev.h>
#include <rte_interrupts.h>
#include <rte_lcore.h>
#include <rte_mbuf.h>
#include <rte_mempool.h>

#define BUFFERS 255
#define BURST 32
#define MEMIFS 200
#define ROOM (RTE_PKTMBUF_HEADROOM + 2048)

#define EXPECT(condition) \
    do { \
        if (!(condition)) { \
            fprintf(stderr, "%s:%d: failed: %s\n", __FILE__, __LINE__, #condition); \
            exit(1); \
        } \
    } while (0)

static void *new_pool(const char *name)
{
    void *pool = NULL;
    EXPECT(rddp_mempool_create(name, BUFFERS, 0, 0, ROOM, -1, &pool) == 0);
    EXPECT(rddp_mempool_available(pool) == BUFFERS);
    return pool;
}

static void fields_match_the_types(void)
{
    const struct rddp_field *field;
    struct rddp_mbuf_layout layout;
    struct rddp_offload_flags flags;
    struct rte_mbuf mbuf = { .l2_len = 14, .l3_len = 20, .l4_len = 32, .tso_segsz = 1448 };
    int structs = 0;

    EXPECT(rddp_abi() == RDDP_ABI);
    for (field = rddp_fields(); field->name != NULL; field++) {
        EXPECT(field->size > 0);
        if (strchr(field->name, '.') == NULL)
            structs++;
    }
    EXPECT(structs == 6);

    rddp_get_mbuf_layout(&layout);
    EXPECT(layout.size == sizeof(struct rte_mbuf));
    EXPECT(layout.headroom == RTE_PKTMBUF_HEADROOM);
    EXPECT(layout.refcnt == offsetof(struct rte_mbuf, refcnt));

    rddp_get_offload_flags(&flags);
    EXPECT(flags.tx_tcp_checksum == RTE_MBUF_F_TX_TCP_CKSUM);
    EXPECT((flags.rx_l4_mask & flags.rx_l4_bad) == flags.rx_l4_bad);
    EXPECT(mbuf.tx_offload == (14ull << flags.l2_shift | 20ull << flags.l3_shift
                               | 32ull << flags.l4_shift | 1448ull << flags.segment_shift));
}

static void eal_starts_once(void)
{
    char prefix[64];
    char *arguments[] = { "self_test", "--no-huge", "-m", "64", "--no-pci", "--no-telemetry",
                          "--lcores", "0", "--iova-mode=va", "--log-level", "critical",
                          "--file-prefix", prefix, NULL };
    snprintf(prefix, sizeof(prefix), "rddp_self_test_%d", (int)getpid());
    EXPECT(rddp_eal_init(13, arguments, -1, -1) >= 0);
    EXPECT(strncmp(rddp_dpdk_version(), "DPDK ", 5) == 0);
    EXPECT(strcmp(rddp_strerror(ENOENT), "No such file or directory") == 0);
}

/* The first packet of draft-mcgrew-gcm-test-01 section 4, and packets of all lengths and both keys. */
static void sealed_packets_open(void)
{
    static const uint8_t keys[] = "\x4c\x80\xcd\xef\xbb\x5d\x10\xda\x90\x6a\xc7\x3c\x36\x13\xa6\x34\x2e\x44\x3b\x68";
    static const uint8_t packet[] =
        "\x00\x00\x43\x21\x00\x00\x00\x00\x49\x56\xed\x7e\x3b\x24\x4c\xfe"
        "\xfe\xcf\x53\x7e\x72\x9d\x5b\x07\xdc\x30\xdf\x52\x8d\xd2\x2b\x76\x8d\x1b\x98\x73\x66\x96\xa6\xfd"
        "\x34\x85\x09\xfa\x13\xce\xac\x34\xcf\xa2\x43\x6f\x14\xa3\xf3\xcf\x65\x92\x5b\xf1\xf4\xa1\x3c\x5d"
        "\x15\xb2\x1e\x18\x84\xf5\xff\x62\x47\xae\xab\xb7\x86\xb9\x3b\xce\x61\xbc\x17\xd7\x68\xfd\x97\x32"
        "\x45\x90\x18\x14\x8f\x6c\xbe\x72\x2f\xd0\x47\x96\x56\x2d\xfd\xb4";
    static const uint8_t begins[] = "\x45\x00\x00\x48\x69\x9a\x00\x00\x80\x11\x4d\xb7\xc0\xa8\x01\x02";
    uint8_t plain[200], sealed[256], other[36] = { 7 };

    EXPECT(rddp_esp_key_new(keys, 19, 1) == NULL);
    if (!rddp_esp_gcm_supported()) {
        EXPECT(rddp_esp_key_new(keys, 20, 1) == NULL);
        rddp_esp_key_free(NULL);
        puts("self-test of the shim: no libipsec-mb, or no processor for it");
        return;
    }
    void *key = rddp_esp_key_new(keys, 20, 1);
    EXPECT(key != NULL);
    memcpy(sealed, packet, sizeof(packet) - 1);
    EXPECT(rddp_esp_open(key, sealed, sizeof(packet) - 1, 0x8765432100000000) == 72);
    EXPECT(memcmp(sealed + 16, begins, 16) == 0);
    rddp_esp_key_free(key);

    for (uint32_t i = 0; i < sizeof(plain); i++)
        plain[i] = (uint8_t)(i * 7);
    for (int esn = 0; esn < 2; esn++) {
        key = rddp_esp_key_new(other, esn ? 36 : 20, esn);
        for (uint32_t length = 0; length < sizeof(plain); length++) {
            uint32_t whole = 16 + ((length + 2 + 3) & ~3u) + 16;
            uint64_t number = ((uint64_t)esn << 32) + length + 1;
            memset(sealed, 0xee, sizeof(sealed));
            rddp_esp_seal(key, plain, length, 6, 0x1000, number, sealed);
            EXPECT(sealed[whole] == 0xee);
            sealed[16 + length / 2] ^= 1;
            EXPECT(rddp_esp_open(key, sealed, whole, number) == -1);
            rddp_esp_seal(key, plain, length, 6, 0x1000, number, sealed);
            EXPECT(rddp_esp_open(key, sealed, whole, number ^ 1ull << (esn ? 32 : 0)) == -1);
            rddp_esp_seal(key, plain, length, 6, 0x1000, number, sealed);
            EXPECT(rddp_esp_open(key, sealed, whole, number) == (int)whole - 32);
            EXPECT(memcmp(sealed + 16, plain, length) == 0);
            EXPECT(sealed[whole - 17] == 6 && sealed[whole - 18] == whole - 34 - length);
        }
        for (uint32_t length = 0; length < 36; length++)
            EXPECT(rddp_esp_open(key, sealed, length, 1) == -1);
        rddp_esp_key_free(key);
    }
}

/* The EAL leaves its files behind. */
static void files_are_removed(void)
{
    char folder[PATH_MAX];
    snprintf(folder, sizeof(folder), "%s", rddp_runtime_dir());
    EXPECT(strstr(folder, "rddp_self_test_") != NULL);
    DIR *files = opendir(folder);
    EXPECT(files != NULL);
    for (struct dirent *file = readdir(files); file != NULL; file = readdir(files))
        unlinkat(dirfd(files), file->d_name, 0);
    closedir(files);
    EXPECT(rmdir(folder) == 0);
}

static void pool_allocates_every_buffer_once(void)
{
    void *pool = new_pool("exhausted");
    void *mbufs[BUFFERS + 1];

    EXPECT(rddp_alloc_bulk(pool, mbufs, BUFFERS + 1) < 0);
    EXPECT(rddp_mempool_available(pool) == BUFFERS);
    EXPECT(rddp_alloc_bulk(pool, mbufs, BUFFERS) == 0);
    EXPECT(rddp_mempool_available(pool) == 0);
    EXPECT(rddp_alloc(pool) == NULL);
    rddp_free_bulk(mbufs, BUFFERS);
    EXPECT(rddp_mempool_available(pool) == BUFFERS);
    rddp_mempool_free(pool);
}

/* Without huge pages, a buffer takes only what it needs, not a page of its own. */
static void pool_takes_little_memory(void)
{
    struct rte_mempool *pool = new_pool("small");
    struct rte_mempool_memhdr *chunk;
    size_t octets = 0;

    STAILQ_FOREACH(chunk, &pool->mem_list, next)
        octets += chunk->len;
    EXPECT(octets >= (size_t)BUFFERS * ROOM);
    EXPECT(octets < (size_t)BUFFERS * (ROOM + 512) + 4096);
    rte_mempool_free(pool);
}

static void last_release_returns_a_buffer(void)
{
    void *pool = new_pool("counted");
    struct rte_mbuf *mbuf = rddp_alloc(pool);

    EXPECT(mbuf != NULL);
    EXPECT(rte_mbuf_refcnt_read(mbuf) == 1);
    EXPECT(mbuf->data_off == RTE_PKTMBUF_HEADROOM);
    EXPECT(mbuf->buf_len == ROOM);
    rte_mbuf_refcnt_set(mbuf, 2);
    rddp_free(mbuf);
    EXPECT(rte_mbuf_refcnt_read(mbuf) == 1);
    EXPECT(rddp_mempool_available(pool) == BUFFERS - 1);
    rddp_free(mbuf);
    EXPECT(rddp_mempool_available(pool) == BUFFERS);
    rddp_mempool_free(pool);
}

/* A thread that the EAL did not create. */
static void *use_cache(void *pool)
{
    EXPECT(rddp_thread_register() == 0);
    void *mbuf = rddp_alloc(pool);
    EXPECT(mbuf != NULL);
    EXPECT(rddp_mempool_available(pool) == BUFFERS - 1);
    rddp_free(mbuf);
    EXPECT(rddp_mempool_available(pool) == BUFFERS);
    EXPECT(((struct rte_mempool *)pool)->local_cache[rte_lcore_id()].len > 0);
    rddp_thread_unregister();
    return NULL;
}

static void a_registered_thread_has_a_cache(void)
{
    pthread_t thread;
    void *pool = NULL;
    EXPECT(rddp_mempool_create("cached", BUFFERS, 32, 0, ROOM, -1, &pool) == 0);
    EXPECT(pthread_create(&thread, NULL, use_cache, pool) == 0);
    EXPECT(pthread_join(thread, NULL) == 0);
    EXPECT(rddp_mempool_available(pool) == BUFFERS);
    rddp_mempool_free(pool);
}

static void start(uint16_t port, void *pool, uint32_t mtu)
{
    struct rddp_port_config config = { .rx_queues = 1, .tx_queues = 1, .mtu = mtu };
    uint16_t rx_slots = 64;
    uint16_t tx_slots = 64;
    EXPECT(rddp_port_configure(port, &config) == 0);
    EXPECT(rddp_port_adjust_slots(port, &rx_slots, &tx_slots) == 0);
    EXPECT(rddp_port_rx_queue(port, 0, rx_slots, -1, pool) == 0);
    EXPECT(rddp_port_tx_queue(port, 0, tx_slots, -1) == 0);
    /* net_ring reports from the start that it receives all multicast. */
    EXPECT(rte_eth_allmulticast_disable(port) == 0);
    EXPECT(rddp_port_start(port) == 0);
    EXPECT(rddp_port_receive_multicast(port) == 0);
    EXPECT(rte_eth_allmulticast_get(port) == 1);
}

static void port_info_is_right(uint16_t port, const char *name)
{
    struct rddp_port_info info;
    uint16_t mtu;

    EXPECT(rddp_port_get_info(port, &info) == 0);
    EXPECT(strcmp(info.name, name) == 0);
    EXPECT(strcmp(info.driver, "net_ring") == 0);
    EXPECT(info.max_rx_queues == 1);
    EXPECT(strcmp(rddp_tx_offload_name(RTE_ETH_TX_OFFLOAD_MULTI_SEGS), "MULTI_SEGS") == 0);
    EXPECT(strcmp(rddp_rx_offload_name(RTE_ETH_RX_OFFLOAD_SCATTER), "SCATTER") == 0);
    EXPECT(rddp_port_link_up(port) == 1);
    EXPECT(rte_eth_dev_get_mtu(port, &mtu) == 0);
    EXPECT(mtu == 1400);
}

static void frames_pass(uint16_t from, uint16_t to, void *pool)
{
    void *sent[BURST];
    void *received[BURST];
    struct rddp_port_stats stats;

    EXPECT(rddp_alloc_bulk(pool, sent, BURST) == 0);
    for (int i = 0; i < BURST; i++) {
        char *data = rte_pktmbuf_append(sent[i], 60);
        memset(data, i, 60);
    }
    EXPECT(rddp_tx_burst(from, 0, sent, BURST) == BURST);
    EXPECT(rddp_rx_burst(to, 0, received, BURST) == BURST);
    EXPECT(rddp_rx_burst(to, 0, received, 0) == 0);
    for (int i = 0; i < BURST; i++) {
        EXPECT(received[i] == sent[i]);
        EXPECT(rte_pktmbuf_mtod((struct rte_mbuf *)received[i], char *)[59] == i);
    }
    rddp_free_bulk(received, BURST);
    EXPECT(rddp_port_get_stats(to, &stats) == 0);
    EXPECT(stats.rx_frames == BURST);
}

/* Stands in for a driver that refuses what it cannot send, as those of cards do. */
static uint16_t prepare_small(void *queue, struct rte_mbuf **frames, uint16_t count)
{
    uint16_t ready = 0;
    (void)queue;
    while (ready < count && frames[ready]->tso_segsz == 0)
        ready++;
    return ready;
}

/* Whatever a driver refuses is freed and counted, and the others are sent in order. */
static void refused_frames_are_freed(uint16_t from, uint16_t to, void *pool)
{
    void *sent[BURST];
    void *received[BURST];
    struct rddp_port_stats before;
    struct rddp_port_stats after;
    uint32_t available = rddp_mempool_available(pool);
    eth_tx_prep_t unprepared = rte_eth_fp_ops[from].tx_pkt_prepare;
    int bad = 0;

    EXPECT(rddp_port_get_stats(from, &before) == 0);
    EXPECT(rddp_alloc_bulk(pool, sent, BURST) == 0);
    for (int i = 0; i < BURST; i++) {
        struct rte_mbuf *frame = sent[i];
        memset(rte_pktmbuf_append(frame, 60), i, 60);
        /* The first, the last and two in a row. */
        if (i == 0 || i == 3 || i == 4 || i == BURST - 1) {
            frame->tso_segsz = 16;
            bad++;
        }
    }
    rte_eth_fp_ops[from].tx_pkt_prepare = prepare_small;
    EXPECT(rddp_tx_burst(from, 0, sent, BURST) == BURST);
    rte_eth_fp_ops[from].tx_pkt_prepare = unprepared;
    EXPECT(rddp_rx_burst(to, 0, received, BURST) == BURST - bad);
    EXPECT(received[0] == sent[1] && received[1] == sent[2] && received[2] == sent[5]);
    rddp_free_bulk(received, (uint32_t)(BURST - bad));
    EXPECT(rddp_mempool_available(pool) == available);
    EXPECT(rddp_port_get_stats(from, &after) == 0);
    EXPECT(after.tx_errors == before.tx_errors + (uint64_t)bad);
}

static void ring_ports_are_connected(void)
{
    void *pool = new_pool("linked");
    void *to_a = NULL;
    void *to_b = NULL;
    void *refused = NULL;
    void *left[BURST];

    EXPECT(rddp_ring_create("odd", 33, -1, 1, &refused) == -EINVAL);
    EXPECT(refused == NULL);
    EXPECT(rddp_ring_create("to_a", 64, -1, 1, &to_a) == 0);
    EXPECT(rddp_ring_create("to_b", 64, -1, 1, &to_b) == 0);
    EXPECT(rddp_ring_create("to_b", 64, -1, 1, &refused) == -EEXIST);
    int a = rddp_port_from_rings("a", &to_a, 1, &to_b, 1, 0);
    int b = rddp_port_from_rings("b", &to_b, 1, &to_a, 1, 0);
    EXPECT(a >= 0 && b >= 0 && a != b);
    EXPECT(rddp_port_next(0) == a);
    EXPECT(rddp_port_next((uint16_t)(b + 1)) == -ENODEV);

    start((uint16_t)a, pool, 1400);
    start((uint16_t)b, pool, 1500);
    port_info_is_right((uint16_t)a, "net_ring_a");
    frames_pass((uint16_t)a, (uint16_t)b, pool);
    frames_pass((uint16_t)b, (uint16_t)a, pool);
    refused_frames_are_freed((uint16_t)a, (uint16_t)b, pool);
    EXPECT(rddp_port_rss_key((uint16_t)a, NULL, 0) == -ENOTSUP);
    EXPECT(rddp_port_rss_table((uint16_t)a, NULL, 0) == -ENOTSUP);
    EXPECT(rddp_alloc_bulk(pool, left, 2) == 0);
    EXPECT(rddp_tx_burst((uint16_t)a, 0, left, 2) == 2);

    EXPECT(rddp_port_stop((uint16_t)a) == 0);
    EXPECT(rddp_port_stop((uint16_t)b) == 0);
    EXPECT(rddp_port_detach((uint16_t)a) == 0);
    EXPECT(rddp_port_detach((uint16_t)b) == 0);
    EXPECT(rddp_port_next(0) == -ENODEV);
    EXPECT(rddp_ring_dequeue(to_b, left, BURST) == 2);
    rddp_free_bulk(left, 2);
    rddp_ring_free(to_a);
    rddp_ring_free(to_b);
    EXPECT(rddp_mempool_available(pool) == BUFFERS);
    rddp_mempool_free(pool);
}

static __rte_noinline void overwrite_stack(void)
{
    volatile uint8_t below[8192];
    for (size_t i = 0; i < sizeof(below); i++)
        below[i] = 0x5a;
}

/* Drivers read the key when the port is started. */
static void key_stays_after_configuration(void)
{
    struct rddp_port_config config = { .rx_queues = 2, .tx_queues = 2, .rss_tcp = 1, .rss_key_size = 40 };
    struct rte_eth_conf kept;
    void *pool = new_pool("keyed");
    int port = rddp_port_attach("net_null0,size=64");

    EXPECT(port >= 0);
    for (uint32_t i = 0; i < config.rss_key_size; i++)
        config.rss_key[i] = (uint8_t)(i + 1);
    EXPECT(rddp_port_configure((uint16_t)port, &config) == 0);
    for (uint16_t queue = 0; queue < 2; queue++) {
        EXPECT(rddp_port_rx_queue((uint16_t)port, queue, 64, -1, pool) == 0);
        EXPECT(rddp_port_tx_queue((uint16_t)port, queue, 64, -1) == 0);
    }
    EXPECT(rddp_port_start((uint16_t)port) == 0);
    overwrite_stack();
    EXPECT(rte_eth_dev_conf_get((uint16_t)port, &kept) == 0);
    EXPECT(kept.rx_adv_conf.rss_conf.rss_key_len == config.rss_key_size);
    EXPECT(kept.rx_adv_conf.rss_conf.rss_key != NULL);
    EXPECT(memcmp(kept.rx_adv_conf.rss_conf.rss_key, config.rss_key, config.rss_key_size) == 0);
    EXPECT(rddp_port_configure(RTE_MAX_ETHPORTS, &config) == -ENODEV);

    EXPECT(rddp_port_stop((uint16_t)port) == 0);
    EXPECT(rddp_port_detach((uint16_t)port) == 0);
    rddp_mempool_free(pool);
}

static void device_attaches_and_detaches(void)
{
    struct rddp_port_info info;
    int port = rddp_port_attach("net_null0,size=64");
    EXPECT(port >= 0);
    EXPECT(rddp_port_get_info((uint16_t)port, &info) == 0);
    EXPECT(strcmp(info.name, "net_null0") == 0);
    EXPECT(strcmp(info.driver, "net_null") == 0);
    EXPECT(info.mac >> 48 == 0);
    EXPECT(info.max_tx_queues > 0);
    EXPECT(rddp_port_detach((uint16_t)port) == 0);
    EXPECT(rddp_port_next(0) == -ENODEV);
}

/* net_null has a table but spreads nothing; it reports its key's length since DPDK 24.11. */
static void table_is_read_back(void)
{
    struct rddp_port_info info;
    struct rddp_port_config config = { .rx_queues = 2, .tx_queues = 2, .rss_tcp = 1 };
    uint16_t queues[RTE_ETH_RSS_RETA_SIZE_512];
    struct rte_eth_rss_reta_entry64 groups[RTE_ETH_RSS_RETA_SIZE_512 / RTE_ETH_RETA_GROUP_SIZE] = { 0 };
    void *pool = new_pool("steered");
    int port = rddp_port_attach("net_null0,size=64");

    EXPECT(port >= 0);
    EXPECT(rddp_port_get_info((uint16_t)port, &info) == 0);
    EXPECT(info.rss_tcp == 1);
    EXPECT(info.rss_table_size > 0 && info.rss_table_size <= RTE_ETH_RSS_RETA_SIZE_512);
    EXPECT(rddp_port_configure((uint16_t)port, &config) == 0);
    for (uint16_t queue = 0; queue < 2; queue++) {
        EXPECT(rddp_port_rx_queue((uint16_t)port, queue, 64, -1, pool) == 0);
        EXPECT(rddp_port_tx_queue((uint16_t)port, queue, 64, -1) == 0);
    }
    EXPECT(rddp_port_start((uint16_t)port) == 0);

    int key_size = info.rss_key_size > 0 ? (int)info.rss_key_size : -ENOTSUP;
    EXPECT(rddp_port_rss_key((uint16_t)port, NULL, 0) == key_size);
    for (uint32_t i = 0; i < info.rss_table_size; i++) {
        groups[i / RTE_ETH_RETA_GROUP_SIZE].mask |= UINT64_C(1) << i % RTE_ETH_RETA_GROUP_SIZE;
        groups[i / RTE_ETH_RETA_GROUP_SIZE].reta[i % RTE_ETH_RETA_GROUP_SIZE] = i / 3 % 2;
    }
    EXPECT(rte_eth_dev_rss_reta_update((uint16_t)port, groups, (uint16_t)info.rss_table_size) == 0);
    memset(queues, 0x5a, sizeof(queues));
    EXPECT(rddp_port_rss_table((uint16_t)port, queues, RTE_DIM(queues)) == (int)info.rss_table_size);
    for (uint32_t i = 0; i < info.rss_table_size; i++)
        EXPECT(queues[i] == i / 3 % 2);
    memset(queues, 0x5a, sizeof(queues));
    EXPECT(rddp_port_rss_table((uint16_t)port, queues, 5) == (int)info.rss_table_size);
    EXPECT(queues[3] == 1 && queues[4] == 1 && queues[5] == 0x5a5a);

    EXPECT(rddp_port_stop((uint16_t)port) == 0);
    EXPECT(rddp_port_detach((uint16_t)port) == 0);
    rddp_mempool_free(pool);
}

/* A port's device is closed on the thread that handles its sockets, so the two cannot overlap. */
static int on_destroyed(uint16_t port, enum rte_eth_event_type event, void *on_interrupt_thread, void *unused)
{
    (void)port;
    (void)event;
    (void)unused;
    *(bool *)on_interrupt_thread = rte_thread_is_intr();
    return 0;
}

static int memif(const char *role, const char *socket)
{
    char device[PATH_MAX + 100];
    snprintf(device, sizeof(device), "net_memif_%s,role=%s,id=0,socket=%s,socket-abstract=no", role, role, socket);
    return rddp_port_attach(device);
}

static void start_one_queue(int port, void *pool)
{
    struct rddp_port_config config = { .rx_queues = 1, .tx_queues = 1 };
    EXPECT(port >= 0);
    EXPECT(rddp_port_configure((uint16_t)port, &config) == 0);
    EXPECT(rddp_port_rx_queue((uint16_t)port, 0, 64, -1, pool) == 0);
    EXPECT(rddp_port_tx_queue((uint16_t)port, 0, 64, -1) == 0);
    EXPECT(rddp_port_start((uint16_t)port) == 0);
}

static void await_link(int port)
{
    int up;
    do {
        up = rddp_port_link_up((uint16_t)port);
        EXPECT(up >= 0);
    } while (up == 0);
}

/* The end of one disconnects the other, on DPDK's interrupt thread, while the other ends, too. */
static void both_ends_of_a_memif_end(void)
{
    char socket[PATH_MAX];
    void *pool = new_pool("memif");
    snprintf(socket, sizeof(socket), "%s/memif.sock", rddp_runtime_dir());
    for (int i = 0; i < MEMIFS; i++) {
        bool on_interrupt_thread = false;
        int server = memif("server", socket);
        start_one_queue(server, pool);
        int client = memif("client", socket);
        start_one_queue(client, pool);
        await_link(client);
        await_link(server);
        int first = i % 2 == 0 ? server : client;
        int second = i % 2 == 0 ? client : server;
        EXPECT(rte_eth_dev_callback_register((uint16_t)second, RTE_ETH_EVENT_DESTROY, on_destroyed,
                                             &on_interrupt_thread) == 0);
        EXPECT(rddp_port_stop((uint16_t)first) == 0);
        EXPECT(rddp_port_detach((uint16_t)first) == 0);
        EXPECT(rddp_port_stop((uint16_t)second) == 0);
        EXPECT(rddp_port_detach((uint16_t)second) == 0);
        EXPECT(on_interrupt_thread);
    }
    EXPECT(rddp_mempool_available(pool) == BUFFERS);
    rddp_mempool_free(pool);
}

/* Whoever connects can end this process: see docs/security.md. */
static void expect_owners_socket(const char *path)
{
    struct stat file;
    EXPECT(stat(path, &file) == 0 && S_ISSOCK(file.st_mode));
    EXPECT((file.st_mode & (S_IRWXG | S_IRWXO)) == 0);
}

static void sockets_are_the_owners(void)
{
    char path[PATH_MAX], device[PATH_MAX + 100];
    void *pool = new_pool("sockets");
    mode_t before = umask(0);
    snprintf(path, sizeof(path), "%s/vhost.sock", rddp_runtime_dir());
    snprintf(device, sizeof(device), "net_vhost0,iface=%s,queues=1", path);
    int port = rddp_port_attach(device);
    start_one_queue(port, pool);
    expect_owners_socket(path);
    EXPECT(rddp_port_stop((uint16_t)port) == 0);
    EXPECT(rddp_port_detach((uint16_t)port) == 0);
    snprintf(path, sizeof(path), "%s/memif.sock", rddp_runtime_dir());
    port = memif("server", path);
    start_one_queue(port, pool);
    expect_owners_socket(path);
    EXPECT(rddp_port_stop((uint16_t)port) == 0);
    EXPECT(rddp_port_detach((uint16_t)port) == 0);
    EXPECT(umask(before) == 0);
    rddp_mempool_free(pool);
}

static void errors_are_reported(void)
{
    struct rddp_port_config config = { .rx_queues = 1, .tx_queues = 1 };
    struct rddp_port_info info;
    struct rddp_port_stats stats;
    void *pool = NULL;

    EXPECT(rddp_port_attach("net_no_such_driver0") < 0);
    EXPECT(rddp_port_attach("net_null0,no_such_argument=1") < 0);
    EXPECT(rddp_port_get_info(7, &info) == -ENODEV);
    EXPECT(rddp_port_configure(7, &config) == -ENODEV);
    config.rx_queues = 65536;
    EXPECT(rddp_port_configure(7, &config) == -EINVAL);
    EXPECT(rddp_port_start(7) == -ENODEV);
    EXPECT(rddp_port_stop(7) == -ENODEV);
    EXPECT(rddp_port_detach(7) == -ENODEV);
    EXPECT(rddp_port_get_stats(7, &stats) == -ENODEV);
    EXPECT(rddp_port_link_up(7) == -ENODEV);
    EXPECT(rddp_port_rss_key(7, NULL, 0) == -ENODEV);
    EXPECT(rddp_port_rss_table(7, NULL, 0) == -ENODEV);
    EXPECT(rddp_mempool_create("far too large", 1 << 24, 0, 0, ROOM, -1, &pool) == -ENOMEM);
    EXPECT(rddp_mempool_create("room", BUFFERS, 0, 0, 65536, -1, &pool) == -EINVAL);
    EXPECT(rddp_mempool_create("cache", BUFFERS, 513, 0, ROOM, -1, &pool) == -EINVAL);
    EXPECT(pool == NULL);
}

int main(void)
{
    fields_match_the_types();
    sealed_packets_open();
    eal_starts_once();
    pool_allocates_every_buffer_once();
    pool_takes_little_memory();
    last_release_returns_a_buffer();
    a_registered_thread_has_a_cache();
    ring_ports_are_connected();
    device_attaches_and_detaches();
    table_is_read_back();
    key_stays_after_configuration();
    both_ends_of_a_memif_end();
    sockets_are_the_owners();
    errors_are_reported();
    files_are_removed();
    puts("self-test of the shim: all as expected");
    return 0;
}
