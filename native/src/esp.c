/*
 * AES-GCM of ESP (RFC 4106) by libipsec-mb's functions for one packet, without its queues of jobs. The library is loaded when
 * it is first needed, so that the shim runs without it, too; then Java's ciphers do the same.
 */
#include "rddp_dpdk.h"

#if defined(__x86_64__) && defined(IPSEC_MB_SONAME) && __has_include(<intel-ipsec-mb.h>)
#include <intel-ipsec-mb.h>
/* 1.x and 2.x were tried. IMB_MGR has another layout in each, and 3.0 changes the interface. */
#if IMB_VERSION_NUM < IMB_VERSION(3, 0, 0)
#define HAS_IPSEC_MB
#endif
#endif

#ifdef HAS_IPSEC_MB

#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#define ESP_HEADER 8
#define VECTOR 8
#define SALT 4
#define ICV 16
#define TRAILER 2
#define ALIGNMENT 4
#define CACHE_LINE 64

struct esp_key {
    struct gcm_key_data expanded __attribute__((aligned(CACHE_LINE)));
    uint8_t salt[SALT];
    int is_long; /* 256 bits; otherwise 128 */
    int esn;
};

/* The initialization vector and what is authenticated besides the payload. */
struct inputs {
    uint8_t vector[SALT + VECTOR];
    uint8_t authenticated[ESP_HEADER + 4];
    uint64_t authenticated_octets;
};

static pthread_once_t once = PTHREAD_ONCE_INIT;

/* Only its pointers to functions are used, which any thread may call; NULL if it cannot be used. */
static IMB_MGR *functions;

static void load(void)
{
    /* Without these instructions its functions end the process. */
    if (!__builtin_cpu_supports("aes") || !__builtin_cpu_supports("pclmul") || !__builtin_cpu_supports("sse4.2"))
        return;
    void *library = dlopen(IPSEC_MB_SONAME, RTLD_NOW | RTLD_LOCAL);
    if (library == NULL)
        return;
    __typeof__(&alloc_mb_mgr) allocate = (__typeof__(&alloc_mb_mgr))dlsym(library, "alloc_mb_mgr");
    __typeof__(&init_mb_mgr_auto) choose = (__typeof__(&init_mb_mgr_auto))dlsym(library, "init_mb_mgr_auto");
    if (allocate == NULL || choose == NULL)
        return;
    IMB_MGR *manager = allocate(0);
    if (manager == NULL)
        return;
    choose(manager, NULL);
    if (manager->features & IMB_FEATURE_AESNI)
        functions = manager;
}

int rddp_esp_gcm_supported(void)
{
    pthread_once(&once, load);
    return functions != NULL;
}

void *rddp_esp_key_new(const void *keys, uint32_t octets, int esn)
{
    if (!rddp_esp_gcm_supported() || (octets != 16 + SALT && octets != 32 + SALT))
        return NULL;
    struct esp_key *key = aligned_alloc(CACHE_LINE, (sizeof(*key) + CACHE_LINE - 1) / CACHE_LINE * CACHE_LINE);
    if (key == NULL)
        return NULL;
    key->is_long = octets == 32 + SALT;
    key->esn = esn;
    if (key->is_long)
        IMB_AES256_GCM_PRE(functions, keys, &key->expanded);
    else
        IMB_AES128_GCM_PRE(functions, keys, &key->expanded);
    memcpy(key->salt, (const uint8_t *)keys + octets - SALT, SALT);
    return key;
}

void rddp_esp_key_free(void *key)
{
    if (key != NULL)
        explicit_bzero(key, sizeof(struct esp_key));
    free(key);
}

static void put32(uint8_t *at, uint32_t value)
{
    value = __builtin_bswap32(value);
    memcpy(at, &value, sizeof(value));
}

static void put64(uint8_t *at, uint64_t value)
{
    value = __builtin_bswap64(value);
    memcpy(at, &value, sizeof(value));
}

/* RFC 4106 sections 4 and 5. */
static void prepare(struct inputs *in, const struct esp_key *key, const uint8_t *packet, uint64_t sequence)
{
    memcpy(in->vector, key->salt, SALT);
    memcpy(in->vector + SALT, packet + ESP_HEADER, VECTOR);
    memcpy(in->authenticated, packet, 4);
    if (key->esn) {
        put64(in->authenticated + 4, sequence);
        in->authenticated_octets = ESP_HEADER + 4;
    } else {
        put32(in->authenticated + 4, (uint32_t)sequence);
        in->authenticated_octets = ESP_HEADER;
    }
}

void rddp_esp_seal(const void *with, const void *payload, uint32_t length, uint32_t next, uint32_t spi, uint64_t sequence,
                   void *sealed)
{
    const struct esp_key *key = with;
    uint8_t *packet = sealed, *body = packet + ESP_HEADER + VECTOR;
    uint32_t padding = -(length + TRAILER) & (ALIGNMENT - 1);
    uint8_t tail[ALIGNMENT - 1 + TRAILER] = { 1, 2, 3 };
    struct gcm_context_data context;
    struct inputs in;

    put32(packet, spi);
    put32(packet + 4, (uint32_t)sequence);
    put64(packet + ESP_HEADER, sequence);
    prepare(&in, key, packet, sequence);
    tail[padding] = (uint8_t)padding;
    tail[padding + 1] = (uint8_t)next;
    if (key->is_long) {
        IMB_AES256_GCM_INIT(functions, &key->expanded, &context, in.vector, in.authenticated, in.authenticated_octets);
        IMB_AES256_GCM_ENC_UPDATE(functions, &key->expanded, &context, body, payload, length);
        IMB_AES256_GCM_ENC_UPDATE(functions, &key->expanded, &context, body + length, tail, padding + TRAILER);
        IMB_AES256_GCM_ENC_FINALIZE(functions, &key->expanded, &context, body + length + padding + TRAILER, ICV);
    } else {
        IMB_AES128_GCM_INIT(functions, &key->expanded, &context, in.vector, in.authenticated, in.authenticated_octets);
        IMB_AES128_GCM_ENC_UPDATE(functions, &key->expanded, &context, body, payload, length);
        IMB_AES128_GCM_ENC_UPDATE(functions, &key->expanded, &context, body + length, tail, padding + TRAILER);
        IMB_AES128_GCM_ENC_FINALIZE(functions, &key->expanded, &context, body + length + padding + TRAILER, ICV);
    }
}

int rddp_esp_open(const void *with, void *sealed, uint32_t length, uint64_t sequence)
{
    const struct esp_key *key = with;
    uint8_t *packet = sealed, *body = packet + ESP_HEADER + VECTOR;
    struct gcm_context_data context;
    struct inputs in;
    uint8_t icv[ICV], wrong = 0;

    if (length < ESP_HEADER + VECTOR + ALIGNMENT + ICV || length % ALIGNMENT != 0)
        return -1;
    uint32_t octets = length - ESP_HEADER - VECTOR - ICV;
    prepare(&in, key, packet, sequence);
    if (key->is_long)
        IMB_AES256_GCM_DEC(functions, &key->expanded, &context, body, body, octets, in.vector, in.authenticated,
                           in.authenticated_octets, icv, ICV);
    else
        IMB_AES128_GCM_DEC(functions, &key->expanded, &context, body, body, octets, in.vector, in.authenticated,
                           in.authenticated_octets, icv, ICV);
    /* It takes equally long wherever they differ. */
    for (int i = 0; i < ICV; i++)
        wrong |= icv[i] ^ body[octets + i];
    return wrong == 0 ? (int)octets : -1;
}

#else /* No libipsec-mb that is known where the shim was built. */

#include <stddef.h>

int rddp_esp_gcm_supported(void)
{
    return 0;
}

void *rddp_esp_key_new(const void *keys, uint32_t octets, int esn)
{
    (void)keys;
    (void)octets;
    (void)esn;
    return NULL;
}

void rddp_esp_key_free(void *key)
{
    (void)key;
}

void rddp_esp_seal(const void *key, const void *payload, uint32_t length, uint32_t next, uint32_t spi, uint64_t sequence,
                   void *sealed)
{
    (void)key;
    (void)payload;
    (void)length;
    (void)next;
    (void)spi;
    (void)sequence;
    (void)sealed;
}

int rddp_esp_open(const void *key, void *sealed, uint32_t length, uint64_t sequence)
{
    (void)key;
    (void)sealed;
    (void)length;
    (void)sequence;
    return -1;
}

#endif
