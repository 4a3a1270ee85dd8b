package org.rddp.cli;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.Properties;
import picocli.CommandLine.IVersionProvider;

/** The version number that the build writes into version.properties. */
final class Version implements IVersionProvider {
  @Override
  public String[] getVersion() {
    return new String[] {"rddp " + number()};
  }

  static String number() {
    Properties properties = new Properties();
    try (InputStream resource = Version.class.getResourceAsStream("version.properties")) {
      properties.load(resource);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return properties.getProperty("version");
  }
}
