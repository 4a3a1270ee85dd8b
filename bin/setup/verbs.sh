# shellcheck shell=bash
# rddp verbs: runs an unmodified RDMA program over rddp. The library that stands in for libibverbs and librdmacm is preloaded.

# The library, where the build of the module verbs leaves it, or where it is installed.
verbs_library() {
    local place
    for place in "$ROOT/verbs/target" "$ROOT/lib"; do
        if [[ -f $place/librddp-verbs.so ]]; then
            readlink -f -- "$place/librddp-verbs.so"
            return
        fi
    done
    fail 'librddp-verbs.so is not there' \
        "In a source tree, install what it is built with: $(apt_command libibverbs-dev librdmacm-dev)"
}

verbs_usage() {
    cat <<'END'
Usage: rddp verbs [--interface NAME] [--socket PATH] -- PROGRAM [ARGUMENT]...

Runs a program that was made for libibverbs and librdmacm, unmodified, over rddp. It sees the iWARP device rddp0, and
connects by rdma_cm, also to its own address. It needs the libraries libibverbs1 and librdmacm1, and a daemon that is running.

      --interface NAME   The daemon's interface. Default: each is a device, rddp0 and so on.
      --socket PATH      The daemon's socket. Default: $RDDP_SOCKET, or /run/rddp/rddpd.sock.
  -h, --help             Show this.

The environment of the program: RDDP_VERBS_LOG=1 says on standard error why a call has failed; RDDP_VERBS_YIELD=0 or 1
decides whether a thread that polls in vain gives up its processor (by itself where there are fewer than three);
RDDP_PEER_TO_PEER=no is for peers that know no MPA revision 2.

Example:
  rddp verbs --interface two -- rping -s -a 10.0.0.2
  rddp verbs --interface one -- rping -c -a 10.0.0.2 -V -C 10
END
}

# verbs_wrong MESSAGE: arguments that are wrong.
verbs_wrong() {
    printf 'rddp: error: %s\n' "$1" >&2
    echo "Try 'rddp verbs --help'." >&2
    exit 2
}

# Replaces this process by the program.
verbs() {
    while (($# > 0)); do
        case $1 in
            -h | --help) verbs_usage && return ;;
            --interface | --socket)
                (($# > 1)) || verbs_wrong "$1 needs a value"
                if [[ $1 == --interface ]]; then export RDDP_INTERFACE=$2; else export RDDP_SOCKET=$2; fi
                shift 2
                ;;
            --interface=*) export RDDP_INTERFACE=${1#*=} && shift ;;
            --socket=*) export RDDP_SOCKET=${1#*=} && shift ;;
            --) shift && break ;;
            -*) verbs_wrong "there is no option '$1'" ;;
            *) break ;;
        esac
    done
    (($# > 0)) || verbs_wrong 'name the program to run'
    has "$1" || fail "there is no program '$1'"
    local library socket=${RDDP_SOCKET:-/run/rddp/rddpd.sock}
    library=$(verbs_library)
    [[ -S $socket ]] || fail "there is no daemon socket at $socket" 'To start the daemon: rddp daemon. Or give --socket.'
    [[ -w $socket ]] || fail "you may not use the daemon at $socket: writing that socket needs its user or group"
    LD_PRELOAD=$library${LD_PRELOAD:+:$LD_PRELOAD} exec "$@"
}
