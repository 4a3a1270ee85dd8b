package org.rddp.ipc.ring;

import static org.rddp.ipc.ring.RingLayout.ALL;
import static org.rddp.ipc.ring.RingLayout.INT;
import static org.rddp.ipc.ring.RingLayout.LONG;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.nio.charset.StandardCharsets;

/**
 * The header of an octet stream's memory, which program and daemon map. Each group of words that
 * one end writes has a cache line of its own. The layout is specified in docs/ipc.md.
 *
 * <p>Whoever reads a word that the other end writes checks what it has read. Allocates nothing.
 */
public final class StreamHeader {
  /** Octets of the header. */
  public static final int OCTETS = 4096;

  /** {@link #state}: it is being established. */
  public static final int CONNECTING = 0;

  /** {@link #state}: octets pass. */
  public static final int ESTABLISHED = 1;

  /** {@link #state}: it could not be established; {@link #error} says why. */
  public static final int FAILED = 2;

  /** {@link #state}: it has ended; {@link #error} is 0 if both ends have ended sending. */
  public static final int ENDED = 3;

  /** {@link #programFlags}: the program has mapped the memory and forbidden holes. */
  public static final int MAPPED = 1;

  /** {@link #programFlags}: the program has accepted the stream. */
  public static final int TAKEN = 2;

  /** {@link #programFlags}: nothing follows what has been written. */
  public static final int END_SENDING = 4;

  /** {@link #programFlags}: the program reads no more. */
  public static final int RECEIVING_ENDED = 8;

  /** {@link #programFlags}: the stream is reset when the program closes it. */
  public static final int ABORT_AT_CLOSE = 16;

  /**
   * Where {@link #programFlags} has the congestion control that the program has chosen, 0 for none,
   * and {@link #daemonFlags} that which the stream began with.
   */
  public static final int CONGESTION_SHIFT = 8;

  /** {@link #congestion}: CUBIC. */
  public static final int CUBIC = 1;

  /** {@link #congestion}: NewReno. */
  public static final int NEW_RENO = 2;

  /** {@link #congestion}: DCTCP. */
  public static final int DCTCP = 3;

  /** In {@link #daemonFlags}: no congestion control. */
  public static final int NO_CONTROL = 4;

  /** {@link #daemonFlags}: the program may choose DCTCP. */
  public static final int DCTCP_ALLOWED = 1 << 11;

  private static final int CONGESTION = 3;

  /**
   * Where {@link #programFlags} has the Differentiated Services codepoint that the program has
   * chosen, and 1 more; 0 for none.
   */
  public static final int DSCP_SHIFT = 16;

  /** {@link #dscp}: the interface's. */
  public static final int NO_DSCP = -1;

  private static final int DSCP = 127;
  private static final int WAITER_SHIFT = 16;

  /** {@link #daemonFlags}: the peer has ended sending. */
  public static final int PEER_ENDED = 1;

  /** {@link #daemonFlags}: the stream has been reset. */
  public static final int RESET = 2;

  /** {@link #daemonFlags}: octets pass through a socket from now on. */
  public static final int BRIDGED = 4;

  /** {@link #daemonFlags}: the peer has acknowledged everything up to the end. */
  public static final int ACKNOWLEDGED = 8;

  /** In {@link #disarmSending}: the program has filled its socket. */
  public static final int SOCKET_FILLED = 1;

  /** In {@link #disarmSending}: the waiter is to be told. */
  public static final int ROOM_WANTED = 2;

  /** The largest number of a waiter. */
  public static final int WAITERS = 256;

  /** The bit of {@link #written} and {@link #consumed} that says that octets pass by a socket. */
  public static final long MOVED = 1L << 63;

  /** Version of the layout. */
  public static final int VERSION = 1;

  private static final byte[] MAGIC = "RDDPSTRM".getBytes(StandardCharsets.US_ASCII);
  private static final int AT_VERSION = 8;
  private static final int STATE = 12;
  private static final int ERROR = 16;
  private static final int SECTION = 20;
  private static final int INDEX = 24;
  private static final int SEND_OCTETS = 28;
  private static final int RECEIVE_OCTETS = 32;
  private static final int SEND_WRITTEN = 64;
  private static final int SEND_RING = 72;
  private static final int SEND_TAKEN = 128;
  private static final int SEND_ALLOWED = 136;
  private static final int RECEIVED = 192;
  private static final int RECEIVE_RING = 200;
  private static final int CONSUMED = 256;
  private static final int PROGRAM_FLAGS = 320;
  private static final int DAEMON_FLAGS = 384;
  private static final int ARMED_IN = 448;
  private static final int WAITER = 452;
  private static final int ARMED_OUT = 512;
  private static final int ADDRESSES = 704;

  private final long address;

  /** Wraps the header at an address. */
  public StreamHeader(long address) {
    this.address = address;
  }

  /** Octets of a stream's memory with so many for each ring. */
  public static long octets(int sendOctets, int receiveOctets) {
    return OCTETS + (long) sendOctets + receiveOctets;
  }

  /** Writes the constant words of new memory, and the lengths of its rings. */
  public void write(int section, int index, StreamRing sending, StreamRing receiving) {
    MemorySegment.copy(MAGIC, 0, ALL, ValueLayout.JAVA_BYTE, address, MAGIC.length);
    INT.set(ALL, address + SECTION, section);
    INT.set(ALL, address + INDEX, index);
    INT.set(ALL, address + SEND_OCTETS, sending.largest());
    INT.set(ALL, address + RECEIVE_OCTETS, receiving.largest());
    INT.set(ALL, address + SEND_RING, sending.octets());
    INT.set(ALL, address + SEND_ALLOWED, sending.octets());
    INT.set(ALL, address + RECEIVE_RING, receiving.octets());
    INT.setRelease(ALL, address + AT_VERSION, VERSION);
  }

  /** Clears what a former stream has left in memory that is used again. */
  void clear() {
    ALL.asSlice(address, OCTETS).fill((byte) 0);
  }

  /** Writes the addresses of both ends into new memory. */
  public void write(StreamEnds ends) {
    ends.write(ALL.asSlice(address + ADDRESSES, StreamEnds.OCTETS));
  }

  /** The addresses of both ends. */
  public StreamEnds ends() {
    return StreamEnds.read(ALL.asSlice(address + ADDRESSES, StreamEnds.OCTETS));
  }

  // ---- Written by the daemon ----

  /** One of {@link #CONNECTING} to {@link #ENDED}. */
  public int state() {
    return (int) INT.getAcquire(ALL, address + STATE);
  }

  /** Sets the state, after {@link #error}. */
  public void state(int state) {
    INT.setRelease(ALL, address + STATE, state);
  }

  /** The error number of Linux that the program is told; 0: none. */
  public int error() {
    return (int) INT.getAcquire(ALL, address + ERROR);
  }

  /** Sets the error number. */
  public void error(int errno) {
    INT.setRelease(ALL, address + ERROR, errno);
  }

  /** Octets of the send ring whose room is free again. */
  public long taken() {
    return (long) LONG.getAcquire(ALL, address + SEND_TAKEN);
  }

  /** Frees the room of sent octets. */
  public void taken(long position) {
    LONG.setRelease(ALL, address + SEND_TAKEN, position);
  }

  /** Octets that have come, up to here. */
  public long received() {
    return (long) LONG.getAcquire(ALL, address + RECEIVED);
  }

  /** Publishes octets that have come. */
  public void received(long position) {
    LONG.setRelease(ALL, address + RECEIVED, position);
  }

  /** Octets that the send ring may use. */
  public int sendAllowed() {
    return (int) INT.getAcquire(ALL, address + SEND_ALLOWED);
  }

  /** Allows the send ring to use so many octets. */
  public void sendAllowed(int octets) {
    INT.setRelease(ALL, address + SEND_ALLOWED, octets);
  }

  /** Octets that the receive ring uses; to be read after {@link #received}. */
  public int receiveRing() {
    return (int) INT.getAcquire(ALL, address + RECEIVE_RING);
  }

  /** Sets the octets that the receive ring uses, as {@link StreamRing#canUse} says. */
  public void receiveRing(int octets) {
    INT.setRelease(ALL, address + RECEIVE_RING, octets);
  }

  /** Bits of {@link #PEER_ENDED} and so on. */
  public int daemonFlags() {
    return (int) INT.getAcquire(ALL, address + DAEMON_FLAGS);
  }

  /** Sets flags of the daemon. */
  public void addDaemonFlags(int flags) {
    INT.getAndBitwiseOr(ALL, address + DAEMON_FLAGS, flags);
  }

  // ---- Written by programs ----

  /** Octets that programs have written, up to here, perhaps with {@link #MOVED}. */
  public long written() {
    return (long) LONG.getAcquire(ALL, address + SEND_WRITTEN);
  }

  /** Publishes octets that have been written, unless another thread or process was faster. */
  public boolean write(long from, long to) {
    return LONG.compareAndSet(ALL, address + SEND_WRITTEN, from, to);
  }

  /** Octets that the send ring uses; to be read after {@link #written}. */
  public int sendRing() {
    return (int) INT.getAcquire(ALL, address + SEND_RING);
  }

  /** Sets the octets that the send ring uses, as {@link StreamRing#canUse} says. */
  public void sendRing(int octets) {
    INT.setRelease(ALL, address + SEND_RING, octets);
  }

  /** Octets that programs have read, up to here, perhaps with {@link #MOVED}. */
  public long consumed() {
    return (long) LONG.getAcquire(ALL, address + CONSUMED);
  }

  /** Frees the room of octets that have been read, unless another was faster. */
  public boolean consume(long from, long to) {
    return LONG.compareAndSet(ALL, address + CONSUMED, from, to);
  }

  /** Forbids programs to write into the ring from now on. Returns what they have written. */
  public long moveWriting() {
    return (long) LONG.getAndBitwiseOr(ALL, address + SEND_WRITTEN, MOVED);
  }

  /** Forbids programs to read from the ring from now on. Returns what they have read. */
  public long moveReading() {
    return (long) LONG.getAndBitwiseOr(ALL, address + CONSUMED, MOVED);
  }

  /** Bits of {@link #MAPPED} and so on. */
  public int programFlags() {
    return (int) INT.getAcquire(ALL, address + PROGRAM_FLAGS);
  }

  /** The congestion control that the program has chosen, 0 for none. */
  public int congestion() {
    return (programFlags() >>> CONGESTION_SHIFT) & CONGESTION;
  }

  /** The DSCP that the program has chosen, 0 to 63, or {@link #NO_DSCP}; or more, which is none. */
  public int dscp() {
    return ((programFlags() >>> DSCP_SHIFT) & DSCP) - 1;
  }

  /** Sets flags of the program. */
  public void addProgramFlags(int flags) {
    INT.getAndBitwiseOr(ALL, address + PROGRAM_FLAGS, flags);
  }

  /**
   * Names the waiter that the daemon tells of the stream from now on, unless another one is named.
   * Look afterwards for what has happened before.
   *
   * @param waiter its number, 1 to {@link #WAITERS}
   * @param bit of the stream there, 0 to {@link Doorbells#STREAMS} - 1
   * @return whether it is named
   */
  public boolean nameWaiter(int waiter, int bit) {
    return INT.compareAndSet(ALL, address + WAITER, 0, waiter << WAITER_SHIFT | bit);
  }

  /** Tells the waiter no more. */
  public void forgetWaiter() {
    INT.setVolatile(ALL, address + WAITER, 0);
  }

  /**
   * The waiter that is told and its bit, for {@link #waiter} and {@link #waiterBit}; 0: none. After
   * publishing and {@link #disarmReceiving} or {@link #disarmSending}.
   */
  public int waiterWord() {
    return (int) INT.getOpaque(ALL, address + WAITER);
  }

  /** The number of the waiter of a word, 0 to 65535. */
  public static int waiter(int word) {
    return word >>> WAITER_SHIFT;
  }

  /** The bit of a word, 0 to {@link Doorbells#STREAMS} - 1. */
  public static int waiterBit(int word) {
    return word & (Doorbells.STREAMS - 1);
  }

  // ---- Written by both ----

  /** Asks for a message at the program's socket when octets come or the stream ends. */
  public void armReceiving() {
    arm(ARMED_IN, 1);
  }

  /** Whether a message has been asked for; it is not from now on. After publishing. */
  public boolean disarmReceiving() {
    return disarm(ARMED_IN) != 0;
  }

  /** Asks for room at the program's socket, which has filled it, when the ring has room. */
  public void armSending() {
    arm(ARMED_OUT, SOCKET_FILLED);
  }

  /** Asks that the waiter be told when the ring has room. */
  public void askForRoom() {
    arm(ARMED_OUT, ROOM_WANTED);
  }

  /**
   * The bits {@link #SOCKET_FILLED} and {@link #ROOM_WANTED} of what has been asked for; nothing is
   * from now on. After publishing.
   */
  public int disarmSending() {
    return disarm(ARMED_OUT);
  }

  /**
   * The one end publishes and looks whether it is armed, the other arms and looks for what has been
   * published: with a full fence at both at least one sees the other's store.
   */
  private void arm(int word, int what) {
    INT.getAndBitwiseOr(ALL, address + word, what);
    VarHandle.fullFence();
  }

  private int disarm(int word) {
    VarHandle.fullFence();
    return (int) INT.getOpaque(ALL, address + word) == 0
        ? 0
        : (int) INT.getAndSet(ALL, address + word, 0);
  }
}
