package org.rddp.cli;

import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.PrintWriter;
import picocli.CommandLine.Model.CommandSpec;

/** Prints lines and flushes them, also if standard output is a pipe. */
public final class Output {
  /** The exit code that a shell shows for a tool that SIGPIPE has ended. */
  static final int READER_ENDED = 128 + 13;

  private Output() {}

  /**
   * Standard output without System.out, which hides from {@link PrintWriter#checkError} that its
   * reader has ended.
   */
  static PrintWriter standard() {
    return new PrintWriter(new FileOutputStream(FileDescriptor.out), true, System.out.charset());
  }

  /** Prints a line to a command's output. */
  public static void println(CommandSpec spec, String line) {
    PrintWriter out = spec.commandLine().getOut();
    out.println(line);
    out.flush();
  }
}
