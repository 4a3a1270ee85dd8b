package org.rddp.bench.layers;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import javax.xml.stream.XMLInputFactory;
import javax.xml.stream.XMLStreamConstants;
import javax.xml.stream.XMLStreamException;
import javax.xml.stream.XMLStreamReader;

/**
 * Reads from the log of {@code -XX:+LogCompilation} what HotSpot's last compiler did. Methods are
 * named {@code package.Class.method}.
 */
final class CompilationLog {
  private static final String LAST_COMPILER = "4";

  /** One compilation that ended well. */
  static final class Compilation {
    private final String method;
    private final Set<String> inlined = new HashSet<>();
    private final Map<String, Set<String>> called = new HashMap<>();
    private final Set<String> intrinsics = new HashSet<>();

    private final Map<String, String> classes = new HashMap<>();
    private final Map<String, String> methods = new HashMap<>();
    private String callee = "";
    private boolean failed;

    Compilation(String method) {
      this.method = method;
    }

    /** The method. */
    String method() {
      return method;
    }

    /** The methods that were inlined into it. */
    Set<String> inlined() {
      return inlined;
    }

    /** The methods that were not, with HotSpot's reasons. */
    Map<String, Set<String>> called() {
      return called;
    }

    /** HotSpot's names of the intrinsics in it. */
    Set<String> intrinsics() {
      return intrinsics;
    }

    private void take(XMLStreamReader log) {
      switch (log.getLocalName()) {
        case "klass", "type" -> classes.put(log.getAttributeValue(null, "id"), name(log));
        case "method" ->
            methods.put(
                log.getAttributeValue(null, "id"),
                classes.get(log.getAttributeValue(null, "holder")) + "." + name(log));
        case "call" -> callee = methods.getOrDefault(log.getAttributeValue(null, "method"), "");
        case "inline_success" -> inlined.add(callee);
        case "inline_fail" ->
            called
                .computeIfAbsent(callee, key -> new HashSet<>())
                .add(log.getAttributeValue(null, "reason"));
        case "intrinsic" -> intrinsics.add(log.getAttributeValue(null, "id"));
        // HotSpot retries from the start, without something.
        case "failure" -> forget();
        case "task_done" -> failed = "0".equals(log.getAttributeValue(null, "success"));
        default -> {
          // Ignored.
        }
      }
    }

    private void forget() {
      inlined.clear();
      called.clear();
      intrinsics.clear();
    }

    private static String name(XMLStreamReader log) {
      return log.getAttributeValue(null, "name");
    }
  }

  private CompilationLog() {}

  /** The compilations in a log. */
  static List<Compilation> read(Path file) throws IOException, XMLStreamException {
    List<Compilation> all = new ArrayList<>();
    try (InputStream in = Files.newInputStream(file)) {
      XMLInputFactory factory = XMLInputFactory.newDefaultFactory();
      factory.setProperty(XMLInputFactory.SUPPORT_DTD, false);
      XMLStreamReader log = factory.createXMLStreamReader(in);
      Compilation current = null;
      while (log.hasNext()) {
        int event = log.next();
        if (event == XMLStreamConstants.START_ELEMENT) {
          if (log.getLocalName().equals("task")) {
            current = begun(log);
          } else if (current != null) {
            current.take(log);
          }
        } else if (event == XMLStreamConstants.END_ELEMENT
            && log.getLocalName().equals("task")
            && current != null) {
          if (!current.failed) {
            all.add(current);
          }
          current = null;
        }
      }
    }
    return all;
  }

  /** Null for the first compiler's. The last one's level need not be said. */
  private static Compilation begun(XMLStreamReader log) {
    String level = log.getAttributeValue(null, "level");
    String[] words = log.getAttributeValue(null, "method").split(" ", -1);
    return level == null || level.equals(LAST_COMPILER)
        ? new Compilation(words[0] + "." + words[1])
        : null;
  }
}
