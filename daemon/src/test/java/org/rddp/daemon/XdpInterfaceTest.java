package org.rddp.daemon;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.rddp.ipc.linux.Errno;
import org.rddp.ipc.linux.SystemCallException;

class XdpInterfaceTest {
  @ParameterizedTest
  @ValueSource(ints = {Errno.EINVAL, Errno.ERANGE})
  void shouldSaySoWhereTheMtuMayBeTooLarge(int errno) {
    assertThat(XdpInterface.refusal("eth0", new SystemCallException("bpf, attach", errno)))
        .startsWith("no AF_XDP on eth0: bpf, attach: ")
        .endsWith(
            "allowed: \"linux:eth0\", or a smaller MTU, if the driver has XDP: ip link set eth0 mtu 1500");
  }

  @Test
  void shouldNotBlameTheMtuForOtherErrors() {
    assertThat(XdpInterface.refusal("eth0", new SystemCallException("bpf, program", Errno.EPERM)))
        .endsWith("allowed: \"linux:eth0\"");
  }
}
