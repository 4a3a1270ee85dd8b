package org.rddp.dpdk;

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
 * Tests that need the shim. On a machine without DPDK, where it cannot be built, they are reported
 * as not run; where DPDK is installed, and in CI, a missing shim makes them fail.
 */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@ExtendWith(RequiresDpdk.Condition.class)
@interface RequiresDpdk {

  /** Decides whether the tests run. */
  final class Condition implements ExecutionCondition {
    @Override
    public ConditionEvaluationResult evaluateExecutionCondition(ExtensionContext context) {
      Path shim = Path.of(System.getProperty(NativeLibrary.PROPERTY));
      if (Files.exists(shim)) {
        return ConditionEvaluationResult.enabled("The shim is there");
      }
      if (System.getenv("CI") != null || dpdkIsInstalled()) {
        return ConditionEvaluationResult.enabled("The shim ought to be there");
      }
      return ConditionEvaluationResult.disabled(
          "DPDK is not installed, so there is no " + shim.normalize());
    }

    /** Whether native/build would find DPDK, too. */
    private static boolean dpdkIsInstalled() {
      try {
        return new ProcessBuilder("pkg-config", "--exists", "libdpdk").start().waitFor() == 0;
      } catch (IOException e) {
        return false; // no pkg-config: then nothing can be built against DPDK
      } catch (InterruptedException e) {
        throw new AssertionError(e);
      }
    }
  }
}
