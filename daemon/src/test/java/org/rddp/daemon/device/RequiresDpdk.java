package org.rddp.daemon.device;

import java.io.IOException;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.extension.ConditionEvaluationResult;
import org.junit.jupiter.api.extension.ExecutionCondition;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * Tests that need DPDK. On a machine without it they are reported as not run; where it is
 * installed, and in CI, a missing shim makes them fail.
 */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@ExtendWith(RequiresDpdk.Condition.class)
public @interface RequiresDpdk {
  /** Decides whether the tests run. */
  final class Condition implements ExecutionCondition {
    @Override
    public ConditionEvaluationResult evaluateExecutionCondition(ExtensionContext context) {
      boolean expected =
          Files.exists(Path.of(System.getProperty("rddp.native")))
              || System.getenv("CI") != null
              || isInstalled();
      return expected
          ? ConditionEvaluationResult.enabled("DPDK is there, or ought to be")
          : ConditionEvaluationResult.disabled("DPDK is not installed");
    }

    private static boolean isInstalled() {
      try {
        return new ProcessBuilder("pkg-config", "--exists", "libdpdk").start().waitFor() == 0;
      } catch (IOException e) {
        return false;
      } catch (InterruptedException e) {
        throw new AssertionError(e);
      }
    }
  }
}
