package org.rddp.nio;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.channels.DatagramChannel;
import java.nio.channels.spi.SelectorProvider;

/** The JDK's own provider of channels, which are the kernel's. */
final class Kernel {
  /** What the JDK takes where no property names another provider. */
  private static final String OWN = "sun.nio.ch.EPollSelectorProvider";

  private static final class Holder {
    static final SelectorProvider PROVIDER = find();

    /**
     * Without a property the JDK tells its provider. With one it tells ours, and keeps its own in a
     * package that is not exported; the provider has no state, so an instance is enough.
     */
    private static SelectorProvider find() {
      SelectorProvider told = SelectorProvider.provider();
      if (told != null && !(told instanceof RddpSelectorProvider)) {
        return told;
      }
      try {
        Class<?> unsafe = Class.forName("sun.misc.Unsafe");
        var instance = unsafe.getDeclaredField("theUnsafe");
        instance.setAccessible(true);
        return (SelectorProvider)
            unsafe
                .getMethod("allocateInstance", Class.class)
                .invoke(instance.get(null), Class.forName(OWN));
      } catch (ReflectiveOperationException e) {
        // An error, not an exception: of that only an ExceptionInInitializerError without a message
        // would be left.
        throw new LinkageError(
            "the JDK's own channels are found by the module jdk.unsupported, and "
                + e.getMessage()
                + " is missing: run java with --add-modules jdk.unsupported",
            e);
      }
    }
  }

  private Kernel() {}

  /** The provider. */
  static SelectorProvider provider() {
    return Holder.PROVIDER;
  }

  /** The address from which the kernel sends to another one, or null. Nothing is sent. */
  static InetAddress source(InetAddress to) {
    try (DatagramChannel probe = provider().openDatagramChannel()) {
      probe.connect(new InetSocketAddress(to, 1));
      return ((InetSocketAddress) probe.getLocalAddress()).getAddress();
    } catch (IOException e) {
      return null;
    }
  }
}
