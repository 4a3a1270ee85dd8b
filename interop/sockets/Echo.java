import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/**
 * Echo.java net|virtual|nio|client|virtual-client|nio-client ADDRESS PORT: servers send everything back; clients compare 20 MB,
 * virtual-client also by many connections at once.
 */
final class Echo {
  private static final int OCTETS = 20_000_000;
  private static final int CONNECTIONS = 100;

  public static void main(String[] words) throws Exception {
    InetSocketAddress at = new InetSocketAddress(words[1], Integer.parseInt(words[2]));
    switch (words[0]) {
      case "net" -> serveByThreads(at, Thread.ofPlatform());
      case "virtual" -> inVirtualThread(() -> serveByThreads(at, Thread.ofVirtual()));
      case "nio" -> serveBySelector(at);
      case "client" -> exchange(at, octets(), Thread.ofPlatform());
      case "virtual-client" -> inVirtualThread(() -> exchangeByMany(at));
      case "nio-client" -> exchangeBySelector(at);
      default -> throw new IllegalArgumentException(words[0]);
    }
  }

  private static void inVirtualThread(Callable<?> task) throws Exception {
    try (ExecutorService executor = Executors.newVirtualThreadPerTaskExecutor()) {
      executor.submit(task).get();
    }
  }

  private static Void serveByThreads(InetSocketAddress at, Thread.Builder threads) throws IOException {
    try (ServerSocket listener = new ServerSocket()) {
      listener.bind(at, CONNECTIONS);
      while (true) {
        Socket connection = listener.accept();
        threads.start(
            () -> {
              try (connection) {
                connection.getInputStream().transferTo(connection.getOutputStream());
              } catch (IOException e) {
                e.printStackTrace();
              }
            });
      }
    }
  }

  private static void serveBySelector(InetSocketAddress at) throws IOException {
    Selector selector = Selector.open();
    ServerSocketChannel listener = ServerSocketChannel.open().bind(at);
    listener.configureBlocking(false).register(selector, SelectionKey.OP_ACCEPT);
    while (true) {
      selector.select();
      for (SelectionKey key : selector.selectedKeys()) {
        if (key.isAcceptable()) {
          SocketChannel accepted = listener.accept();
          if (accepted != null) {
            accepted.configureBlocking(false);
            accepted.register(selector, SelectionKey.OP_READ, ByteBuffer.allocateDirect(1 << 16));
          }
        } else {
          echo(key);
        }
      }
      selector.selectedKeys().clear();
    }
  }

  private static void echo(SelectionKey key) throws IOException {
    SocketChannel connection = (SocketChannel) key.channel();
    ByteBuffer octets = (ByteBuffer) key.attachment();
    boolean ended = key.isReadable() && connection.read(octets) < 0;
    connection.write(octets.flip());
    boolean left = octets.hasRemaining();
    octets.compact();
    if (ended && !left) {
      connection.close();
    } else {
      key.interestOps((octets.hasRemaining() && !ended ? SelectionKey.OP_READ : 0) | (left ? SelectionKey.OP_WRITE : 0));
    }
  }

  private static byte[] octets() {
    byte[] made = new byte[OCTETS];
    new Random(1).nextBytes(made);
    return made;
  }

  private static Void exchangeByMany(InetSocketAddress at) throws Exception {
    byte[] sent = octets();
    try (ExecutorService executor = Executors.newVirtualThreadPerTaskExecutor()) {
      List<Future<?>> exchanges = new ArrayList<>();
      for (int i = 0; i < CONNECTIONS; i++) {
        int part = i * (OCTETS / CONNECTIONS);
        byte[] octets = Arrays.copyOfRange(sent, part, i == 0 ? OCTETS : part + OCTETS / CONNECTIONS);
        exchanges.add(executor.submit(() -> exchange(at, octets, Thread.ofVirtual())));
      }
      for (Future<?> exchange : exchanges) {
        exchange.get();
      }
    }
    System.out.println("all same");
    return null;
  }

  private static Void exchange(InetSocketAddress at, byte[] sent, Thread.Builder threads) throws Exception {
    try (Socket connection = new Socket()) {
      connection.connect(at);
      Thread sender =
          threads.start(
              () -> {
                try {
                  connection.getOutputStream().write(sent);
                  connection.shutdownOutput();
                } catch (IOException e) {
                  e.printStackTrace();
                }
              });
      compare(sent, connection.getInputStream().readAllBytes());
      sender.join();
    }
    return null;
  }

  private static void exchangeBySelector(InetSocketAddress at) throws IOException {
    byte[] sent = octets();
    ByteBuffer out = ByteBuffer.wrap(sent);
    ByteBuffer in = ByteBuffer.allocate(OCTETS + 1);
    Selector selector = Selector.open();
    SocketChannel connection = SocketChannel.open();
    connection.configureBlocking(false);
    SelectionKey key = connection.register(selector, SelectionKey.OP_CONNECT);
    connection.connect(at);
    boolean ended = false;
    while (!ended) {
      selector.select();
      if (key.isConnectable()) {
        connection.finishConnect();
        key.interestOps(SelectionKey.OP_READ | SelectionKey.OP_WRITE);
      }
      if (key.isWritable()) {
        connection.write(out);
        if (!out.hasRemaining()) {
          connection.shutdownOutput();
          key.interestOps(SelectionKey.OP_READ);
        }
      }
      ended = key.isReadable() && connection.read(in) < 0;
      selector.selectedKeys().clear();
    }
    compare(sent, Arrays.copyOf(in.array(), in.position()));
  }

  private static void compare(byte[] sent, byte[] received) {
    if (!Arrays.equals(sent, received)) {
      throw new IllegalStateException(received.length + " octets came back, and they differ");
    }
    System.out.println("same");
  }
}
