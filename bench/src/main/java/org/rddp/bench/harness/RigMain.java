package org.rddp.bench.harness;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.io.BufferedReader;
import java.io.FileDescriptor;
import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import org.rddp.soak.ProcessSignals;

/**
 * The process of a rig: reads tasks from its standard input, a line of JSON each, and writes a line
 * to its standard output for each. It ends with its input, or with its parent.
 */
public final class RigMain {
  static final String READY = "ready";

  /** Key of an answer: why the task cannot be done. */
  static final String CANNOT = "cannot";

  /** Key of an answer: how the rig has failed. */
  static final String FAILED = "failed";

  /** Key beside a task: the rig is to warm up for it within this many ms. */
  static final String WARM_UP = "warm_up";

  private static final String TASK = "task";

  private RigMain() {}

  /**
   * Runs a rig.
   *
   * @param arguments the rig's class, and its arguments as JSON
   */
  public static void main(String[] arguments) throws Exception {
    ProcessSignals.dieWithParent();
    // Libraries may print; only answers go to the standard output.
    PrintStream answers =
        new PrintStream(new FileOutputStream(FileDescriptor.out), true, StandardCharsets.UTF_8);
    System.setOut(System.err);
    BufferedReader tasks =
        new BufferedReader(
            new InputStreamReader(new FileInputStream(FileDescriptor.in), StandardCharsets.UTF_8));
    JsonObject given = JsonParser.parseString(arguments[1]).getAsJsonObject();
    try (Rig rig =
        Class.forName(arguments[0]).asSubclass(Rig.class).getDeclaredConstructor().newInstance()) {
      if (open(rig, given, answers)) {
        work(rig, tasks, answers);
      }
    } finally {
      answers.flush();
    }
    // Threads of libraries would keep the process alive.
    System.exit(0);
  }

  private static boolean open(Rig rig, JsonObject arguments, PrintStream answers) {
    try {
      rig.open(arguments);
    } catch (CannotRunException e) {
      answers.println(Json.of(CANNOT, e.getMessage()));
      return false;
    } catch (Exception | LinkageError e) {
      e.printStackTrace();
      answers.println(Json.of(FAILED, words(e)));
      return false;
    }
    answers.println(Json.of(READY, rig.getClass().getSimpleName()));
    return true;
  }

  private static void work(Rig rig, BufferedReader tasks, PrintStream answers) throws IOException {
    for (String line = tasks.readLine(); line != null; line = tasks.readLine()) {
      try {
        answers.println(done(rig, JsonParser.parseString(line).getAsJsonObject()));
      } catch (CannotRunException e) {
        answers.println(Json.of(CANNOT, e.getMessage()));
      } catch (Exception | LinkageError e) {
        e.printStackTrace();
        answers.println(Json.of(FAILED, words(e)));
        return;
      }
    }
  }

  private static JsonObject done(Rig rig, JsonObject asked) throws Exception {
    JsonObject task = asked.has(WARM_UP) ? asked.getAsJsonObject(TASK) : asked;
    try (Neighbours neighbours = Neighbours.of(task)) {
      if (asked.has(WARM_UP)) {
        Duration most = Duration.ofMillis(asked.get(WARM_UP).getAsLong());
        return Json.from(new WarmUp().run(rig, task, most));
      }
      Sample sample = rig.round(task);
      return task.has(Neighbours.COUNT)
          ? sample.with("neighbours_cpus", neighbours.cpus()).toJson()
          : sample.toJson();
    }
  }

  /** A copy of a task, beside this many busy threads of other processes. */
  public static JsonObject beside(int neighbours, JsonObject task) {
    JsonObject json = task.deepCopy();
    json.addProperty(Neighbours.COUNT, neighbours);
    return json;
  }

  static JsonObject warmUp(JsonObject task, Duration most) {
    JsonObject json = Json.of(WARM_UP, most.toMillis());
    json.add(TASK, task);
    return json;
  }

  private static String words(Throwable failure) {
    return failure.getMessage() == null ? failure.toString() : failure.getMessage();
  }
}
