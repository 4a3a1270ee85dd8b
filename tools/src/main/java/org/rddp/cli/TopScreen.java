package org.rddp.cli;

import java.io.IOException;
import java.util.List;
import java.util.function.Supplier;
import org.jline.terminal.Attributes;
import org.jline.terminal.Size;
import org.jline.terminal.Terminal;
import org.jline.utils.InfoCmp.Capability;
import org.jline.utils.NonBlockingReader;

/** Shows {@code rddp top} on a terminal until q is pressed. */
final class TopScreen {
  private static final int DEFAULT_WIDTH = 160;
  private static final int DEFAULT_HEIGHT = 50;
  private static final int CONTROL_C = 3;

  private final Terminal terminal;
  private final long intervalMillis;
  private TopOrder order;

  TopScreen(Terminal terminal, long intervalMillis, TopOrder order) {
    this.terminal = terminal;
    this.intervalMillis = intervalMillis;
    this.order = order;
  }

  /**
   * Shows frames until q is pressed or the input ends.
   *
   * @param samples takes a sample
   * @param title shown above
   */
  void run(Supplier<TopSample> samples, String title) throws IOException {
    TopFrame frame = new TopFrame();
    Attributes before = terminal.enterRawMode();
    // Ctrl-C comes as a key, so that the terminal is restored.
    Attributes raw = terminal.getAttributes();
    raw.setLocalFlag(Attributes.LocalFlag.ISIG, false);
    terminal.setAttributes(raw);
    terminal.puts(Capability.enter_ca_mode);
    terminal.puts(Capability.cursor_invisible);
    try {
      boolean on = true;
      while (on) {
        frame.sample(System.nanoTime(), samples.get());
        on = showUntilNextSample(frame, title);
      }
    } finally {
      terminal.puts(Capability.cursor_normal);
      terminal.puts(Capability.exit_ca_mode);
      terminal.setAttributes(before);
      terminal.flush();
    }
  }

  /** Shows the last sample, again when a key changes the order; false if the user ends it. */
  private boolean showUntilNextSample(TopFrame frame, String title) throws IOException {
    long end = System.nanoTime() + intervalMillis * 1_000_000;
    long left = intervalMillis;
    while (left > 0) {
      show(frame, title);
      int key = terminal.reader().read(left);
      if (key == 'q' || key == 'Q' || key == CONTROL_C || key == NonBlockingReader.EOF) {
        return false;
      }
      if (key == 's' || key == 'S') {
        order = order.next();
      }
      left = (end - System.nanoTime()) / 1_000_000;
    }
    return true;
  }

  private void show(TopFrame frame, String title) {
    Size size = terminal.getSize();
    int width = size.getColumns() > 0 ? size.getColumns() : DEFAULT_WIDTH;
    int height = size.getRows() > 0 ? size.getRows() : DEFAULT_HEIGHT;
    List<String> lines = frame.lines(order);
    terminal.puts(Capability.cursor_home);
    line("rddp top, " + title + "   q: end   s: sort by " + order.next(), width);
    int room = height - 2;
    for (int i = 0; i < Math.min(lines.size(), room); i++) {
      terminal.writer().print("\r\n");
      line(lines.get(i), width);
    }
    if (lines.size() > room) {
      terminal.writer().print("\r\n");
      line("and " + (lines.size() - room) + " more", width);
    }
    terminal.puts(Capability.clr_eos);
    terminal.flush();
  }

  /** Prints a line, and clears the rest of the terminal's line. */
  private void line(String text, int width) {
    terminal.writer().print(text.length() > width ? text.substring(0, width) : text);
    terminal.puts(Capability.clr_eol);
  }
}
