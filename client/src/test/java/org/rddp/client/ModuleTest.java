package org.rddp.client;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.io.StringWriter;
import java.lang.module.ModuleDescriptor;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Function;
import java.util.stream.Stream;
import javax.tools.JavaCompiler;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The library as a module: what it exports, and that its API names nothing else. */
class ModuleTest {
  @TempDir private Path classes;

  @Test
  void shouldExportOnlyWhatProgramsUse() throws IOException {
    JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
    StringWriter output = new StringWriter();
    try (StandardJavaFileManager files = compiler.getStandardFileManager(null, null, null);
        Stream<Path> main = Files.walk(Path.of("src/main/java"));
        Stream<Path> shared = Files.walk(Path.of("../ipc/src/main/java"));
        Stream<Path> module = Files.walk(Path.of("src/module/java"))) {
      List<Path> sources =
          Stream.of(main, shared, module)
              .flatMap(Function.identity())
              .filter(file -> file.toString().endsWith(".java"))
              .toList();
      List<String> options =
          List.of("-d", classes.toString(), "-Xlint:exports,module,requires-automatic", "-Werror");
      boolean compiled =
          compiler
              .getTask(
                  output, files, null, options, null, files.getJavaFileObjectsFromPaths(sources))
              .call();
      assertThat(compiled).as(output.toString()).isTrue();
    }

    ModuleDescriptor module;
    try (InputStream in = Files.newInputStream(classes.resolve("module-info.class"))) {
      module = ModuleDescriptor.read(in);
    }
    assertThat(module.name()).isEqualTo("org.rddp.client");
    assertThat(module.exports())
        .extracting(ModuleDescriptor.Exports::toString)
        .containsExactlyInAnyOrder("org.rddp.client", "org.rddp.client.types");
    assertThat(module.requires())
        .extracting(ModuleDescriptor.Requires::name)
        .containsExactly("java.base");
  }
}
