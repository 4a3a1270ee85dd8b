package org.rddp.packaging;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Date;
import java.util.HexFormat;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.cyclonedx.Version;
import org.cyclonedx.exception.GeneratorException;
import org.cyclonedx.generators.BomGeneratorFactory;
import org.cyclonedx.model.Bom;
import org.cyclonedx.model.Component;
import org.cyclonedx.model.Hash;
import org.cyclonedx.model.LicenseChoice;
import org.cyclonedx.model.Metadata;
import org.cyclonedx.util.LicenseResolver;

/**
 * Writes a software bill of materials in CycloneDX's JSON: each jar of an installed copy with its
 * SHA-256, and its license if it comes from others. Packages of the system are not in it: the
 * Debian package and the rpm name those that they depend on, and the image has dpkg's list.
 */
public final class Sbom {
  /** A line of license-maven-plugin: "(License) (License) Name (group:artifact:version - URL)". */
  private static final Pattern LIBRARY =
      Pattern.compile(
          " *((?:\\([^()]+\\) )+).* \\((?<group>[^:]+):(?<name>[^:]+):(?<version>[^ ]+) - .*");

  private static final Pattern LICENSE = Pattern.compile("\\(([^()]+)\\) ");

  private final Path jars;
  private final String version;

  private Sbom(Path jars, String version) {
    this.jars = jars;
    this.version = version;
  }

  /**
   * Writes it to the file of the fourth argument. The others are the folder of the jars, the list
   * that license-maven-plugin writes, and rddp's version. The environment's SOURCE_DATE_EPOCH is
   * its time, in seconds.
   *
   * @throws IOException if a jar of the list is missing, or one is in neither
   */
  public static void main(String[] arguments)
      throws IOException, GeneralSecurityException, GeneratorException {
    long time = Long.parseLong(System.getenv().getOrDefault("SOURCE_DATE_EPOCH", "0"));
    Sbom sbom = new Sbom(Path.of(arguments[0]), arguments[2]);
    Files.writeString(
        Path.of(arguments[3]),
        sbom.json(Files.readAllLines(Path.of(arguments[1])), Instant.ofEpochSecond(time)));
  }

  private String json(List<String> licenses, Instant time)
      throws IOException, GeneralSecurityException, GeneratorException {
    List<Component> components = new ArrayList<>();
    for (String line : licenses) {
      Matcher library = LIBRARY.matcher(line);
      if (library.matches()) {
        Component component =
            component(library.group("group"), library.group("name"), library.group("version"));
        component.setLicenses(licenses(library.group(1)));
        components.add(component);
      }
    }
    for (Path own : ownJars()) {
      String file = own.getFileName().toString();
      components.add(
          component("org.rddp", file.substring(0, file.length() - suffix().length()), version));
    }
    requireAll(components.size());
    Component rddp = new Component();
    rddp.setType(Component.Type.APPLICATION);
    rddp.setName("rddp");
    rddp.setVersion(version);
    Metadata metadata = new Metadata();
    metadata.setComponent(rddp);
    metadata.setTimestamp(Date.from(time));
    Bom bom = new Bom();
    bom.setMetadata(metadata);
    bom.setComponents(components);
    return BomGeneratorFactory.createJson(Version.VERSION_16, bom).toJsonString() + "\n";
  }

  private Component component(String group, String name, String version)
      throws IOException, GeneralSecurityException {
    Component component = new Component();
    component.setType(Component.Type.LIBRARY);
    component.setGroup(group);
    component.setName(name);
    component.setVersion(version);
    component.setPurl("pkg:maven/" + group + "/" + name + "@" + version + "?type=jar");
    component.setBomRef(component.getPurl());
    Path jar = jars.resolve(name + "-" + version + ".jar");
    byte[] hash = MessageDigest.getInstance("SHA-256").digest(Files.readAllBytes(jar));
    component.addHash(new Hash(Hash.Algorithm.SHA_256, HexFormat.of().formatHex(hash)));
    return component;
  }

  private static LicenseChoice licenses(String names) {
    LicenseChoice choice = new LicenseChoice();
    LICENSE
        .matcher(names)
        .results()
        .map(name -> LicenseResolver.resolve(name.group(1)))
        .filter(resolved -> resolved != null && resolved.getLicenses() != null)
        .forEach(resolved -> resolved.getLicenses().forEach(choice::addLicense));
    return choice;
  }

  private String suffix() {
    return "-" + version + ".jar";
  }

  private List<Path> ownJars() throws IOException {
    try (Stream<Path> all = Files.list(jars)) {
      return all.filter(jar -> jar.getFileName().toString().endsWith(suffix())).sorted().toList();
    }
  }

  private void requireAll(int components) throws IOException {
    try (Stream<Path> all = Files.list(jars)) {
      long found = all.count();
      if (found != components) {
        throw new IOException(jars + " has " + found + " jars, and " + components + " are known");
      }
    }
  }
}
