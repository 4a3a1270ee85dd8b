package org.rddp.nio;

import java.io.IOException;
import java.net.SocketException;
import java.net.SocketOption;
import java.nio.channels.Channel;
import java.nio.channels.NetworkChannel;

/** A channel's options as its socket reads and sets them. */
final class ChannelOptions {
  private ChannelOptions() {}

  static void ensureOpen(Channel channel) throws SocketException {
    if (!channel.isOpen()) {
      throw new SocketException("Socket is closed");
    }
  }

  static <T> void set(NetworkChannel channel, SocketOption<T> name, T value)
      throws SocketException {
    ensureOpen(channel);
    try {
      channel.setOption(name, value);
    } catch (IOException e) {
      throw Failures.caused(new SocketException(e.getMessage()), e);
    }
  }

  static <T> T get(NetworkChannel channel, SocketOption<T> name) throws SocketException {
    ensureOpen(channel);
    try {
      return channel.getOption(name);
    } catch (IOException e) {
      throw Failures.caused(new SocketException(e.getMessage()), e);
    }
  }

  /** Checks a time-out in ms, which 0 makes endless. */
  static int timeout(Channel channel, int millis) throws SocketException {
    ensureOpen(channel);
    if (millis < 0) {
      throw new IllegalArgumentException("timeout < 0");
    }
    return millis;
  }

  /** Checks the size of a buffer in octets. */
  static int size(int octets, String wrong) {
    if (octets <= 0) {
      throw new IllegalArgumentException(wrong);
    }
    return octets;
  }
}
