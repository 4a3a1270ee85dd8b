# shellcheck shell=bash
# rddp verbs: runs an unmodified RDMA program over rddp, with a preloaded library that replaces libibverbs and librdmacm.

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
        "In a source tree, install what it is built with: $(install_command libibverbs-dev librdmacm-dev)"
}

verbs_usage() {
    cat <<'END'
Usage: rddp verbs --local[=NAME] [--interface NAME] [--as KIND] [--sysfs] -- PROGRAM [ARGUMENT]...
       rddp verbs [--socket PATH] [--interface NAME] [--as KIND] [--sysfs] -- PROGRAM [ARGUMENT]...

Runs an unmodified program for libibverbs and librdmacm over rddp. It sees the iWARP device rddp0, and connects by
rdma_cm, also to its own address, or by numbers of queue pairs (ibv_modify_qp) with a peer that runs over rddp, too.
It needs the libraries libibverbs1 and librdmacm1.

      --local[=NAME]     Start a daemon for the program and end it afterwards; it needs no configuration and no privileges.
                         Programs with the same NAME share one, which ends with the last of them. Its interfaces are "one",
                         10.0.0.1, and "two", 10.0.0.2; they are connected only with each other.
                         Without this option a daemon has to be running.
      --interface NAME   The daemon's interface. Default: each is a device, rddp0 and so on.
      --socket PATH      The daemon's socket. Default: $RDDP_SOCKET, or /run/rddp/rddpd.sock.
      --as KIND          What kind of device the program sees: iwarp, the default; or roce, for programs that refuse iWARP.
      --sysfs            Show the devices in /sys/class/infiniband and /dev/infiniband, where some programs look for them: to
                         this program and what it starts only, in a mount namespace; without root, in a user namespace.
  -h, --help             Show this.

The environment of the program: RDDP_VERBS_LOG=1 prints to standard error why a call has failed, and what was connected,
heard and registered; RDDP_VERBS_YIELD=0 or 1 decides whether a thread yields its processor after polls without a result
(default: 1 with fewer than three processors); RDDP_PEER_TO_PEER=no is for peers without MPA revision 2.

Examples, each line in a terminal of its own:
  rddp verbs --local=demo -- ib_write_bw -R -F
  rddp verbs --local=demo -- ib_write_bw -R -F 10.0.0.1

  rddp verbs --local=demo -- ibv_rc_pingpong -g 0
  rddp verbs --local=demo -- ibv_rc_pingpong -g 0 localhost

  rddp verbs --interface two -- rping -s -a 10.0.0.2
  rddp verbs --interface one -- rping -c -a 10.0.0.2 -V -C 10
END
}

# verbs_wrong MESSAGE: reports wrong arguments, and exits.
verbs_wrong() {
    printf 'rddp: error: %s\n' "$1" >&2
    echo "Try 'rddp verbs --help'." >&2
    exit 2
}

# Replaces this process by the program, except with --local.
verbs() {
    local is_local='' name='' socket='' shows=''
    while (($# > 0)); do
        case $1 in
            -h | --help) verbs_usage && return ;;
            --interface | --socket | --as)
                (($# > 1)) || verbs_wrong "$1 needs a value"
                set -- "$1=$2" "${@:3}"
                ;;
            --interface=*) export RDDP_INTERFACE=${1#*=} && shift ;;
            --socket=*) socket=${1#*=} && shift ;;
            --as=iwarp | --as=roce) export RDDP_VERBS_AS=${1#*=} && shift ;;
            --as=*) verbs_wrong "$1: a device is shown as iwarp or as roce" ;;
            --sysfs) shows=yes && shift ;;
            --local) is_local=yes && shift ;;
            --local=*)
                is_local=yes name=${1#*=}
                [[ $name =~ ^[A-Za-z0-9][A-Za-z0-9_-]{0,31}$ ]] ||
                    verbs_wrong "--local=$name: allowed: 1 to 32 letters, digits, '-' and '_', the first one a letter or digit"
                shift
                ;;
            --) shift && break ;;
            -*) verbs_wrong "there is no option '$1'" ;;
            *) break ;;
        esac
    done
    (($# > 0)) || verbs_wrong 'name the program to run'
    has "$1" || fail "there is no program '$1'" \
        "Debian's packages of RDMA programs: rdmacm-utils (rping), perftest (ib_write_bw), ibverbs-utils (ibv_rc_pingpong)"
    local library
    library=$(verbs_library)
    # What starts the program.
    local through=()
    if [[ -n $shows ]]; then through=("${library%/*}/rddp-sysfs"); fi
    if [[ -n $is_local ]]; then
        [[ -z $socket ]] || verbs_wrong '--local starts a daemon, and --socket is for one that is running: give one of them'
        [[ ${RDDP_INTERFACE:-one} =~ ^(one|two)$ ]] || verbs_wrong "--local has the interfaces one and two, not '$RDDP_INTERFACE'"
        # shellcheck source=bin/setup/local.sh
        source "$ROOT/bin/setup/local.sh"
        run_locally "$name" "$library" "$@"
    fi
    export RDDP_SOCKET=${socket:-${RDDP_SOCKET:-/run/rddp/rddpd.sock}}
    socket=$RDDP_SOCKET
    [[ -S $socket ]] || fail "there is no daemon socket at $socket" \
        "For a try on this machine: rddp verbs --local -- $1 ... To start a daemon: rddp daemon. Or give --socket."
    [[ -w $socket ]] || fail "you may not use the daemon at $socket: writing that socket needs its user or group"
    LD_PRELOAD=$library${LD_PRELOAD:+:$LD_PRELOAD} exec ${through[@]+"${through[@]}"} "$@"
}
