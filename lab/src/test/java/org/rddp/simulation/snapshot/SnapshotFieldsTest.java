package org.rddp.simulation.snapshot;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Type;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.rddp.daemon.engine.Engine;
import org.rddp.daemon.engine.IncomingStream;
import org.rddp.daemon.engine.Session;
import org.rddp.ddp.DdpEngine;
import org.rddp.mpa.MpaStartup;
import org.rddp.rdmap.RdmapStream;
import org.rddp.tcp.TcpStack;
import org.rddp.tcp.congestion.CongestionControl;
import org.rddp.tcp.congestion.Cubic;
import org.rddp.tcp.congestion.Dctcp;

/**
 * Every field of the objects that make up an engine's protocols is in its snapshot, under its own
 * name, or {@code fields.txt} says why it need not be: a field that somebody adds cannot be
 * forgotten.
 */
class SnapshotFieldsTest {
  private static final List<String> MODULES =
      List.of("ip", "tcp-lite", "mpa-engine", "ddp-engine", "ipc", "daemon");

  private static final List<Class<?>> ROOTS =
      List.of(
          TcpStack.class,
          MpaStartup.class,
          DdpEngine.class,
          RdmapStream.class,
          Engine.class,
          Session.class,
          IncomingStream.class,
          internal("org.rddp.daemon.control.ProgramSession"));

  /** Classes whose constructors get values that are not of the configuration. */
  private static final Set<String> MADE_AT_RUN_TIME =
      Set.of(
          "ActiveOpen",
          "Association",
          "AssociationKeys",
          "AssociationSettings",
          "BlackHole",
          "Claim",
          "CompletionReports",
          "ConnectionEnds",
          "ConnectionEntry",
          "ConnectionHeap",
          "Deadline",
          "FirstMessageWatch",
          "InboundAssociation",
          "IncomingIntroduction",
          "IncomingStream",
          "Ipv6Path",
          "KeyedMemoryWindow",
          "Meeting",
          "Neighbour",
          "OctetStream",
          "OutboundAssociation",
          "OutgoingIntroduction",
          "Path",
          "PathMtuClaim",
          "PeerAccount",
          "PeerRequest",
          "PlainDdpStream",
          "PrefixAccount",
          "ProgramSession",
          "RdmapSessionStream",
          "Receiver",
          "Router",
          "SendWithImmediateOffer",
          "Sender",
          "SentNumbers",
          "SessionConnection",
          "SessionListener",
          "SessionReceiveQueue",
          "SessionRegion",
          "SessionWindow",
          "StreamListener",
          "StreamOpening",
          "StreamParts",
          "StreamSection",
          "StreamSlot",
          "TaggedBuffer",
          "TcpConnection",
          "TcpListener",
          "Use",
          "Waiter");

  /** Reasons by class, or by class and field. */
  private static final Map<String, String> REASONS = reasons();

  private final Set<String> usedReasons = new HashSet<>();

  private static Map<String, String> reasons() {
    Map<String, String> reasons = new HashMap<>();
    try (InputStream list = SnapshotFieldsTest.class.getResourceAsStream("fields.txt")) {
      new String(list.readAllBytes(), StandardCharsets.UTF_8)
          .lines()
          .filter(line -> !line.isBlank() && !line.startsWith("#"))
          .forEach(line -> {
            int colon = line.indexOf(':');
            for (String name : line.substring(0, colon).split(" ", -1)) {
              assertThat(reasons.put(name, line.substring(colon + 1).strip())).as(name).isNull();
            }
          });
    } catch (IOException unreadable) {
      throw new UncheckedIOException(unreadable);
    }
    return reasons;
  }

  private static Class<?> internal(String name) {
    try {
      return Class.forName(name);
    } catch (ClassNotFoundException e) {
      throw new IllegalArgumentException(e);
    }
  }

  /** The classes whose objects can be reached from a stack, but for those with a reason. */
  private Set<Class<?>> reachable() {
    Set<Class<?>> found = new HashSet<>();
    Deque<Class<?>> left = new ArrayDeque<>(ROOTS);
    while (!left.isEmpty()) {
      Class<?> next = left.pop();
      if (next == null || !next.getName().startsWith("org.rddp.") || next.isEnum()) {
        continue;
      }
      if (has(next.getSimpleName()) || !found.add(next)) {
        continue;
      }
      left.push(next.getSuperclass() == null ? Object.class : next.getSuperclass());
      left.addAll(subclasses(next));
      for (Field field : next.getDeclaredFields()) {
        if (!Modifier.isStatic(field.getModifiers())) {
          left.addAll(types(field.getGenericType()));
        }
      }
    }
    found.removeIf(Class::isInterface);
    return found;
  }

  /** The classes that a field of a class may hold instead. */
  private static List<Class<?>> subclasses(Class<?> of) {
    if (of == CongestionControl.class) {
      return List.of(Cubic.class, Dctcp.class);
    }
    return of.isSealed() ? List.of(of.getPermittedSubclasses()) : List.of();
  }

  private static List<Class<?>> types(Type type) {
    List<Class<?>> types = new ArrayList<>();
    switch (type) {
      case Class<?> plain -> types.add(element(plain));
      case ParameterizedType generic -> {
        types.addAll(types(generic.getRawType()));
        for (Type argument : generic.getActualTypeArguments()) {
          types.addAll(types(argument));
        }
      }
      default -> {}
    }
    return types;
  }

  private static Class<?> element(Class<?> type) {
    return type.isArray() ? element(type.getComponentType()) : type;
  }

  private boolean has(String name) {
    boolean listed = REASONS.containsKey(name);
    if (listed) {
      usedReasons.add(name);
    }
    return listed;
  }

  /** The sources of the modules, by file. */
  private static Map<String, String> sources() {
    Map<String, String> sources = new HashMap<>();
    for (String module : MODULES) {
      try (Stream<Path> files = Files.walk(Path.of("..", module, "src", "main", "java"))) {
        for (Path file : files.filter(each -> each.toString().endsWith(".java")).toList()) {
          sources.put(file.getFileName().toString(), Files.readString(file));
        }
      } catch (IOException unreadable) {
        throw new UncheckedIOException(unreadable);
      }
    }
    return sources;
  }

  /** The sources that may transfer fields of a class: its own, and those that begin its state. */
  private static String source(Map<String, String> sources, Class<?> type) {
    String own = type.getName().replaceAll("^.*\\.|\\$.*$", "") + ".java";
    String begins = "begin(" + type.getSimpleName() + ".class)";
    return sources.entrySet().stream()
        .filter(each -> each.getKey().equals(own) || each.getValue().contains(begins))
        .map(Map.Entry::getValue)
        .collect(Collectors.joining());
  }

  /** Whether the object is the field's for good, and is itself looked at. */
  private static boolean isPart(Field field, Set<Class<?>> reachable) {
    return Modifier.isFinal(field.getModifiers()) && reachable.contains(field.getType());
  }

  /** Whether the constructor of the new engine's object gets the field's value. */
  private static boolean isGiven(Field field, Class<?> type) {
    return Modifier.isFinal(field.getModifiers())
        && !field.getType().isArray()
        && !Collection.class.isAssignableFrom(field.getType())
        && !Map.class.isAssignableFrom(field.getType())
        && !MADE_AT_RUN_TIME.contains(type.getSimpleName());
  }

  @Test
  void shouldTransferEveryField() {
    Set<Class<?>> reachable = reachable();
    Map<String, String> sources = sources();
    Set<String> forgotten = new TreeSet<>();
    for (Class<?> type : reachable) {
      String source = source(sources, type);
      for (Field field : type.getDeclaredFields()) {
        String name = type.getSimpleName() + "." + field.getName();
        boolean named =
            Pattern.compile("[(,]\\s*\"" + field.getName() + "\"").matcher(source).find();
        if (!Modifier.isStatic(field.getModifiers())
            && !field.isSynthetic()
            && !named
            && !isPart(field, reachable)
            && !isGiven(field, type)
            && !has(name)) {
          forgotten.add(name);
        }
      }
    }
    assertThat(forgotten)
        .as("transfer the field, or say in fields.txt why it is not state")
        .isEmpty();
    Set<String> unused = new TreeSet<>(REASONS.keySet());
    unused.removeAll(usedReasons);
    assertThat(unused).as("reasons in fields.txt without use").isEmpty();
  }
}
