package org.rddp.capture;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import org.rddp.client.types.CompletionStatus;
import org.rddp.client.types.Opcode;
import org.rddp.ddp.segment.DdpHeader;
import org.rddp.ddp.segment.SegmentHeader;
import org.rddp.ipc.ring.TraceEvent;
import org.rddp.mpa.Ulpdu;
import org.rddp.tcp.CloseReason;
import org.rddp.tcp.TcpTimer;
import org.rddp.tcp.loss.LossState;
import org.rddp.wire.SequenceNumber;
import org.rddp.wire.Tcp;
import org.rddp.wire.TcpOptions;

/**
 * Events of a trace as JSON objects; docs/operations.md has their keys. Positions count the octets
 * of a direction's stream. Not thread-safe.
 */
public final class TraceJson {
  /**
   * Kinds of RDMAP messages by opcode, as RFC 5040 section 4.1 and RFC 7306 section 3 name them.
   */
  private static final List<String> MESSAGES =
      List.of(
          "rdma-write",
          "rdma-read-request",
          "rdma-read-response",
          "send",
          "send-with-invalidate",
          "send-with-solicited-event",
          "send-with-solicited-event-and-invalidate",
          "terminate",
          "immediate-data",
          "immediate-data-with-solicited-event",
          "atomic-request",
          "atomic-response");

  private static final int RDMAP_OPCODE = 0x0f;
  private static final String FLAGS = "FSRPAUEC";

  private final boolean rdmap;
  private final TcpOptions options = new TcpOptions();
  private final SegmentHeader ddp = new SegmentHeader();

  /**
   * Events of a connection.
   *
   * @param rdmap whether it speaks RDMAP; otherwise plain DDP
   */
  public TraceJson(boolean rdmap) {
    this.rdmap = rdmap;
  }

  /**
   * An event as JSON.
   *
   * @param timeNanos nanoseconds since the trace began
   * @throws IllegalArgumentException if this version knows no such event
   */
  public JsonObject of(long timeNanos, TraceEvent event) {
    JsonObject json = new JsonObject();
    json.addProperty("event", name(event.kind()));
    json.addProperty("time_ns", timeNanos);
    switch (event.kind()) {
      case TraceEvent.SEGMENT_SENT, TraceEvent.SEGMENT_RECEIVED -> addSegment(json, event);
      case TraceEvent.STATE -> addState(json, event);
      case TraceEvent.TIMER -> json.addProperty("timer", word(TcpTimer.of(event.detail())));
      case TraceEvent.FPDU_SENT, TraceEvent.FPDU_RECEIVED -> addFpdu(json, event);
      case TraceEvent.REQUEST_TAKEN, TraceEvent.REQUEST_COMPLETED -> addRequest(json, event);
      default -> json.addProperty("reason", word(CloseReason.of(event.detail())));
    }
    return json;
  }

  private static String name(int kind) {
    return switch (kind) {
      case TraceEvent.SEGMENT_SENT -> "segment-sent";
      case TraceEvent.SEGMENT_RECEIVED -> "segment-received";
      case TraceEvent.STATE -> "state";
      case TraceEvent.TIMER -> "timer";
      case TraceEvent.FPDU_SENT -> "fpdu-sent";
      case TraceEvent.FPDU_RECEIVED -> "fpdu-received";
      case TraceEvent.REQUEST_TAKEN -> "request-taken";
      case TraceEvent.REQUEST_COMPLETED -> "request-completed";
      case TraceEvent.CLOSED -> "closed";
      default -> throw new IllegalArgumentException("no event has the kind " + kind);
    };
  }

  private void addSegment(JsonObject json, TraceEvent event) {
    MemorySegment header = event.header();
    long address = header.address();
    int flags = Tcp.flags(address);
    json.addProperty("position", event.number(0));
    json.addProperty("octets", event.detail());
    json.addProperty("flags", flags(flags));
    if (event.number(2) != 0) {
      json.addProperty("retransmission", true);
    }
    if ((flags & Tcp.ACK) == 0) {
      return;
    }
    json.addProperty("acknowledged", event.number(1));
    json.addProperty("window_octets", window(event));
    if (options.parse(address, Tcp.headerLength(address)) && options.sackBlocks() > 0) {
      json.add("sack", sack(event.number(1), Tcp.acknowledgment(address)));
    }
  }

  /** The window that a segment advertises, in octets. */
  static long window(TraceEvent event) {
    return (long) Tcp.window(event.header().address()) << event.number(3);
  }

  private static String flags(int flags) {
    StringBuilder set = new StringBuilder();
    for (int i = 0; i < FLAGS.length(); i++) {
      if ((flags & 1 << i) != 0) {
        set.append(FLAGS.charAt(i));
      }
    }
    return set.toString();
  }

  /** The blocks as positions; the first block of a D-SACK lies before the acknowledged position. */
  private JsonArray sack(long acknowledged, int acknowledgment) {
    JsonArray blocks = new JsonArray();
    for (int i = 0; i < options.sackBlocks(); i++) {
      JsonArray block = new JsonArray();
      for (int edge : new int[] {options.sackLeft(i), options.sackRight(i)}) {
        block.add(acknowledged + SequenceNumber.distance(acknowledgment, edge));
      }
      blocks.add(block);
    }
    return blocks;
  }

  private static void addState(JsonObject json, TraceEvent event) {
    List<String> keys =
        Arrays.asList(
            "acknowledged",
            "next",
            "congestion_window_octets",
            "slow_start_threshold_octets",
            "rtt_ns",
            "rtt_variation_ns",
            "retransmission_timeout_ns",
            "send_window_octets");
    for (int i = 0; i < keys.size(); i++) {
      json.addProperty(keys.get(i), event.number(i));
    }
    json.addProperty("loss_recovery", word(LossState.of(event.detail())));
  }

  private void addFpdu(JsonObject json, TraceEvent event) {
    json.addProperty("position", event.number(0));
    json.addProperty("octets", event.detail());
    json.addProperty("ulpdu_octets", event.number(1));
    if (event.number(2) != 0) {
      json.addProperty("early", true);
    }
    MemorySegment header = event.header();
    if (header.byteSize() < DdpHeader.TAGGED_LENGTH) {
      return;
    }
    ddp.read(Ulpdu.of(0, header.address(), (int) header.byteSize()));
    if (rdmap) {
      int opcode = ddp.rsvdUlp() & RDMAP_OPCODE;
      json.addProperty(
          "message", opcode < MESSAGES.size() ? MESSAGES.get(opcode) : "opcode-" + opcode);
    }
    json.addProperty("last", ddp.last());
    if (ddp.tagged()) {
      json.addProperty("stag", "%08x".formatted(ddp.stag()));
      json.addProperty("tagged_offset", Long.toUnsignedString(ddp.to()));
    } else {
      json.addProperty("queue", Integer.toUnsignedLong(ddp.qn()));
      json.addProperty("msn", Integer.toUnsignedLong(ddp.msn()));
      json.addProperty("message_offset", Integer.toUnsignedLong(ddp.mo()));
    }
  }

  private static void addRequest(JsonObject json, TraceEvent event) {
    json.addProperty("request", Opcode.name(event.detail()));
    json.addProperty("id", event.number(0));
    json.addProperty("octets", event.number(1));
    if (event.kind() == TraceEvent.REQUEST_COMPLETED) {
      json.addProperty("status", CompletionStatus.of((int) event.number(2)).name());
    }
  }

  private static String word(Enum<?> constant) {
    return constant.name().toLowerCase(Locale.ROOT).replace('_', '-');
  }
}
