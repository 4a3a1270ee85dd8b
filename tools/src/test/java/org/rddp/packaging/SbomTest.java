package org.rddp.packaging;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import org.cyclonedx.Version;
import org.cyclonedx.model.Bom;
import org.cyclonedx.model.Component;
import org.cyclonedx.parsers.JsonParser;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SbomTest {
  private static final String LIBRARY =
      "     (EPL-2.0) (The Apache Software License, Version 2.0) Some (Name) (a.b:some-lib:1.5 - http://some)";

  // SHA-256 of no octets.
  private static final String EMPTY =
      "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";

  @TempDir private Path folder;
  private Path jars;

  @BeforeEach
  void makeJars() throws IOException {
    jars = Files.createDirectory(folder.resolve("lib"));
    Files.createFile(jars.resolve("some-lib-1.5.jar"));
    Files.createFile(jars.resolve("tcp-lite-0.1.0.jar"));
  }

  private Path write(String... licenses) throws Exception {
    Path list = Files.write(folder.resolve("licenses.txt"), List.of(licenses));
    Path file = folder.resolve("sbom.json");
    Sbom.main(new String[] {jars.toString(), list.toString(), "0.1.0", file.toString()});
    return file;
  }

  @Test
  void shouldNameEachJarWithItsHashAndLicenses() throws Exception {
    Path file = write("", "Lists of 1 third-party dependency.", LIBRARY);
    JsonParser parser = new JsonParser();
    assertThat(parser.validate(file.toFile(), Version.VERSION_16)).isEmpty();
    Bom bom = parser.parse(file.toFile());
    assertThat(bom.getComponents())
        .extracting(Component::getPurl)
        .containsExactly(
            "pkg:maven/a.b/some-lib@1.5?type=jar", "pkg:maven/org.rddp/tcp-lite@0.1.0?type=jar");
    Component library = bom.getComponents().getFirst();
    assertThat(library.getHashes()).singleElement().extracting("value").isEqualTo(EMPTY);
    assertThat(library.getLicenses().getLicenses())
        .extracting("id")
        .containsExactly("EPL-2.0", "Apache-2.0");
  }

  @Test
  void shouldRefuseAJarThatIsNotInTheList() {
    assertThatThrownBy(() -> write("Lists of 0 third-party dependencies."))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("has 2 jars, and 1 are known");
  }

  @Test
  void shouldRefuseALibraryWithoutItsJar() throws IOException {
    Files.delete(jars.resolve("some-lib-1.5.jar"));
    assertThatThrownBy(() -> write(LIBRARY)).isInstanceOf(NoSuchFileException.class);
  }
}
