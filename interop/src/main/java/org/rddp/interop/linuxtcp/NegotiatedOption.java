package org.rddp.interop.linuxtcp;

import java.util.Arrays;
import org.rddp.tcp.TcpSettings;

/** An option that two TCPs negotiate, with Linux's names for it. */
enum NegotiatedOption {
  TIMESTAMPS("ts", "tcp_timestamps"),
  SACK("sack", "tcp_sack"),
  WINDOW_SCALE("wscale", "tcp_window_scaling"),
  ECN("ecn", "tcp_ecn");

  private final String shown;
  private final String setting;

  NegotiatedOption(String shown, String setting) {
    this.shown = shown;
    this.setting = setting;
  }

  /** Our settings without the option. */
  TcpSettings off(TcpSettings settings) {
    return switch (this) {
      case TIMESTAMPS -> settings.withTimestamps(false);
      case SACK -> settings.withSelectiveAcknowledgment(false);
      case WINDOW_SCALE -> settings.withWindowScale(false);
      case ECN -> settings.withEcn(false);
    };
  }

  /** Linux's sysctl that turns the option on (1) and off (0). */
  String setting() {
    return "net/ipv4/" + setting;
  }

  /** Whether the output of {@code ss -ti} shows that a connection uses the option. */
  boolean in(String view) {
    return Arrays.stream(view.split(" "))
        .anyMatch(word -> word.equals(shown) || word.startsWith(shown + ":"));
  }

  @Override
  public String toString() {
    return shown;
  }
}
