package org.rddp.mpa;

import org.rddp.mpa.StartupFrame.Kind;
import org.rddp.snapshot.Snapshot;

/** Reads an MPA Request or Reply Frame (RFC 5044 sections 7.1.1 and 7.1.2). */
final class RequestReplyReader extends StartupFrameReader {
  private final Kind expected;
  private final int lowestRevision;
  private final int highestRevision;
  private String incompatibility;

  /**
   * Creates a reader for one frame.
   *
   * @param expected the kind of frame that the peer must send
   * @param lowestRevision the lowest Rev that we support
   * @param highestRevision the highest Rev that we support
   */
  RequestReplyReader(Kind expected, int lowestRevision, int highestRevision) {
    super(expected, StartupFrame.MAX_OCTETS);
    this.expected = expected;
    this.lowestRevision = lowestRevision;
    this.highestRevision = highestRevision;
  }

  @Override
  StartupFrame frame() {
    return StartupFrame.decode(expected, octets);
  }

  @Override
  String incompatibility() {
    return incompatibility;
  }

  @Override
  int fieldEnd() {
    if (count() < StartupFrame.PD_LENGTH) {
      return StartupFrame.PD_LENGTH;
    }
    if (count() < StartupFrame.PRIVATE_DATA) {
      return StartupFrame.PRIVATE_DATA;
    }
    return StartupFrame.PRIVATE_DATA + StartupFrame.privateDataLength(octets);
  }

  @Override
  String checkField() {
    return switch (count()) {
      case StartupFrame.PD_LENGTH -> checkRevision();
      case StartupFrame.PRIVATE_DATA -> checkPrivateDataLength();
      default -> null;
    };
  }

  @Override
  String missingField() {
    if (count() == StartupFrame.FLAGS) {
      return "M, C and R are missing";
    }
    if (count() == StartupFrame.REVISION) {
      return "Rev is missing";
    }
    if (count() < StartupFrame.PRIVATE_DATA) {
      return missing("PD_Length", count() - StartupFrame.PD_LENGTH, 2);
    }
    return missing(
        "Private Data",
        count() - StartupFrame.PRIVATE_DATA,
        StartupFrame.privateDataLength(octets));
  }

  private String checkRevision() {
    int revision = octets[StartupFrame.REVISION] & 0xff;
    if (revision < lowestRevision || revision > highestRevision) { // MPA-7.1.1-17
      incompatibility = "Rev is " + revision + ", not " + understood();
    }
    return null;
  }

  private String understood() {
    return lowestRevision == highestRevision
        ? String.valueOf(lowestRevision)
        : lowestRevision + " to " + highestRevision;
  }

  private String checkPrivateDataLength() {
    int length = StartupFrame.privateDataLength(octets);
    // MPA-7.1.2-25: "MUST validate the PD_Length field"; MPA-7.1.2-26: "MUST be considered
    // improperly formatted"; MPA-7.1.1-20: "exceeds 512 octets, the receiver MUST close the
    // connection"
    if (length > StartupFrame.MAX_PRIVATE_DATA) {
      return "PD_Length is " + length + ", more than " + StartupFrame.MAX_PRIVATE_DATA;
    }
    if (length < Enhancement.OCTETS // P2P-6-06
        && StartupFrame.enhanced(octets[StartupFrame.FLAGS], octets[StartupFrame.REVISION])) {
      return "PD_Length is " + length + ", less than the " + Enhancement.OCTETS + " of bit S";
    }
    return null;
  }

  @Override
  void transfer(Snapshot snapshot) {
    super.transfer(snapshot);
    snapshot.begin(RequestReplyReader.class);
    incompatibility = snapshot.text("incompatibility", incompatibility);
    snapshot.end();
  }
}
