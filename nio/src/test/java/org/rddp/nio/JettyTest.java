package org.rddp.nio;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import org.eclipse.jetty.http2.server.HTTP2CServerConnectionFactory;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.HttpConfiguration;
import org.eclipse.jetty.server.HttpConnectionFactory;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.util.Callback;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.rddp.daemon.TestDaemon;

/** Jetty and the JDK's HTTP client, which know nothing of rddp, in a JVM with the property. */
@Timeout(60)
class JettyTest {
  private static final int REQUESTS = 100;

  /** Serves what it is sent, at each address, and asks for that; prints what comes. */
  static final class Program {
    public static void main(String... addresses) throws Exception {
      for (String address : addresses) {
        HttpConfiguration settings = new HttpConfiguration();
        Server server = new Server();
        ServerConnector connector =
            new ServerConnector(
                server,
                new HttpConnectionFactory(settings),
                new HTTP2CServerConnectionFactory(settings));
        connector.setHost(address);
        server.addConnector(connector);
        server.setHandler(
            new Handler.Abstract() {
              @Override
              public boolean handle(Request request, Response response, Callback callback) {
                Content.copy(request, response, callback);
                return true;
              }
            });
        server.start();
        for (HttpClient.Version version : HttpClient.Version.values()) {
          URI at = URI.create("http://" + address + ":" + connector.getLocalPort() + "/");
          System.out.println(version + " " + ask(version, at));
        }
        server.stop();
      }
      // Jetty's logger has threads of its own.
      System.exit(0);
    }

    /** Returns how many answers are what was sent, of many at the same time. */
    private static int ask(HttpClient.Version version, URI at) throws Exception {
      try (HttpClient client = HttpClient.newBuilder().version(version).build()) {
        // HTTP/2 begins with a request without a body.
        HttpRequest first = HttpRequest.newBuilder(at).build();
        client.send(first, HttpResponse.BodyHandlers.discarding());
        List<byte[]> bodies = new ArrayList<>();
        List<CompletableFuture<HttpResponse<byte[]>>> answers = new ArrayList<>();
        Random random = new Random(1);
        for (int i = 0; i < REQUESTS; i++) {
          byte[] body = new byte[1 + random.nextInt(50_000)];
          random.nextBytes(body);
          bodies.add(body);
          HttpRequest request =
              HttpRequest.newBuilder(at).POST(HttpRequest.BodyPublishers.ofByteArray(body)).build();
          answers.add(client.sendAsync(request, HttpResponse.BodyHandlers.ofByteArray()));
        }
        int same = 0;
        for (int i = 0; i < REQUESTS; i++) {
          HttpResponse<byte[]> answer = answers.get(i).get();
          same +=
              answer.version() == version && Arrays.equals(bodies.get(i), answer.body()) ? 1 : 0;
        }
        return same;
      }
    }
  }

  @Test
  void shouldServeAsOverTheKernel() throws Exception {
    try (TestDaemon daemon = new TestDaemon()) {
      Process process =
          PropertyTest.start(daemon, Program.class.getName(), "127.0.0.1", TestDaemon.ADDRESS_TWO);
      List<String> lines = new ArrayList<>();
      try (BufferedReader out = process.inputReader()) {
        out.lines().filter(line -> line.startsWith("HTTP_")).forEach(lines::add);
      }
      assertThat(lines).containsExactly("HTTP_1_1 100", "HTTP_2 100", "HTTP_1_1 100", "HTTP_2 100");
      assertThat(process.waitFor()).isZero();
    }
  }
}
