package org.rddp.bench.sockets;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.rddp.bench.harness.CannotRunException;
import org.rddp.bench.harness.Sample;

/**
 * PostgreSQL and pgbench, which only selects: {@code rate} in transactions a second, {@code mean}
 * in ns. PostgreSQL refuses to run as root, so it then runs as the user of Debian's package.
 */
final class PgbenchProgram implements MeasuredProgram {
  private static final Path RELEASES = Path.of("/usr/lib/postgresql");
  private static final String USER = "postgres";
  private static final boolean IS_ROOT = System.getProperty("user.name").equals("root");
  private static final long DEADLINE_SECONDS = 60;
  private static final Pattern RATE = Pattern.compile("(?m)^tps = ([0-9.]+)");
  private static final Pattern MEAN = Pattern.compile("(?m)^latency average = ([0-9.]+) ms");

  @Override
  public void prepare(Path folder) throws CannotRunException, IOException, InterruptedException {
    Path data = data(folder);
    if (Files.exists(data)) {
      return;
    }
    Files.createDirectory(data);
    if (IS_ROOT) {
      call(folder, List.of("chown", USER, "."));
    }
    call(folder, asUser(program("initdb"), "-D", data.toString(), "-U", USER, "-A", "trust", "-N"));
    Files.writeString(
        data.resolve("pg_hba.conf"), "host all all all trust\n", StandardOpenOption.APPEND);
    // Its tables are made over a Unix socket, by a server of this moment.
    String options = "-c listen_addresses= -c unix_socket_directories=" + data;
    String log = data.resolve("log").toString();
    call(
        folder,
        asUser(program("pg_ctl"), "-D", data.toString(), "-w", "-l", log, "-o", options, "start"));
    call(folder, asUser("pgbench", "-h", data.toString(), "-U", USER, "-i", "-q", USER));
    call(folder, asUser(program("pg_ctl"), "-D", data.toString(), "-w", "-m", "fast", "stop"));
  }

  private static Path data(Path folder) {
    return folder.resolve("postgresql");
  }

  /** A program of the newest release that is installed. */
  private static String program(String name) throws CannotRunException {
    try (Stream<Path> releases = Files.list(RELEASES)) {
      return releases
          .map(each -> each.resolve("bin").resolve(name))
          .filter(Files::isExecutable)
          .max(Comparator.naturalOrder())
          .map(Path::toString)
          .orElseThrow(() -> lacking(null));
    } catch (IOException e) {
      throw lacking(e);
    }
  }

  private static CannotRunException lacking(IOException cause) {
    return new CannotRunException(
        "needs PostgreSQL, which is not installed"
            + (cause == null ? "" : ": " + cause.getMessage()));
  }

  private static List<String> asUser(String... words) {
    List<String> command = new ArrayList<>();
    if (IS_ROOT) {
      command.addAll(List.of("setpriv", "--reuid", USER, "--regid", USER, "--clear-groups"));
    }
    command.addAll(List.of(words));
    return command;
  }

  private static void call(Path folder, List<String> words)
      throws CannotRunException, IOException, InterruptedException {
    Path output = folder.resolve("prepared");
    Process process =
        new ProcessBuilder(words)
            .directory(data(folder).toFile())
            .redirectErrorStream(true)
            .redirectOutput(output.toFile())
            .start();
    if (!process.waitFor(DEADLINE_SECONDS, TimeUnit.SECONDS) || process.exitValue() != 0) {
      process.destroyForcibly();
      throw new CannotRunException(String.join(" ", words) + ": " + Files.readString(output));
    }
  }

  @Override
  public List<String> server(String address, Path folder) throws CannotRunException {
    return asUser(
        program("postgres"),
        "-D",
        data(folder).toString(),
        "-h",
        address,
        "-p",
        "" + PORT,
        "-c",
        "unix_socket_directories=",
        "-c",
        "max_connections=32");
  }

  @Override
  public String ready() {
    return "ready to accept connections";
  }

  @Override
  public List<String> client(String address, SocketsTask task) {
    return List.of(
        "pgbench",
        "-h",
        address,
        "-p",
        "" + PORT,
        "-U",
        USER,
        "-n",
        "-S",
        "-c",
        "" + task.connections(),
        "-T",
        "" + task.count(),
        USER);
  }

  @Override
  public Sample sample(String printed) throws IOException {
    Matcher rate = RATE.matcher(printed);
    Matcher mean = MEAN.matcher(printed);
    if (!rate.find() || !mean.find()) {
      throw new IOException("pgbench has printed no figures: " + printed);
    }
    return Sample.of(
        Map.of(
            "rate",
            Double.parseDouble(rate.group(1)),
            "mean",
            Double.parseDouble(mean.group(1)) * 1e6));
  }
}
