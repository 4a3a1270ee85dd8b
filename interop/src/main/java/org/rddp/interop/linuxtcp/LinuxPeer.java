package org.rddp.interop.linuxtcp;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/** The process on Linux's side: reads a command from each line, and answers in lines. */
final class LinuxPeer implements AutoCloseable {
  private final List<String> command;
  private Process process;
  private PrintStream commands;
  private BlockingQueue<String> answers;

  /**
   * Starts it.
   *
   * @param command what to run; it ends when its input does
   */
  LinuxPeer(List<String> command) {
    this.command = List.copyOf(command);
    start();
  }

  private void start() {
    try {
      process = new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
    } catch (IOException failure) {
      throw new UncheckedIOException(failure);
    }
    commands = new PrintStream(process.getOutputStream(), true, StandardCharsets.UTF_8);
    answers = new LinkedBlockingQueue<>();
    BufferedReader reader = process.inputReader();
    BlockingQueue<String> sink = answers;
    Thread.ofPlatform().daemon().start(() -> pass(reader, sink));
  }

  private static void pass(BufferedReader from, BlockingQueue<String> to) {
    try {
      for (String line = from.readLine(); line != null; line = from.readLine()) {
        to.add(line);
      }
    } catch (IOException ended) {
      to.add("failed: " + ended); // reported like an answer
    }
  }

  /** Sends it a command. */
  void send(String line) {
    commands.println(line);
  }

  /** Its next line, or null while there is none. */
  String poll() {
    return answers.poll();
  }

  /** Changes a sysctl of its kernel, and waits until that is done. */
  void set(String name, String value) throws IOException, InterruptedException {
    send("set " + name + " " + value);
    String answer = answers.poll(10, TimeUnit.SECONDS);
    if (!"done".equals(answer)) {
      throw new IOException("set " + name + " " + value + ": " + answer);
    }
  }

  /** Ends the process, and starts another. */
  void restart() {
    close();
    start();
  }

  @Override
  public void close() {
    commands.close();
    process.destroyForcibly();
  }
}
