package org.rddp.demo;

import java.nio.file.Path;

/**
 * Settings of the demonstration.
 *
 * @param device that joins the daemons
 * @param hugepages whether DPDK's memory is of huge pages
 * @param octets of the transfer
 * @param mtu of the link
 * @param ipv6 whether the link is used with IPv6
 * @param count of round trips measured
 * @param seed of the transfer's pattern
 * @param pcap file for captured frames, or null
 */
public record DemoSettings(
    DemoDevice device,
    boolean hugepages,
    long octets,
    int mtu,
    boolean ipv6,
    int count,
    long seed,
    Path pcap) {}
