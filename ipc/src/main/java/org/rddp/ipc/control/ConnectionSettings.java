package org.rddp.ipc.control;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.rddp.client.types.CongestionChoice;
import org.rddp.client.types.ProtectionDomains;
import org.rddp.client.types.StartupOptions;
import org.rddp.client.types.StartupOptions.Choice;

/**
 * Settings of a connection, or of the connections of a listener, chosen by the program.
 *
 * @param heldOctets octets kept of messages for which no receive is posted; 0: none
 * @param taggedNotices plain DDP: number of Tagged Message notices that may be posted; 0: none
 * @param queues plain DDP: number of receives that each queue holds, from Queue Number 0 on; empty:
 *     RDMAP
 * @param receiveQueue RDMAP: number of the shared receive queue; 0: receives are posted to the
 *     connection
 * @param startup RDMAP: what the program chooses of MPA's startup
 * @param domain number of the protection domain
 * @param acknowledged whether sends and writes complete when TCP has their last octet acknowledged
 * @param sendWithImmediate RDMAP: whether Sends with immediate data are wanted
 * @param withheldRights RDMAP: rights that the peer has not got, whatever STags grant: 2 remote
 *     read, 4 remote write, 8 remote atomic
 * @param dscp Differentiated Services codepoint of the connection's packets, 0 to 63; -1: the
 *     interface's
 * @param congestion congestion control of the connection
 */
public record ConnectionSettings(
    int heldOctets,
    int taggedNotices,
    List<Integer> queues,
    int receiveQueue,
    StartupOptions startup,
    int domain,
    boolean acknowledged,
    boolean sendWithImmediate,
    int withheldRights,
    int dscp,
    CongestionChoice congestion) {
  /** Largest number of queues. */
  public static final int MAX_QUEUES = 256;

  private static final int ACKNOWLEDGED = 1;
  private static final int SEND_WITH_IMMEDIATE = 2;
  private static final int DSCP = 4;
  private static final int DSCP_SHIFT = 8;
  private static final int LARGEST_DSCP = 63;
  private static final int CONGESTION_SHIFT = 16;

  private static final List<CongestionChoice> CONGESTION = List.of(CongestionChoice.values());

  private static final int FLAGS =
      ACKNOWLEDGED
          | SEND_WITH_IMMEDIATE
          | DSCP
          | LARGEST_DSCP << DSCP_SHIFT
          | (CONGESTION.size() - 1) << CONGESTION_SHIFT;
  private static final int RIGHTS_OF_PEERS = 2 | 4 | 8;

  private static final List<Choice> CHOICES = List.of(Choice.values());

  /** RDMAP; a message without a posted receive ends the connection. */
  public static final ConnectionSettings RDMAP = new ConnectionSettings(0, 0, List.of());

  /** Copies the list, and refuses what is missing. */
  public ConnectionSettings {
    queues = List.copyOf(queues);
    Objects.requireNonNull(startup, "startup");
    Objects.requireNonNull(congestion, "congestion");
  }

  /** Settings without a shared receive queue, and with the interface's startup. */
  public ConnectionSettings(int heldOctets, int taggedNotices, List<Integer> queues) {
    this(heldOctets, taggedNotices, queues, 0);
  }

  /** Settings with the interface's startup. */
  public ConnectionSettings(
      int heldOctets, int taggedNotices, List<Integer> queues, int receiveQueue) {
    this(
        heldOctets,
        taggedNotices,
        queues,
        receiveQueue,
        StartupOptions.DEFAULTS,
        ProtectionDomains.DEFAULT,
        false,
        false,
        0,
        -1,
        CongestionChoice.AS_CONFIGURED);
  }

  /** Copies the settings with another startup. */
  public ConnectionSettings withStartup(StartupOptions options) {
    return new ConnectionSettings(
        heldOctets,
        taggedNotices,
        queues,
        receiveQueue,
        options,
        domain,
        acknowledged,
        sendWithImmediate,
        withheldRights,
        dscp,
        congestion);
  }

  /** Copies the settings with another shared receive queue. */
  public ConnectionSettings withReceiveQueue(int number) {
    return new ConnectionSettings(
        heldOctets,
        taggedNotices,
        queues,
        number,
        startup,
        domain,
        acknowledged,
        sendWithImmediate,
        withheldRights,
        dscp,
        congestion);
  }

  /** Copies the settings with sends that complete when they are acknowledged, or sent. */
  public ConnectionSettings withAcknowledged(boolean wanted) {
    return new ConnectionSettings(
        heldOctets,
        taggedNotices,
        queues,
        receiveQueue,
        startup,
        domain,
        wanted,
        sendWithImmediate,
        withheldRights,
        dscp,
        congestion);
  }

  /** Copies the settings with the wish for Sends with immediate data, or without. */
  public ConnectionSettings withSendWithImmediate(boolean wanted) {
    return new ConnectionSettings(
        heldOctets,
        taggedNotices,
        queues,
        receiveQueue,
        startup,
        domain,
        acknowledged,
        wanted,
        withheldRights,
        dscp,
        congestion);
  }

  /** Whether the connection speaks plain DDP: the program is the ULP. */
  public boolean isPlainDdp() {
    return !queues.isEmpty();
  }

  void write(MessageBuffer buffer) {
    buffer.putInt(heldOctets);
    buffer.putInt(taggedNotices);
    buffer.putShort(queues.size());
    queues.forEach(buffer::putInt);
    buffer.putInt(receiveQueue);
    buffer.putInt(startup.ird());
    buffer.putInt(startup.ord());
    buffer.putInt(startup.revision());
    buffer.putInt(CHOICES.indexOf(startup.peerToPeer()));
    buffer.putInt(CHOICES.indexOf(startup.revision1Retry()));
    buffer.putInt(domain);
    int flags = (acknowledged ? ACKNOWLEDGED : 0) | (sendWithImmediate ? SEND_WITH_IMMEDIATE : 0);
    flags |= CONGESTION.indexOf(congestion) << CONGESTION_SHIFT;
    buffer.putInt(dscp < 0 ? flags : flags | DSCP | dscp << DSCP_SHIFT);
    buffer.putInt(withheldRights);
  }

  static ConnectionSettings read(MessageBuffer buffer) throws ControlProtocolException {
    int heldOctets = buffer.getInt();
    int taggedNotices = buffer.getInt();
    int count = buffer.getShort();
    if (count > MAX_QUEUES) {
      throw new ControlProtocolException(count + " queues, at most " + MAX_QUEUES);
    }
    List<Integer> queues = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      queues.add(buffer.getInt());
    }
    int receiveQueue = buffer.getInt();
    StartupOptions startup = readStartup(buffer);
    int domain = buffer.getInt();
    int flags = buffer.getInt();
    boolean coded = (flags & DSCP) != 0;
    int dscp = (flags >>> DSCP_SHIFT) & LARGEST_DSCP;
    if ((flags & ~FLAGS) != 0 || (!coded && dscp != 0)) {
      throw new ControlProtocolException(
          "flags "
              + flags
              + " of a connection: 1, 2, 4, with 4 a codepoint in bits 8 to 13, and a congestion control"
              + " in bits 16 and 17");
    }
    return new ConnectionSettings(
        heldOctets,
        taggedNotices,
        queues,
        receiveQueue,
        startup,
        domain,
        (flags & ACKNOWLEDGED) != 0,
        (flags & SEND_WITH_IMMEDIATE) != 0,
        readRights(buffer),
        coded ? dscp : -1,
        CONGESTION.get(flags >>> CONGESTION_SHIFT));
  }

  private static int readRights(MessageBuffer buffer) throws ControlProtocolException {
    int rights = buffer.getInt();
    if ((rights & ~RIGHTS_OF_PEERS) != 0) {
      throw new ControlProtocolException("rights " + rights + " withheld: 2, 4 and 8 can be");
    }
    return rights;
  }

  private static StartupOptions readStartup(MessageBuffer buffer) throws ControlProtocolException {
    try {
      return new StartupOptions(
          buffer.getInt(),
          buffer.getInt(),
          buffer.getInt(),
          readChoice(buffer),
          readChoice(buffer));
    } catch (IllegalArgumentException e) {
      throw new ControlProtocolException(e.getMessage());
    }
  }

  private static Choice readChoice(MessageBuffer buffer) throws ControlProtocolException {
    int number = buffer.getInt();
    if (number < 0 || number >= CHOICES.size()) {
      throw new ControlProtocolException("choice " + number + ": 0 to 2");
    }
    return CHOICES.get(number);
  }
}
