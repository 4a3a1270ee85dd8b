# shellcheck shell=bash
# The check of captures accepts Linux's own iWARP, and notices one changed octet.

readonly CAPTURE=$ROOT/ddp-engine/src/test/resources/org/rddp/captures/rping-crc.pcap

# spoiled PYTHON_STATEMENTS: the capture with its octets "data" changed by the statements.
spoiled() {
    python3 - "$CAPTURE" "$WORK/spoiled.pcap" <<END
import sys
data = bytearray(open(sys.argv[1], "rb").read())
$1
open(sys.argv[2], "wb").write(data)
END
    "$ROOT/interop/tshark/check" "$WORK/spoiled.pcap"
}

# refuses COMPLAINT PYTHON_STATEMENTS
refuses() {
    ! spoiled "$2" >"$WORK/said" && grep -q "^not ok.*$1" "$WORK/said" || {
        cat "$WORK/said"
        return 1
    }
}

check 'a capture of Linux siw passes' "$ROOT/interop/tshark/check" "$CAPTURE"
check 'a capture with a bad CRC does not' refuses '20 of 21 FPDUs have a good CRC, 1 a bad one' \
    'data[data.index(bytes([0, 34, 0x41, 0x43])) + 20] ^= 1'
check 'a capture without an MPA Reply does not' refuses '1 MPA Requests, 0 MPA Replies' \
    'data[data.index(b"MPA ID Rep Frame")] ^= 1'
check 'no capture does not' refuses '0 frames' 'data.clear()'
