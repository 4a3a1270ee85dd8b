package org.rddp.bench.sockets;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.rddp.bench.harness.Sample;

/**
 * nginx with one worker, and wrk, which asks for a short answer: {@code rate} in requests a second.
 */
final class WrkProgram implements MeasuredProgram {
  private static final Pattern RATE = Pattern.compile("(?m)^Requests/sec:\\s*([0-9.]+)");

  @Override
  public List<String> server(String address, Path folder) {
    Path file = folder.resolve("nginx.conf");
    try {
      Files.writeString(
          file,
          """
          daemon off;
          user root;
          worker_processes 1;
          pid %1$s/nginx.pid;
          error_log stderr notice;
          events { worker_connections 256; }
          http {
            access_log off;
            client_body_temp_path %1$s/body;
            proxy_temp_path %1$s/proxy;
            fastcgi_temp_path %1$s/fastcgi;
            uwsgi_temp_path %1$s/uwsgi;
            scgi_temp_path %1$s/scgi;
            keepalive_requests 100000000;
            server { listen %2$s:%3$d; location / { return 200 "rddp"; } }
          }
          """
              .formatted(folder, address, PORT));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return List.of("nginx", "-c", file.toString());
  }

  @Override
  public String ready() {
    return "start worker process ";
  }

  @Override
  public List<String> client(String address, SocketsTask task) {
    return List.of(
        "wrk",
        "-t1",
        "-c" + task.connections(),
        "-d" + task.count() + "s",
        "http://" + address + ":" + PORT + "/");
  }

  @Override
  public Sample sample(String printed) throws IOException {
    Matcher rate = RATE.matcher(printed);
    if (!rate.find() || printed.contains("Socket errors")) {
      throw new IOException("wrk has printed no figures, or errors: " + printed);
    }
    return Sample.of(Map.of("rate", Double.parseDouble(rate.group(1))));
  }
}
