/* What publisher and subscriber agree upon: the ring of slots in a subscriber's memory. */
#ifndef PUBLISHED_H
#define PUBLISHED_H

#define SLOTS 64
#define SLOT 256  /* octets of the longest text */

#endif
