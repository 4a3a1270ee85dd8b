/*
 * Several interfaces in one process: which devices there are, and which one an id gets. The arguments are the daemon's
 * socket and, if the first interface has no IPv4 address, "ipv6-only".
 */
#include "peer.h"

#define PORT_OF_ALL 7480
#define MTU_OF_INTERFACES IBV_MTU_1024

static struct rdma_event_channel *events;

static struct sockaddr_in address(const char *host, uint16_t port) {
    struct sockaddr_in made = {.sin_family = AF_INET, .sin_port = htons(port)};
    CHECK(inet_pton(AF_INET, host, &made.sin_addr) == 1);
    return made;
}

/* Parses an address of either family. */
static struct sockaddr_storage any_address(const char *host, uint16_t port) {
    struct sockaddr_storage made = {0};
    if (strchr(host, ':') == NULL) {
        *(struct sockaddr_in *)&made = address(host, port);
    } else {
        struct sockaddr_in6 *ipv6 = (struct sockaddr_in6 *)&made;
        *ipv6 = (struct sockaddr_in6){.sin6_family = AF_INET6, .sin6_port = htons(port)};
        CHECK(inet_pton(AF_INET6, host, &ipv6->sin6_addr) == 1);
    }
    return made;
}

static struct rdma_cm_id *new_id(void) {
    struct rdma_cm_id *id;
    CHECK(rdma_create_id(events, &id, NULL, RDMA_PS_TCP) == 0);
    return id;
}

static void expect_device(const struct rdma_cm_id *id, const char *name) {
    CHECK(id->verbs != NULL);
    CHECK(strcmp(ibv_get_device_name(id->verbs->device), name) == 0);
}

static void expect_attributes(struct ibv_device *device, const char *name, uint8_t host) {
    struct ibv_context *context = ibv_open_device(device);
    struct ibv_port_attr port;
    struct ibv_device_attr attributes;
    union ibv_gid gid;
    CHECK(context != NULL);
    CHECK(strcmp(ibv_get_device_name(device), name) == 0);
    CHECK(ibv_query_gid(context, 1, 0, &gid) == 0);
    const uint8_t mapped[] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 10, 0, 0, host};
    CHECK(memcmp(gid.raw, mapped, sizeof mapped) == 0);
    const uint8_t ipv6[16] = {0x20, 0x01, 0x0d, 0xb8, [15] = host};
    CHECK(ibv_query_gid(context, 1, 1, &gid) == 0 && memcmp(gid.raw, ipv6, sizeof ipv6) == 0);
    CHECK(ibv_query_gid(context, 1, 2, &gid) == 0 && gid.raw[0] == 0xfe && gid.raw[1] == 0x80);
    CHECK(ibv_query_gid(context, 1, 3, &gid) == -1 && ibv_query_gid(context, 1, -1, &gid) == -1);
    struct ibv_gid_entry entries[4];
    CHECK(ibv_query_gid_table(context, entries, 4, 0) == 3);
    CHECK(entries[1].gid_index == 1 && memcmp(&entries[1].gid, ipv6, sizeof ipv6) == 0);
    CHECK(ibv_query_port(context, 1, &port) == 0);
    CHECK(port.active_mtu == MTU_OF_INTERFACES);
    /* The MAC addresses of the interfaces are 02:00:00:00:00:01 and :02. */
    const uint8_t guid[] = {0, 0, 0, 0xff, 0xfe, 0, 0, host};
    __be64 said = ibv_get_device_guid(device);
    CHECK(memcmp(&said, guid, sizeof guid) == 0);
    CHECK(ibv_query_device(context, &attributes) == 0);
    CHECK(attributes.node_guid == said);
    CHECK(ibv_close_device(context) == 0);
}

static void should_show_a_device_for_each_interface(void) {
    int count;
    struct ibv_device **list = ibv_get_device_list(&count);
    CHECK(count == 2);
    CHECK(list[2] == NULL);
    expect_attributes(list[0], "rddp0", 1);
    expect_attributes(list[1], "rddp1", 2);
    ibv_free_device_list(list);
}

static void should_show_the_interface_that_is_chosen(void) {
    pid_t child = fork();
    CHECK(child >= 0);
    if (child == 0) {
        int count;
        setenv("RDDP_INTERFACE", "two", 1);
        struct ibv_device **list = ibv_get_device_list(&count);
        CHECK(count == 1);
        expect_attributes(list[0], "rddp0", 2);
        _exit(0);
    }
    int status;
    CHECK(waitpid(child, &status, 0) == child);
    CHECK(status == 0);
}

/* Of libibverbs' header for its drivers. */
int ibv_read_sysfs_file(const char *folder, const char *file, char *text, size_t room);

static void should_read_a_line_of_sysfs(void) {
    char folder[] = "/tmp/rddp-sysfs-XXXXXX", path[64], text[16];
    CHECK(mkdtemp(folder) != NULL);
    snprintf(path, sizeof path, "%s/rate", folder);
    FILE *file = fopen(path, "w");
    CHECK(file != NULL && fputs("40 Gb/sec\n", file) >= 0 && fclose(file) == 0);
    CHECK(ibv_read_sysfs_file(folder, "rate", text, sizeof text) == 9 && strcmp(text, "40 Gb/sec") == 0);
    CHECK(ibv_read_sysfs_file(folder, "rate", text, 4) == 4 && memcmp(text, "40 G", 4) == 0);
    CHECK(ibv_read_sysfs_file(folder, "none", text, sizeof text) == -1);
    CHECK(ibv_read_sysfs_file("/sys", "class/misc/rdma_cm/abi_version", text, sizeof text) == 1);
    CHECK(unlink(path) == 0 && rmdir(folder) == 0);
}

static void should_look_like_roce_if_asked(void) {
    pid_t child = fork();
    CHECK(child >= 0);
    if (child == 0) {
        setenv("RDDP_VERBS_AS", "roce", 1);
        struct ibv_device **list = ibv_get_device_list(NULL);
        CHECK(list[0]->node_type == IBV_NODE_CA && list[0]->transport_type == IBV_TRANSPORT_IB);
        struct ibv_context *context = ibv_open_device(list[0]);
        struct ibv_gid_entry entry;
        CHECK(context != NULL && ibv_query_gid_ex(context, 1, 0, &entry, 0) == 0);
        CHECK(entry.gid_type == IBV_GID_TYPE_ROCE_V2);
        _exit(0);
    }
    int status;
    CHECK(waitpid(child, &status, 0) == child);
    CHECK(status == 0);
}

static void should_give_rdma_cm_all_devices(void) {
    int count;
    struct ibv_context **list = rdma_get_devices(&count);
    CHECK(count == 2);
    CHECK(strcmp(ibv_get_device_name(list[1]->device), "rddp1") == 0);
    CHECK(list[2] == NULL);
    rdma_free_devices(list);
}

static void should_bind_to_the_device_of_the_address(void) {
    struct rdma_cm_id *id = new_id();
    struct sockaddr_in nobodys = address("10.0.0.9", 0), second = address("10.0.0.2", 0);
    CHECK_ERRNO(EADDRNOTAVAIL, rdma_bind_addr(id, (struct sockaddr *)&nobodys) == -1);
    CHECK(rdma_bind_addr(id, (struct sockaddr *)&second) == 0);
    expect_device(id, "rddp1");
    CHECK(rdma_get_src_port(id) != 0);
    CHECK(rdma_destroy_id(id) == 0);
}

/* The result of rdma_resolve_addr from an address (or null) to another. */
static struct rdma_cm_id *resolve_from(const char *from, const char *to, enum rdma_cm_event_type type, int status) {
    struct rdma_cm_id *id = new_id();
    struct sockaddr_storage source = {0}, target = any_address(to, PORT_OF_ALL);
    if (from != NULL) {
        source = any_address(from, 0);
    }
    struct sockaddr *bound = from == NULL ? NULL : (struct sockaddr *)&source;
    CHECK(rdma_resolve_addr(id, bound, (struct sockaddr *)&target, 2000) == 0);
    struct rdma_cm_event *event = next_event(events, type);
    CHECK(event->status == status);
    rdma_ack_cm_event(event);
    return id;
}

static void expect_route(const char *from, const char *to, const char *device) {
    struct rdma_cm_id *id = resolve_from(from, to, RDMA_CM_EVENT_ADDR_RESOLVED, 0);
    expect_device(id, device);
    CHECK(rdma_get_local_addr(id)->sa_family == rdma_get_peer_addr(id)->sa_family);
    CHECK(rdma_destroy_id(id) == 0);
}

static void should_choose_the_device_by_route(void) {
    expect_route(NULL, "10.0.0.1", "rddp0");
    expect_route(NULL, "10.0.0.2", "rddp1");
    expect_route(NULL, "10.0.0.7", "rddp0");
    expect_route(NULL, "127.0.0.1", "rddp0");
    expect_route("0.0.0.0", "10.0.0.2", "rddp1");
    expect_route("10.0.0.1", "10.0.0.2", "rddp0");
    expect_route("10.0.0.2", "10.0.0.7", "rddp1");
}

static void should_choose_the_device_by_route_over_ipv6(void) {
    expect_route(NULL, "2001:db8::1", "rddp0");
    expect_route(NULL, "2001:db8::2", "rddp1");
    expect_route(NULL, "2001:db8::7", "rddp0");
    expect_route("::", "2001:db8::2", "rddp1");
    expect_route("2001:db8::2", "2001:db8::7", "rddp1");
    expect_route("::ffff:10.0.0.2", "10.0.0.7", "rddp1");
}

/* An id that is bound to one family, or to a link-local address, reaches only what that address reaches. */
static void should_keep_the_address_that_was_bound(void) {
    CHECK(rdma_destroy_id(resolve_from("10.0.0.1", "2001:db8::2", RDMA_CM_EVENT_ADDR_ERROR, -EADDRNOTAVAIL)) == 0);
    CHECK(rdma_destroy_id(resolve_from("2001:db8::1", "10.0.0.2", RDMA_CM_EVENT_ADDR_ERROR, -EADDRNOTAVAIL)) == 0);
}

static void should_tell_when_no_interface_leads_there(void) {
    struct rdma_cm_id *id = resolve_from(NULL, "192.0.2.1", RDMA_CM_EVENT_ADDR_ERROR, -ENETUNREACH);
    CHECK(id->verbs == NULL);
    CHECK(rdma_destroy_id(id) == 0);
}

/* Connects from an address (or null) to another; the request comes to a device of that name. */
static void connect_through(const char *from, const char *to, const char *device) {
    struct end client = {.id = resolve_from(from, to, RDMA_CM_EVENT_ADDR_RESOLVED, 0)}, server = {0};
    CHECK(rdma_resolve_route(client.id, 2000) == 0);
    await_event(events, RDMA_CM_EVENT_ROUTE_RESOLVED);
    equip(&client);
    struct rdma_conn_param param = {.initiator_depth = 1, .responder_resources = 1};
    CHECK(rdma_connect(client.id, &param) == 0);
    struct rdma_cm_event *request = next_event(events, RDMA_CM_EVENT_CONNECT_REQUEST);
    server.id = request->id;
    CHECK(request->listen_id->verbs == NULL);
    rdma_ack_cm_event(request);
    expect_device(server.id, device);
    equip(&server);
    post_receive(&server, 1);
    CHECK(rdma_accept(server.id, &param) == 0);
    await_event(events, RDMA_CM_EVENT_ESTABLISHED);
    await_event(events, RDMA_CM_EVENT_ESTABLISHED);
    memcpy(client.memory, "to oneself", 11);
    struct ibv_sge piece = {.addr = (uintptr_t)client.memory, .length = 11, .lkey = client.region->lkey};
    struct ibv_send_wr work = {.wr_id = 2, .opcode = IBV_WR_SEND, .send_flags = IBV_SEND_SIGNALED, .sg_list = &piece,
        .num_sge = 1}, *bad;
    CHECK(ibv_post_send(client.id->qp, &work, &bad) == 0);
    CHECK(expect(&server, IBV_WC_SUCCESS, 1).byte_len == 11);
    CHECK(strcmp((char *)server.memory + MESSAGE, "to oneself") == 0);
    expect(&client, IBV_WC_SUCCESS, 2);
    CHECK(rdma_disconnect(client.id) == 0);
    await_event(events, RDMA_CM_EVENT_DISCONNECTED);
    await_event(events, RDMA_CM_EVENT_DISCONNECTED);
    dismantle(&client);
    dismantle(&server);
}

static void should_listen_at_all_devices(void) {
    struct rdma_cm_id *listening = new_id(), *second = new_id();
    struct sockaddr_in any = address("0.0.0.0", PORT_OF_ALL), own = address("10.0.0.2", PORT_OF_ALL);
    CHECK(rdma_bind_addr(listening, (struct sockaddr *)&any) == 0);
    CHECK(listening->verbs == NULL);
    CHECK(rdma_listen(listening, 4) == 0);
    CHECK(rdma_bind_addr(second, (struct sockaddr *)&own) == 0);
    CHECK_ERRNO(EADDRINUSE, rdma_listen(second, 4) == -1);
    connect_through(NULL, "10.0.0.1", "rddp0");
    connect_through(NULL, "127.0.0.1", "rddp0");
    connect_through(NULL, "10.0.0.2", "rddp1");
    connect_through("10.0.0.1", "10.0.0.2", "rddp1");
    connect_through("10.0.0.2", "10.0.0.1", "rddp0");
    CHECK(rdma_destroy_id(listening) == 0);
    CHECK(rdma_listen(second, 4) == 0);
    CHECK(rdma_destroy_id(second) == 0);
}

static void should_listen_at_both_families(void) {
    struct rdma_cm_id *listening = new_id();
    struct sockaddr_storage any = any_address("::", PORT_OF_ALL);
    CHECK(rdma_bind_addr(listening, (struct sockaddr *)&any) == 0);
    CHECK(rdma_listen(listening, 4) == 0);
    connect_through(NULL, "2001:db8::2", "rddp1");
    connect_through("2001:db8::1", "2001:db8::2", "rddp1");
    connect_through(NULL, "10.0.0.2", "rddp1");
    CHECK(rdma_destroy_id(listening) == 0);
}

static void should_have_gids_of_ipv6_only(void) {
    struct ibv_device **list = ibv_get_device_list(NULL);
    struct ibv_context *context = ibv_open_device(list[0]);
    const uint8_t ipv6[16] = {0x20, 0x01, 0x0d, 0xb8, [15] = 1};
    union ibv_gid gid;
    struct ibv_gid_entry entries[4];
    struct ibv_port_attr port;
    CHECK(context != NULL);
    CHECK(ibv_query_gid(context, 1, 0, &gid) == 0 && memcmp(gid.raw, ipv6, sizeof ipv6) == 0);
    CHECK(ibv_query_gid(context, 1, 1, &gid) == 0 && gid.raw[0] == 0xfe && gid.raw[1] == 0x80);
    CHECK(ibv_query_gid(context, 1, 2, &gid) == -1);
    CHECK(ibv_query_gid_table(context, entries, 4, 0) == 2);
    CHECK(memcmp(&entries[0].gid, ipv6, sizeof ipv6) == 0);
    CHECK(ibv_query_port(context, 1, &port) == 0 && port.gid_tbl_len == 2);
    CHECK(ibv_close_device(context) == 0);
    ibv_free_device_list(list);
}

static void should_choose_a_device_that_has_the_family(void) {
    expect_route(NULL, "10.0.0.2", "rddp1");
    expect_route(NULL, "10.0.0.7", "rddp1");
    expect_route(NULL, "127.0.0.1", "rddp1");
    expect_route(NULL, "::1", "rddp0");
    expect_route(NULL, "2001:db8::7", "rddp0");
    expect_route("2001:db8::1", "2001:db8::2", "rddp0");
    CHECK(rdma_destroy_id(resolve_from("2001:db8::1", "10.0.0.2", RDMA_CM_EVENT_ADDR_ERROR, -ENETUNREACH)) == 0);
}

/* 0.0.0.0 stands for the addresses of IPv4, so the device without one is left out; :: for those of every device. */
static void should_listen_where_the_family_is(void) {
    struct rdma_cm_id *listening = new_id();
    struct sockaddr_storage any = any_address("0.0.0.0", PORT_OF_ALL);
    CHECK(rdma_bind_addr(listening, (struct sockaddr *)&any) == 0);
    CHECK(rdma_listen(listening, 4) == 0);
    connect_through(NULL, "10.0.0.2", "rddp1");
    CHECK(rdma_destroy_id(listening) == 0);
    listening = new_id();
    any = any_address("::", 0);
    CHECK(rdma_bind_addr(listening, (struct sockaddr *)&any) == 0);
    CHECK(rdma_get_src_port(listening) != 0);
    CHECK(rdma_destroy_id(listening) == 0);
    listening = new_id();
    any = any_address("::", PORT_OF_ALL);
    CHECK(rdma_bind_addr(listening, (struct sockaddr *)&any) == 0);
    CHECK(rdma_listen(listening, 4) == 0);
    connect_through("2001:db8::1", "2001:db8::2", "rddp1");
    connect_through("2001:db8::2", "2001:db8::1", "rddp0");
    connect_through(NULL, "10.0.0.2", "rddp1");
    CHECK(rdma_destroy_id(listening) == 0);
}

int main(int count, char **arguments) {
    bool ipv6_only = count == 3 && strcmp(arguments[2], "ipv6-only") == 0;
    if (count != 2 && !ipv6_only) {
        fprintf(stderr, "usage: %s SOCKET [ipv6-only]\n", arguments[0]);
        return 2;
    }
    setenv("RDDP_SOCKET", arguments[1], 1);
    unsetenv("RDDP_INTERFACE");
    if (ipv6_only) {
        events = rdma_create_event_channel();
        CHECK(events != NULL);
        should_have_gids_of_ipv6_only();
        should_choose_a_device_that_has_the_family();
        should_listen_where_the_family_is();
        rdma_destroy_event_channel(events);
        puts("done");
        return 0;
    }
    /* Before there is a thread of the library's. */
    should_show_the_interface_that_is_chosen();
    should_look_like_roce_if_asked();
    should_read_a_line_of_sysfs();
    events = rdma_create_event_channel();
    CHECK(events != NULL);
    should_show_a_device_for_each_interface();
    should_give_rdma_cm_all_devices();
    should_bind_to_the_device_of_the_address();
    should_choose_the_device_by_route();
    should_choose_the_device_by_route_over_ipv6();
    should_keep_the_address_that_was_bound();
    should_tell_when_no_interface_leads_there();
    should_listen_at_all_devices();
    should_listen_at_both_families();
    rdma_destroy_event_channel(events);
    puts("done");
    return 0;
}
