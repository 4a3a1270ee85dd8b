package org.rddp.nio;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import java.io.BufferedReader;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.Pipe;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.rddp.daemon.TestDaemon;

/** A program that knows nothing of rddp, in a JVM of its own with the property. */
@Timeout(60)
class PropertyTest {
  /** Connects to itself by both kinds, serves the web, and selects a pipe; prints what comes. */
  static final class Program {
    public static void main(String... arguments) throws Exception {
      try (Selector selector = Selector.open();
          ServerSocketChannel listener = ServerSocketChannel.open().bind(null)) {
        int port = ((InetSocketAddress) listener.getLocalAddress()).getPort();
        Pipe pipe = Pipe.open();
        pipe.source().configureBlocking(false);
        pipe.source().register(selector, SelectionKey.OP_READ);
        pipe.sink().write(ByteBuffer.allocate(1));
        if (selector.select() != 1) {
          throw new AssertionError("the pipe is not readable");
        }
        for (String address : arguments) {
          try (SocketChannel client = SocketChannel.open(new InetSocketAddress(address, port));
              SocketChannel server = listener.accept()) {
            client.write(ByteBuffer.allocate(1));
            if (server.read(ByteBuffer.allocate(1)) != 1) {
              throw new AssertionError("nothing comes from " + address);
            }
            System.out.println(server.getClass().getPackageName());
          }
          System.out.println(serve(address));
        }
      }
    }

    /** The first line with which the JDK's own HTTP server answers there. */
    private static String serve(String address) throws Exception {
      HttpServer web = HttpServer.create(new InetSocketAddress(address, 0), 0);
      web.createContext(
          "/",
          exchange -> {
            exchange.sendResponseHeaders(200, -1);
            exchange.close();
          });
      web.start();
      try (SocketChannel client = SocketChannel.open(web.getAddress())) {
        client.write(StandardCharsets.US_ASCII.encode("GET / HTTP/1.1\r\n\r\n"));
        ByteBuffer answer = ByteBuffer.allocate(8192);
        while (answer.position() < 15 && client.read(answer) >= 0) {}
        return StandardCharsets.US_ASCII.decode(answer.flip()).toString().lines().findFirst().get();
      } finally {
        web.stop(0);
      }
    }
  }

  /** Starts a JVM with the property. */
  static Process start(TestDaemon daemon, String... arguments) throws Exception {
    List<String> command =
        new ArrayList<>(
            List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "--enable-native-access=ALL-UNNAMED",
                "-Djava.nio.channels.spi.SelectorProvider=org.rddp.nio.RddpSelectorProvider",
                "-cp",
                System.getProperty("java.class.path")));
    command.addAll(List.of(arguments));
    ProcessBuilder builder = new ProcessBuilder(command);
    builder.environment().put("RDDP_SOCKET", daemon.socket().toString());
    return builder.redirectErrorStream(true).start();
  }

  @Test
  void shouldServeAProgramThatKnowsNothingOfIt() throws Exception {
    try (TestDaemon daemon = new TestDaemon()) {
      Process process = start(daemon, Program.class.getName(), "127.0.0.1", TestDaemon.ADDRESS_TWO);
      try (InputStream out = process.getInputStream()) {
        assertThat(new String(out.readAllBytes(), StandardCharsets.UTF_8).lines())
            .containsExactly("org.rddp.nio", "HTTP/1.1 200 OK", "org.rddp.nio", "HTTP/1.1 200 OK");
      }
      assertThat(process.waitFor()).isZero();
    }
  }

  /** With -m a JVM has the modules only that this one needs. */
  @Test
  void shouldSayWhichModuleAProgramLacks() throws Exception {
    try (TestDaemon daemon = new TestDaemon()) {
      String[] server = {"-m", "jdk.httpserver", "-b", TestDaemon.ADDRESS_TWO, "-p", "0"};
      Process process = start(daemon, server);
      try (InputStream out = process.getInputStream()) {
        assertThat(new String(out.readAllBytes(), StandardCharsets.UTF_8))
            .contains("--add-modules jdk.unsupported");
      }
      List<String> complete = new ArrayList<>(List.of("--add-modules", "jdk.unsupported"));
      complete.addAll(List.of(server));
      process = start(daemon, complete.toArray(String[]::new));
      try (BufferedReader out = process.inputReader()) {
        assertThat(out.readLine()).contains("on " + TestDaemon.ADDRESS_TWO + " port");
      } finally {
        process.destroy();
      }
    }
  }
}
