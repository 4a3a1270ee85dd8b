/* Which connections are rddp's, by options, environment and file; and what is said of rules that are wrong. Needs no daemon. */
#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"
#include "message.h"
#include "rddp.h"
#include "rules.h"

#define NETWORKS "one 10.0.0.1/24;two 10.0.0.2/24;secret 10.9.0.1/16 encrypted;one fd00:1::1/64"

static char path[] = "/tmp/rddp-rules-XXXXXX";

static void set(const char *name, const char *value) {
    CHECK(value == NULL ? unsetenv(name) == 0 : setenv(name, value, 1) == 0);
}

static void write_file(const char *text) {
    FILE *file = fopen(path, "w");
    CHECK(file != NULL && fputs(text, file) >= 0 && fclose(file) == 0);
}

/* The file is one of ours in any case: the system's does not decide here. */
static void read_with(const char *options, const char *environment, const char *file) {
    write_file(file == NULL ? "" : file);
    set("RDDP_SOCKETS_OPTIONS", options);
    set("RDDP_SOCKETS_RULES", environment);
    set("RDDP_SOCKETS_FILE", path);
    set("RDDP_SOCKETS_NETWORKS", NETWORKS);
    read_rules();
}

static struct in6_addr parsed(const char *text) {
    struct in6_addr address;
    struct in_addr ipv4;
    if (inet_pton(AF_INET, text, &ipv4) == 1) {
        return mapped(ntohl(ipv4.s_addr));
    }
    CHECK(inet_pton(AF_INET6, text, &address) == 1);
    return address;
}

static struct decision decided(const char *address, uint16_t port) {
    struct in6_addr to = parsed(address);
    return decide(known_networks(), &to, port);
}

static void expect(const char *address, uint16_t port, enum way way, const char *source) {
    struct decision made = decided(address, port);
    if (made.way != way || (source == NULL) != (made.source == NULL) || (source != NULL && strcmp(source, made.source) != 0)) {
        fprintf(stderr, "%s port %u: way %d, by %s: %s\n", address, port, (int)made.way, made.source, made.why);
        exit(1);
    }
}

/* Each in a process of its own, since the rules are read once. */
static void in_child(void (*test)(void)) {
    pid_t child = fork();
    CHECK(child >= 0);
    if (child == 0) {
        test();
        exit(0);
    }
    int status;
    CHECK(waitpid(child, &status, 0) == child && status == 0);
}

static void networks_decide_without_rules(void) {
    read_with(NULL, NULL, NULL);
    CHECK(rules_error() == NULL && known_networks()->count == 4);
    expect("10.0.0.2", 443, WAY_RDDP, NULL);
    expect("10.0.0.77", 443, WAY_RDDP, NULL);
    expect("10.0.1.1", 443, WAY_KERNEL, NULL);
    expect("10.9.255.1", 443, WAY_RDDP, NULL);
    expect("fd00:1::2", 443, WAY_RDDP, NULL);
    expect("fd00:1:0:1::2", 443, WAY_KERNEL, NULL);
    expect("192.0.2.1", 443, WAY_KERNEL, NULL);
    expect("127.0.0.1", 443, WAY_KERNEL, NULL);
    expect("0.0.0.0", 443, WAY_KERNEL, NULL);
    expect("::1", 443, WAY_KERNEL, NULL);
    expect("::", 443, WAY_KERNEL, NULL);
    expect("fe80::1", 443, WAY_KERNEL, NULL);
    CHECK(strcmp(decided("10.9.1.1", 1).network->interface, "secret") == 0 && decided("10.9.1.1", 1).network->encrypted);
}

static void first_rule_decides(void) {
    read_with("10.0.0.3:443 kernel\n10.0.0.4 rddp", "10.0.0.0/28 kernel;10.0.0.3 rddp-or-kernel",
        "# of the system\n\n  10.0.0.0/24:80\tkernel # a comment\r\n*:9 rddp-or-kernel\n[fd00:1::/64]:80 kernel\nfd00:1::5 kernel\n");
    CHECK(rules_error() == NULL);
    expect("10.0.0.3", 443, WAY_KERNEL, "option");
    expect("10.0.0.3", 444, WAY_KERNEL, "RDDP_SOCKETS_RULES");
    expect("10.0.0.4", 80, WAY_RDDP, "option");
    expect("10.0.0.2", 80, WAY_KERNEL, "RDDP_SOCKETS_RULES");
    char source[64];
    (void)snprintf(source, sizeof source, "%s, line 3", path);
    expect("10.0.0.200", 80, WAY_KERNEL, source);
    expect("10.0.0.200", 81, WAY_RDDP, NULL);
    (void)snprintf(source, sizeof source, "%s, line 4", path);
    expect("10.0.0.200", 9, WAY_RDDP_OR_KERNEL, source);
    (void)snprintf(source, sizeof source, "%s, line 5", path);
    expect("fd00:1::5", 80, WAY_KERNEL, source);
    (void)snprintf(source, sizeof source, "%s, line 6", path);
    expect("fd00:1::5", 81, WAY_KERNEL, source);
    CHECK(strcmp(decided("10.0.0.3", 443).rule, "10.0.0.3:443 kernel") == 0);
    /* The star is not for addresses beyond the networks. */
    expect("192.0.2.1", 9, WAY_KERNEL, NULL);
}

static void or_kernel_is_not_for_encrypted_networks(void) {
    read_with("* rddp-or-kernel", NULL, "10.9.0.5 kernel\n");
    expect("10.0.0.2", 1, WAY_RDDP_OR_KERNEL, "option");
    expect("10.9.0.2", 1, WAY_RDDP, "option");
    expect("192.0.2.1", 1, WAY_KERNEL, NULL);
}

static void kernel_is_not_for_encrypted_networks(void) {
    read_with("10.9.0.5 kernel", NULL, NULL);
    expect("10.9.0.5", 1, WAY_RDDP, "option");
}

static void rule_may_name_what_a_gateway_reaches(void) {
    read_with(NULL, NULL, "192.0.2.0/24 rddp\n198.51.100.0/24 rddp-or-kernel\n0.0.0.0/0:7 kernel");
    CHECK(decided("192.0.2.1", 1).way == WAY_RDDP && decided("192.0.2.1", 1).network == NULL);
    CHECK(decided("198.51.100.1", 1).way == WAY_RDDP_OR_KERNEL);
    CHECK(decided("10.0.0.2", 7).way == WAY_KERNEL && decided("fd00:1::2", 7).way == WAY_RDDP);
    struct in6_addr address = parsed("192.0.2.1");
    CHECK(kernel_is_near(NULL, &address));
}

static void kernel_is_near_only_in_the_network_itself(void) {
    struct network loopback = {.address = parsed("127.0.0.9"), .prefix = 104}, other = {.address = parsed("10.77.0.1"), .prefix = 120};
    struct in6_addr near = parsed("127.0.0.7"), far = parsed("10.77.0.2");
    CHECK(kernel_is_near(&loopback, &near) && !kernel_is_near(&other, &near) && !kernel_is_near(&other, &far));
}

static const char *wrong, *said, *says_where;

static void wrong_rules_refuse(void) {
    int ends[2];
    CHECK(pipe(ends) == 0 && dup2(ends[1], STDERR_FILENO) == STDERR_FILENO && close(ends[1]) == 0);
    read_with(NULL, NULL, wrong);
    if (rules_error() == NULL || strstr(rules_error(), said) == NULL || strstr(rules_error(), says_where) == NULL) {
        printf("of %s: %s\n", wrong, rules_error());
        exit(1);
    }
    CHECK(decided("10.0.0.2", 1).way == WAY_REFUSED && decided("10.0.0.2", 1).way == WAY_REFUSED);
    CHECK(decided("192.0.2.1", 1).way == WAY_KERNEL && decided("127.0.0.1", 1).way == WAY_KERNEL);
    char line[1024] = "";
    CHECK(close(STDERR_FILENO) == 0 && read(ends[0], line, sizeof line - 1) > 0);
    CHECK(strstr(line, said) != NULL && strchr(line, '\n') == line + strlen(line) - 1);
}

static void wrong_rules_say_where_and_what_to_do(void) {
    const char *each[][3] = {
        {"\n10.0.0.1 kernal", "'10.0.0.1 kernal': there is no such action; write rddp, kernel or rddp-or-kernel", "line 2"},
        {"10.0.0.1", "the action is missing", "line 1"},
        {"10.0.0.1 kernel now", "something behind the action", "line 1"},
        {"10.0.0 kernel", "no address and no network", "line 1"},
        {"10.0.0.1/33 kernel", "no address and no network", "line 1"},
        {"10.0.0.1/ kernel", "no address and no network", "line 1"},
        {"10.0.0.1/+8 kernel", "no address and no network", "line 1"},
        {"fd00::/129 kernel", "no address and no network", "line 1"},
        {"localhost kernel", "no address and no network", "line 1"},
        {"10.0.0.1:0 kernel", "the port is no number from 1 to 65535", "line 1"},
        {"10.0.0.1:65536 kernel", "the port is no number", "line 1"},
        {"10.0.0.1: kernel", "the port is no number", "line 1"},
        {"[fd00::1 kernel", "a bracket is not closed", "line 1"},
        {"[fd00::1]80 kernel", "a bracket is not closed", "line 1"},
        /* The first that is wrong is named, and those before and behind it do not count. */
        {"10.0.0.2 kernel\n10.0.0.3 x\n10.0.0.4 y", "'10.0.0.3 x'", "line 2"},
    };
    for (size_t i = 0; i < sizeof each / sizeof each[0]; i++) {
        wrong = each[i][0];
        said = each[i][1];
        says_where = each[i][2];
        in_child(wrong_rules_refuse);
    }
    char longest[400];
    memset(longest, '1', sizeof longest - 1);
    longest[sizeof longest - 1] = '\0';
    wrong = longest;
    said = "too long for a rule";
    says_where = "line 1";
    in_child(wrong_rules_refuse);
}

static void chosen_file_must_be_there(void) {
    set("RDDP_SOCKETS_FILE", "/nonexistent/rules");
    set("RDDP_SOCKETS_NETWORKS", NETWORKS);
    read_rules();
    CHECK(rules_error() != NULL && strstr(rules_error(), "/nonexistent/rules: the rules cannot be read: No such file") != NULL);
}

static void folder_is_no_file(void) {
    set("RDDP_SOCKETS_FILE", "/tmp");
    read_rules();
    CHECK(rules_error() != NULL && strstr(rules_error(), "make this a file") != NULL);
}

static void too_much_is_refused(void) {
    static char many[20000];
    for (unsigned i = 0; i < 1025; i++) {
        strcat(many, "10.0.0.1 kernel\n");
    }
    read_with(NULL, NULL, many);
    CHECK(rules_error() != NULL && strstr(rules_error(), "line 1025: '10.0.0.1 kernel': there are more than 1024 rules") != NULL);
}

static void long_file_is_refused(void) {
    static char much[70000];
    memset(much, '#', sizeof much - 1);
    read_with(NULL, NULL, much);
    CHECK(rules_error() != NULL && strstr(rules_error(), "more than 64 KiB") != NULL);
}

static void networks_that_are_none_are_left_out(void) {
    set("RDDP_SOCKETS_NETWORKS", ";; one ;two x;three 10.0.0.1/99;four fe80::1/64;five 10.0.0.1/24;five 10.0.0.1/24 encrypted;");
    set("RDDP_SOCKETS_FILE", path);
    read_rules();
    CHECK(known_networks()->count == 1 && known_networks()->all[0].prefix == 120 && known_networks()->all[0].encrypted);
}

int main(void) {
    int file = mkstemp(path);
    CHECK(file >= 0 && close(file) == 0);
    in_child(networks_decide_without_rules);
    in_child(first_rule_decides);
    in_child(or_kernel_is_not_for_encrypted_networks);
    in_child(kernel_is_not_for_encrypted_networks);
    in_child(rule_may_name_what_a_gateway_reaches);
    in_child(kernel_is_near_only_in_the_network_itself);
    wrong_rules_say_where_and_what_to_do();
    in_child(chosen_file_must_be_there);
    in_child(folder_is_no_file);
    in_child(too_much_is_refused);
    in_child(long_file_is_refused);
    in_child(networks_that_are_none_are_left_out);
    CHECK(unlink(path) == 0);
    puts("done");
    return 0;
}
