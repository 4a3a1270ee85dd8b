package org.rddp.dpdk;

import java.lang.foreign.GroupLayout;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemoryLayout.PathElement;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.PaddingLayout;
import java.util.ArrayList;
import java.util.List;
import org.rddp.dpdk.generated.Dpdk;
import org.rddp.dpdk.generated.rddp_field;
import org.rddp.dpdk.generated.rddp_mbuf_layout;
import org.rddp.dpdk.generated.rddp_offload_flags;
import org.rddp.dpdk.generated.rddp_port_config;
import org.rddp.dpdk.generated.rddp_port_info;
import org.rddp.dpdk.generated.rddp_port_stats;

/**
 * Compares the types in the generated bindings with those that the C compiler saw when the shim was
 * built.
 *
 * <p>Bindings and shim are made from the same header, but at different times. With a shim built
 * from another version, Java would access wrong offsets.
 */
final class LayoutCheck {
  private static final List<GroupLayout> STRUCTS =
      List.of(
          rddp_field.layout(),
          rddp_mbuf_layout.layout(),
          rddp_offload_flags.layout(),
          rddp_port_info.layout(),
          rddp_port_config.layout(),
          rddp_port_stats.layout());

  /**
   * A struct, or a member of one.
   *
   * @param name "struct" or "struct.member"
   * @param offset octets from the beginning of the struct
   * @param size octets
   */
  record Field(String name, long offset, long size) {}

  private LayoutCheck() {}

  /**
   * Compares the bindings with the shim that is loaded.
   *
   * @throws DpdkException naming the first difference
   */
  static void check() {
    check(compiled());
  }

  /** Compares the bindings with {@code compiled}. */
  static void check(List<Field> compiled) {
    List<Field> bound = bound();
    for (int i = 0; i < Math.max(bound.size(), compiled.size()); i++) {
      Field inBindings = i < bound.size() ? bound.get(i) : null;
      Field inShim = i < compiled.size() ? compiled.get(i) : null;
      if (inBindings == null || !inBindings.equals(inShim)) {
        throw DpdkException.refused(
            "The bindings have "
                + describe(inBindings)
                + " where the shim has "
                + describe(inShim)
                + ". Build the module native again, or run ffm-bindings/regenerate after a change"
                + " of rddp_dpdk.h.");
      }
    }
  }

  /** The fields in the bindings, in the header's order. */
  static List<Field> bound() {
    List<Field> fields = new ArrayList<>();
    for (GroupLayout struct : STRUCTS) {
      String name = struct.name().orElseThrow();
      fields.add(new Field(name, 0, struct.byteSize()));
      for (MemoryLayout member : struct.memberLayouts()) {
        if (!(member instanceof PaddingLayout)) {
          String memberName = member.name().orElseThrow();
          long offset = struct.byteOffset(PathElement.groupElement(memberName));
          fields.add(new Field(name + "." + memberName, offset, member.byteSize()));
        }
      }
    }
    return fields;
  }

  private static List<Field> compiled() {
    List<Field> fields = new ArrayList<>();
    MemorySegment table = Dpdk.rddp_fields();
    for (long i = 0; ; i++) {
      MemorySegment entry = rddp_field.asSlice(table, i);
      MemorySegment name = rddp_field.name(entry);
      if (name.address() == 0) {
        return fields;
      }
      fields.add(new Field(name.getString(0), rddp_field.offset(entry), rddp_field.size(entry)));
    }
  }

  private static String describe(Field field) {
    return field == null
        ? "nothing"
        : field.name() + " at " + field.offset() + " with " + field.size() + " octets";
  }
}
