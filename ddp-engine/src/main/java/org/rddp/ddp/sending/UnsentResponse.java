package org.rddp.ddp.sending;

import org.rddp.ddp.segment.DdpErrorReport;

/**
 * The unsent rest of a response that cannot be completed. Created at most once per stream, when it
 * fails.
 *
 * @param request the segment that requested it
 * @param stag the peer's STag that it goes to
 * @param to Tagged Offset, at the peer, of the first octet that has not been sent
 * @param sourceStag our STag that the octets come from
 * @param sourceTo Tagged Offset of that octet in our buffer
 * @param octets octets that have not been sent
 */
public record UnsentResponse(
    DdpErrorReport request, int stag, long to, int sourceStag, long sourceTo, long octets) {}
