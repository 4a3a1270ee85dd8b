package org.rddp.demo;

import com.google.gson.JsonObject;
import org.rddp.daemon.configuration.SizeText;
import org.rddp.rig.RoundTrips;

/**
 * The results of the demonstration.
 *
 * @param verified whether every octet was right and the guards were untouched
 * @param octets of the transfer
 * @param device that joined the daemons
 * @param hugepages whether DPDK's memory was of huge pages
 * @param mtu of the link
 * @param ipv6 whether the link was used with IPv6
 * @param crc whether MPA's CRC was on
 * @param seconds that the transfer took
 * @param writes round trips of writes
 * @param writesLayout layout of the threads for these
 * @param kernelTcp the same over the kernel's TCP
 * @param coreToCore nanoseconds from one core to the other and back
 */
public record DemoResult(
    boolean verified,
    long octets,
    String device,
    boolean hugepages,
    int mtu,
    boolean ipv6,
    boolean crc,
    double seconds,
    RoundTrips writes,
    String writesLayout,
    RoundTrips kernelTcp,
    long coreToCore) {

  private double gigabits() {
    return octets * 8 / seconds / 1e9;
  }

  private double ratio() {
    return (double) kernelTcp.p50() / writes.p50();
  }

  /** The results as JSON. */
  public JsonObject toJson() {
    JsonObject json = new JsonObject();
    json.addProperty("verified", verified);
    json.addProperty("bytes", octets);
    json.addProperty("device", device);
    json.addProperty("hugepages", hugepages);
    json.addProperty("mtu", mtu);
    json.addProperty("ipv6", ipv6);
    json.addProperty("crc", crc);
    json.addProperty("seconds", seconds);
    json.addProperty("goodput_gbps", Math.round(gigabits() * 1000) / 1000.0);
    JsonObject roundTrips = writes.toJson();
    roundTrips.addProperty("layout", writesLayout);
    json.add("write_rtt_ns", roundTrips);
    json.add("kernel_tcp_rtt_ns", kernelTcp.toJson());
    json.addProperty("rtt_ratio", Math.round(ratio() * 100) / 100.0);
    json.addProperty("core_to_core_ns", coreToCore);
    return json;
  }

  /** The results as text. */
  public String toTable() {
    return """

    transfer        %s by RDMA Writes over %s, MTU %d, CRC %s
      verified      %s
      over          %s, %s
      goodput       %.2f Gb/s (%.3f s)

    round trip of 64 octets, ns      p50      p99    p99.9        max   over
      write into memory and back %7d  %7d  %7d  %9d   %s
      kernel TCP, busy-polled    %7d  %7d  %7d  %9d   %s
      ratio                      %7.1f
    one cache line to the other core and back: %d ns
    layout of the writes: %s
    """
        .formatted(
            SizeText.format(octets),
            ipv6 ? "IPv6" : "IPv4",
            mtu,
            crc ? "on" : "off",
            verified ? "every octet, guards included" : "NO",
            device,
            hugepages ? "huge pages" : "no huge pages",
            gigabits(),
            seconds,
            writes.p50(),
            writes.p99(),
            writes.p999(),
            writes.max(),
            writes.device(),
            kernelTcp.p50(),
            kernelTcp.p99(),
            kernelTcp.p999(),
            kernelTcp.max(),
            kernelTcp.device(),
            ratio(),
            coreToCore,
            writesLayout)
        .replaceAll("(?m)^ +$", "")
        .stripTrailing();
  }
}
