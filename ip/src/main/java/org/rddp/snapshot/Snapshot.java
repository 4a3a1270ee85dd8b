package org.rddp.snapshot;

import java.lang.reflect.Field;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Modifier;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.RecordComponent;
import java.lang.reflect.Type;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/**
 * The state of an engine, being written or being read.
 *
 * <p>An object transfers its state by one method for both, which names each field once:
 *
 * <pre>{@code
 * void transfer(Snapshot snapshot) {
 *   una = snapshot.number("una", una);
 *   ...
 * }
 * }</pre>
 *
 * <p>Each call writes the given value and returns it, or ignores it and returns the value read. So
 * writer and reader cannot differ in order or type. References to other objects are transferred as
 * numbers, times as they are, and octets by their addresses, which themselves are not written.
 *
 * <p>Not for the way of a packet: it allocates.
 */
public abstract sealed class Snapshot permits SnapshotWriter, SnapshotReader {
  /**
   * The format. It increases whenever a field is added, removed, renamed or gets another meaning.
   */
  public static final int FORMAT = 8;

  Snapshot() {}

  /** Whether values are read; otherwise they are written. */
  public abstract boolean reads();

  /** Begins the state of one object of a class; the following fields are its. */
  public abstract void begin(Class<?> of);

  /** Ends the state that was begun last. */
  public abstract void end();

  /** Transfers a number. */
  public abstract long number(String name, long value);

  /** Transfers a text; null is none. */
  public abstract String text(String name, String value);

  /**
   * Transfers octets at an address.
   *
   * @param length octets; when read, as many as were written
   */
  public abstract void octets(String name, long address, int length);

  /** An error about the value that was read last. */
  public abstract SnapshotException wrong(String what);

  /** Transfers a number from {@code least} to {@code most}. */
  public final long number(String name, long value, long least, long most) {
    long taken = number(name, value);
    if (reads() && (taken < least || taken > most)) {
      throw wrong(name + " " + taken + " is not " + least + " to " + most);
    }
    return taken;
  }

  /** Transfers a number. */
  public final int number(String name, int value) {
    return (int) number(name, (long) value, Integer.MIN_VALUE, Integer.MAX_VALUE);
  }

  /** Transfers a number from {@code least} to {@code most}. */
  public final int number(String name, int value, int least, int most) {
    return (int) number(name, (long) value, least, most);
  }

  /** Transfers a number. */
  public final short number(String name, short value) {
    return (short) number(name, value, Short.MIN_VALUE, Short.MAX_VALUE);
  }

  /** Transfers a number. */
  public final byte number(String name, byte value) {
    return (byte) number(name, value, Byte.MIN_VALUE, Byte.MAX_VALUE);
  }

  /** Transfers an unsigned number. */
  public final char number(String name, char value) {
    return (char) number(name, value, 0, Character.MAX_VALUE);
  }

  /** Transfers a finite number with a fraction. */
  public final double real(String name, double value) {
    double taken = Double.longBitsToDouble(number(name, Double.doubleToRawLongBits(value)));
    if (!Double.isFinite(taken)) {
      throw wrong(name + " is " + taken);
    }
    return taken;
  }

  /** Transfers a truth value. */
  public final boolean flag(String name, boolean value) {
    return number(name, value ? 1 : 0, 0, 1) == 1;
  }

  /** Transfers the first numbers of an array. */
  public final void numbers(String name, long[] values, int count) {
    for (int i = 0; i < count; i++) {
      values[i] = number(name, values[i]);
    }
  }

  /** Transfers the first numbers of an array. */
  public final void numbers(String name, int[] values, int count) {
    for (int i = 0; i < count; i++) {
      values[i] = number(name, values[i]);
    }
  }

  /** Transfers a constant of an enumeration by its name. */
  public final <E extends Enum<E>> E constant(String name, Class<E> type, E value) {
    E taken = constantOrNull(name, type, value);
    if (taken == null) {
      throw wrong(name + " is missing");
    }
    return taken;
  }

  /** Transfers a constant of an enumeration by its name; null is none. */
  public final <E extends Enum<E>> E constantOrNull(String name, Class<E> type, E value) {
    String taken = text(name, value == null ? null : value.name());
    if (!reads() || taken == null) {
      return reads() ? null : value;
    }
    for (E each : type.getEnumConstants()) {
      if (each.name().equals(taken)) {
        return each;
      }
    }
    throw wrong(name + " " + taken + " is not a " + type.getSimpleName());
  }

  /** Transfers the public counters of an object, which are fields of type long. */
  public final void counters(Object counters) {
    begin(counters.getClass());
    for (Field field : counters.getClass().getFields()) {
      if (field.getType() == long.class && !Modifier.isStatic(field.getModifiers())) {
        try {
          field.setLong(counters, number(field.getName(), field.getLong(counters)));
        } catch (IllegalAccessException impossible) {
          throw new AssertionError(impossible);
        }
      }
    }
    end();
  }

  /** Transfers octets; null is none. */
  public abstract byte[] octets(String name, byte[] value);

  /**
   * Transfers a record of numbers, truth values, texts, enumerations, sets of these, lists of
   * numbers, and such records; null is none.
   */
  public final <R extends Record> R record(String name, Class<R> type, R value) {
    if (!flag(name, value != null)) {
      return null;
    }
    begin(type);
    RecordComponent[] components = type.getRecordComponents();
    Object[] values = new Object[components.length];
    Class<?>[] types = new Class<?>[components.length];
    try {
      for (int i = 0; i < components.length; i++) {
        types[i] = components[i].getType();
        Object written = value == null ? null : components[i].getAccessor().invoke(value);
        values[i] = component(components[i], written);
      }
      end();
      return reads() ? type.getDeclaredConstructor(types).newInstance(values) : value;
    } catch (InvocationTargetException refused) {
      throw wrong(name + ": " + refused.getCause().getMessage());
    } catch (ReflectiveOperationException impossible) {
      throw new LinkageError(impossible.getMessage(), impossible);
    }
  }

  @SuppressWarnings({"unchecked", "rawtypes"})
  private Object component(RecordComponent component, Object value) {
    String name = component.getName();
    Class<?> type = component.getType();
    if (type == boolean.class) {
      return flag(name, value != null && (boolean) value);
    }
    if (type == int.class) {
      return number(name, value == null ? 0 : (int) value);
    }
    if (type == long.class) {
      return number(name, value == null ? 0L : (long) value);
    }
    if (type == String.class) {
      return text(name, (String) value);
    }
    if (type == List.class) {
      return numbers(name, (List<Integer>) value);
    }
    if (type == Set.class) {
      Type element = ((ParameterizedType) component.getGenericType()).getActualTypeArguments()[0];
      return constants((Class<Enum>) element, (Set<Enum>) value);
    }
    if (type.isRecord()) {
      return record(name, (Class<Record>) type, (Record) value);
    }
    return constantOrNull(name, (Class<Enum>) type, (Enum) value);
  }

  private List<Integer> numbers(String name, List<Integer> value) {
    List<Integer> taken = new ArrayList<>();
    for (int i = 0; flag("more", value != null && i < value.size()); i++) {
      taken.add(number(name, value == null ? 0 : (int) value.get(i)));
    }
    return taken;
  }

  private <E extends Enum<E>> Set<E> constants(Class<E> type, Set<E> value) {
    Set<E> taken = EnumSet.noneOf(type);
    for (E each : type.getEnumConstants()) {
      if (flag(each.name(), value != null && value.contains(each))) {
        taken.add(each);
      }
    }
    return taken;
  }
}
