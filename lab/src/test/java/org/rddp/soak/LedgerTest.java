package org.rddp.soak;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class LedgerTest {
  private final Ledger ledger = new Ledger();

  @Test
  void shouldAccountForTransfersThatAreVerifiedAndForThoseThatAreGivenUp() {
    ledger.enter(Ledger.began(1, 100));
    ledger.enter(Ledger.verified(1, 100));
    ledger.enter(Ledger.confirmed(1, 100));
    ledger.enter(Ledger.began(2, 7));
    ledger.enter(Ledger.misbehaved("abort in the middle"));
    ledger.enter(Ledger.note("source", new IllegalStateException("reset")));

    assertThat(ledger.problems()).isEmpty();
    assertThat(ledger.begunTransfers()).isEqualTo(2);
    assertThat(ledger.verifiedOctets()).isEqualTo(100);
    assertThat(ledger.abandonedOctets()).isEqualTo(7);
    assertThat(ledger.misbehaviour()).containsEntry("abort in the middle", 1);
    assertThat(ledger.failures()).containsEntry("source, reset", 1);
  }

  @Test
  void shouldReportWrongOctets() {
    ledger.enter(Ledger.wrong(3, "octet 5 of 9 is wrong"));

    assertThat(ledger.problems()).containsExactly("wrong 3 octet 5 of 9 is wrong");
  }

  @Test
  void shouldReportATransferThatWasConfirmedAndThatNoSinkHasVerified() {
    ledger.enter(Ledger.began(4, 10));
    ledger.enter(Ledger.confirmed(4, 10));

    assertThat(ledger.problems())
        .containsExactly("transfer 4 was confirmed, and no sink has verified it");
  }

  @Test
  void shouldReportATransferOfWhichOtherOctetsWereVerified() {
    ledger.enter(Ledger.began(5, 10));
    ledger.enter(Ledger.verified(5, 9));

    assertThat(ledger.problems())
        .containsExactly("transfer 5 began with other octets than were verified");
  }

  @Test
  void shouldReportALineThatNoProgramPrints() {
    ledger.enter("Exception in thread");

    assertThat(ledger.problems()).containsExactly("Exception in thread");
  }
}
