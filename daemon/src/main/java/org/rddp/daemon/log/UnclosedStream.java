package org.rddp.daemon.log;

import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.OutputStream;

/** Keeps Logback, which closes its stream, from closing the standard error of the process. */
final class UnclosedStream extends FilterOutputStream {
  UnclosedStream(OutputStream out) {
    super(out);
  }

  @Override
  public void write(byte[] octets, int from, int length) throws IOException {
    out.write(octets, from, length);
  }

  @Override
  public void close() throws IOException {
    flush();
  }
}
