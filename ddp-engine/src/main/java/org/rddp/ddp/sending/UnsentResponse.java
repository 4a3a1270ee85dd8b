package org.rddp.ddp.sending;

import org.rddp.ddp.segment.DdpErrorReport;

/**
 * A response that cannot be completed, and what is left of it. Made when a stream fails, so once in
 * its life.
 *
 * @param request the segment that has asked for it
 * @param stag the peer's name for where it goes
 * @param to Tagged Offset there of the first octet that has not been sent
 * @param sourceStag the name that its octets had here
 * @param sourceTo Tagged Offset there of that octet
 * @param octets how many have not been sent
 */
public record UnsentResponse(
    DdpErrorReport request, int stag, long to, int sourceStag, long sourceTo, long octets) {}
