package org.rddp.daemon.metrics;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpHandler;
import com.sun.net.httpserver.HttpServer;
import io.prometheus.metrics.expositionformats.ExpositionFormatWriter;
import io.prometheus.metrics.expositionformats.ExpositionFormats;
import io.prometheus.metrics.instrumentation.jvm.JvmMetrics;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.BindException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Supplier;
import org.rddp.daemon.configuration.MetricsConfiguration;

/**
 * Serves {@code /metrics} for Prometheus, {@code /healthz} (200 while every engine makes turns) and
 * {@code /readyz} (200 while programs can use the daemon, too) over HTTP, on its own threads.
 */
public final class MetricsServer implements AutoCloseable {
  /** Several, so that slow clients do not delay others. */
  private static final int THREADS = 4;

  private static final int BACKLOG = 16;
  private static final int OK = 200;
  private static final int NOT_FOUND = 404;
  private static final int METHOD_NOT_ALLOWED = 405;
  private static final int UNAVAILABLE = 503;

  static {
    // A client must not use up the daemon's descriptors, or its threads for long; times in s.
    setIfAbsent("jdk.httpserver.maxConnections", "32");
    setIfAbsent("sun.net.httpserver.maxReqTime", "10");
    setIfAbsent("sun.net.httpserver.maxRspTime", "10");
  }

  private final HttpServer server;
  private final ExecutorService threads;

  private MetricsServer(HttpServer server) {
    this.server = server;
    threads =
        Executors.newFixedThreadPool(
            THREADS, task -> Thread.ofPlatform().daemon().name("rddp-metrics").unstarted(task));
    server.setExecutor(threads);
  }

  private static void setIfAbsent(String property, String value) {
    if (System.getProperty(property) == null) {
      System.setProperty(property, value);
    }
  }

  /**
   * Reserves the port. Nothing is answered before {@link #start}.
   *
   * @throws IOException if that is not possible; the message says what to do
   */
  public static MetricsServer bind(MetricsConfiguration configuration) throws IOException {
    String address = configuration.address().toString();
    InetSocketAddress place =
        new InetSocketAddress(InetAddress.getByName(address), configuration.port());
    try {
      return new MetricsServer(HttpServer.create(place, BACKLOG));
    } catch (BindException e) {
      throw new IOException(
          "cannot serve metrics at %s:%d: %s. Another daemon or program may use the port: set another"
                  .formatted(address, configuration.port(), e.getMessage())
              + " one for 'listen' under [metrics], or \"off\"",
          e);
    }
  }

  /**
   * Begins to answer.
   *
   * @throws IOException if the metrics cannot be written
   */
  public void start(DaemonMetrics metrics, Health health) throws IOException {
    PrometheusRegistry registry = new PrometheusRegistry();
    registry.register(metrics);
    JvmMetrics.builder().register(registry);
    ExpositionFormats formats = ExpositionFormats.init();
    // Load all classes now: later there may be no descriptor left to open a jar.
    formats.findWriter("").write(OutputStream.nullOutputStream(), registry.scrape());
    serve(
        "/metrics",
        exchange -> {
          ExpositionFormatWriter writer =
              formats.findWriter(exchange.getRequestHeaders().getFirst("Accept"));
          ByteArrayOutputStream body = new ByteArrayOutputStream();
          writer.write(body, registry.scrape());
          answer(exchange, OK, writer.getContentType(), body.toByteArray());
        });
    serve("/healthz", exchange -> answer(exchange, health::problems));
    serve("/readyz", exchange -> answer(exchange, health::obstacles));
    serve("/", exchange -> answer(exchange, NOT_FOUND, "there are /metrics, /healthz and /readyz"));
    server.start();
  }

  /** Serves one path, and none below it. */
  private void serve(String path, HttpHandler handler) {
    server.createContext(
        path,
        exchange -> {
          try (exchange) {
            String method = exchange.getRequestMethod();
            if (!method.equals("GET") && !method.equals("HEAD")) {
              exchange.getResponseHeaders().set("Allow", "GET, HEAD");
              answer(exchange, METHOD_NOT_ALLOWED, "only GET and HEAD are answered");
            } else if (!path.equals("/") && !exchange.getRequestURI().getPath().equals(path)) {
              answer(exchange, NOT_FOUND, "there are /metrics, /healthz and /readyz");
            } else {
              handler.handle(exchange);
            }
          }
        });
  }

  private static void answer(HttpExchange exchange, Supplier<List<String>> problems)
      throws IOException {
    List<String> found = problems.get();
    answer(exchange, found.isEmpty() ? OK : UNAVAILABLE, found.isEmpty() ? "ok" : lines(found));
  }

  private static String lines(List<String> lines) {
    return String.join("\n", lines);
  }

  private static void answer(HttpExchange exchange, int status, String text) throws IOException {
    byte[] body = (text + "\n").getBytes(StandardCharsets.UTF_8);
    answer(exchange, status, "text/plain; charset=utf-8", body);
  }

  private static void answer(HttpExchange exchange, int status, String type, byte[] body)
      throws IOException {
    exchange.getResponseHeaders().set("Content-Type", type);
    if (exchange.getRequestMethod().equals("HEAD")) {
      exchange.sendResponseHeaders(status, -1);
    } else {
      exchange.sendResponseHeaders(status, body.length);
      exchange.getResponseBody().write(body);
    }
  }

  /** The address and the port that it listens at. */
  public InetSocketAddress address() {
    return server.getAddress();
  }

  /** Stops at once; answers that are being written may be cut off. */
  @Override
  public void close() {
    server.stop(0);
    threads.close();
  }
}
