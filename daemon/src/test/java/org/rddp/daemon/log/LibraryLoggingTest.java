package org.rddp.daemon.log;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

class LibraryLoggingTest {
  @Test
  void shouldLogOnlyWarningsOfLibraries() {
    Logger library = LoggerFactory.getLogger("io.netty.util.NetUtil");
    assertThat(library.isInfoEnabled()).isFalse();
    assertThat(library.isWarnEnabled()).isTrue();
  }
}
