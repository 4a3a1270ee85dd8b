package org.rddp.clientc;

import static java.util.stream.Collectors.toMap;
import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.rddp.client.types.Opcode;
import org.rddp.client.types.RequestForm;
import org.rddp.client.types.SendFlags;

/** The rules of requests in rings.c are those of {@link RequestForm}. */
class RequestRulesTest {
  private static final Pattern RULE =
      Pattern.compile("\\[RDDP_(\\w+)] = \\{([^,]+), (\\w+),\\s+(\\w+)}");

  private static final Pattern FLAG = Pattern.compile("RDDP_(\\w+)");

  private static final int MOST_PIECES = 6;

  /** What a request may have: flags that programs give, pieces, and bits of immediate data. */
  private record Rule(int flags, int pieces, long immediate) {
    static Rule of(RequestForm form) {
      boolean several = (form.flags() & RequestForm.LIST) != 0;
      int one = form.most() == 0 ? 0 : 1;
      return new Rule(
          form.flags() & ~RequestForm.LIST, several ? MOST_PIECES : one, form.immediateBits());
    }

    static Rule inC(MatchResult rule) {
      int flags = FLAG.matcher(rule.group(2)).results().mapToInt(Rule::flag).sum();
      int pieces =
          rule.group(3).equals("RDDP_MAX_PIECES") ? MOST_PIECES : Integer.parseInt(rule.group(3));
      long immediate =
          switch (rule.group(4)) {
            case "UINT32_MAX" -> 0xffff_ffffL;
            case "UINT64_MAX" -> -1;
            default -> Long.decode(rule.group(4));
          };
      return new Rule(flags, pieces, immediate);
    }

    private static int flag(MatchResult flag) {
      String name = flag.group(1);
      return name.equals("INLINE") ? RequestForm.INLINE : constant(SendFlags.class, name);
    }
  }

  private static int constant(Class<?> type, String name) {
    try {
      return type.getField(name).getInt(null);
    } catch (ReflectiveOperationException e) {
      throw new LinkageError(name, e);
    }
  }

  @Test
  void shouldBeTheSameInC() throws Exception {
    String rings = Files.readString(Path.of("src/rings.c"));
    Map<Integer, Rule> inC =
        RULE.matcher(rings)
            .results()
            .collect(toMap(rule -> constant(Opcode.class, rule.group(1)), Rule::inC));

    assertThat(inC)
        .containsExactlyInAnyOrderEntriesOf(
            RequestForm.all().stream().collect(toMap(RequestForm::opcode, Rule::of)));
  }
}
