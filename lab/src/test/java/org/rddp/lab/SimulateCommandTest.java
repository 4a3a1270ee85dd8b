package org.rddp.lab;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.io.PrintWriter;
import java.io.StringWriter;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import picocli.CommandLine;

class SimulateCommandTest {
  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();
  private final CommandLine command =
      Lab.commandLine().setOut(new PrintWriter(out)).setErr(new PrintWriter(err));

  private int run(String arguments) {
    return command.execute(arguments.split(" "));
  }

  @Test
  void shouldRunTcpAndPrintCounts() {
    assertThat(run("simulate tcp --seeds 5 --threads 2")).isZero();
    assertThat(out.toString()).contains("segments sent", "5 runs, no violations");
  }

  @Test
  void shouldRunMpa() {
    assertThat(run("simulate mpa --seeds 5 --threads 2 --json")).isZero();
    JsonObject result = JsonParser.parseString(out.toString()).getAsJsonObject();
    assertThat(result.get("median_ulpdus").getAsLong()).isPositive();
    assertThat(result.getAsJsonObject("counts").get("ULPDUs passed").getAsLong()).isPositive();
  }

  @Test
  void shouldRunRdma() {
    assertThat(run("simulate rdma --seeds 5 --threads 2 --json")).isZero();
    JsonObject result = JsonParser.parseString(out.toString()).getAsJsonObject();
    assertThat(result.get("median_placed").getAsLong()).isPositive();
    assertThat(result.getAsJsonObject("counts").get("reads").getAsLong()).isPositive();
  }

  @Test
  void shouldRunPrograms() {
    assertThat(run("simulate programs --seeds 5 --threads 2 --json")).isZero();
    JsonObject result = JsonParser.parseString(out.toString()).getAsJsonObject();
    assertThat(result.get("median_placed").getAsLong()).isPositive();
    assertThat(result.getAsJsonObject("counts").get("messages received").getAsLong()).isPositive();
  }

  @Test
  void shouldRunSockets() {
    assertThat(run("simulate sockets --seeds 3 --threads 2 --json")).isZero();
    JsonObject result = JsonParser.parseString(out.toString()).getAsJsonObject();
    assertThat(result.get("median_read").getAsLong()).isPositive();
    assertThat(result.getAsJsonObject("counts").get("streams").getAsLong()).isPositive();
  }

  @Test
  void shouldGiveTheSameResultForAnyNumberOfThreads() {
    assertThat(run("simulate tcp --seed 10 --seeds 4 --threads 1 --json")).isZero();
    JsonObject alone = JsonParser.parseString(out.toString()).getAsJsonObject();
    out.getBuffer().setLength(0);
    assertThat(run("simulate tcp --seed 10 --seeds 4 --threads 3 --json")).isZero();
    assertThat(JsonParser.parseString(out.toString()).getAsJsonObject()).isEqualTo(alone);
    assertThat(alone.get("lives").getAsInt()).isEqualTo(4);
    assertThat(alone.getAsJsonObject("counts").get("segments sent").getAsLong()).isPositive();
  }

  @Test
  void shouldPrintEveryPacketOfOneRun() {
    assertThat(run("simulate tcp --seed 7 --trace")).isZero();
    assertThat(out.toString())
        .containsPattern(" +\\d+\\.\\d{9}  10\\.0\\.0\\.1:\\d+ +> 10\\.0\\.0\\.2:7 +sent +S")
        .endsWith("seed 7: no violation\n");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "simulate|KIND",
        "simulate quic|TCP",
        "simulate tcp --seeds 0|--seeds is 1 to 1000000000",
        "simulate tcp --seeds x|--seeds",
        "simulate tcp --threads 0|--threads is 1 to 1024",
        "simulate tcp --trace --seeds 2|--trace prints one run",
        "simulate tcp --trace --json|exclude each other",
      })
  void shouldRejectInvalidOptions(String arguments, String complaint) {
    assertThat(run(arguments)).isEqualTo(2);
    assertThat(err.toString()).startsWith("rddp: ").contains(complaint);
  }
}
