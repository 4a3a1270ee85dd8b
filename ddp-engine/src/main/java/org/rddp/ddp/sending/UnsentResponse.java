package org.rddp.ddp.sending;

import org.rddp.ddp.segment.DdpErrorReport;

/**
 * The unsent rest of a response that cannot be completed. Made when a stream fails, so once per
 * stream.
 *
 * @param request the segment that requested it
 * @param stag the peer's name for where it goes
 * @param to Tagged Offset there of the first octet that has not been sent
 * @param sourceStag the name that its octets had here
 * @param sourceTo Tagged Offset there of that octet
 * @param octets how many have not been sent
 */
public record UnsentResponse(
    DdpErrorReport request, int stag, long to, int sourceStag, long sourceTo, long octets) {}
