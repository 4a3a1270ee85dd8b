package org.rddp.demo;

import java.nio.file.Path;

/**
 * What a demonstration does.
 *
 * @param device what joins the daemons
 * @param hugepages whether DPDK's memory is of huge pages
 * @param octets of the transfer
 * @param mtu of the link
 * @param count round trips measured
 * @param seed of the transfer's pattern
 * @param pcap where frames are captured to, or null
 */
public record DemoSettings(
    DemoDevice device, boolean hugepages, long octets, int mtu, int count, long seed, Path pcap) {}
