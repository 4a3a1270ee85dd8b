# shellcheck shell=bash
# rddp verbs: runs an unmodified RDMA program over rddp, with a preloaded library that replaces libibverbs and librdmacm.

# shellcheck source=bin/setup/preload.sh
source "$ROOT/bin/setup/preload.sh"

# Before it is built.
verbs_needs() {
    need_for_programs need
}

verbs_library() {
    local library lacking
    library=$(find_library librddp-verbs.so verbs \
        "To build it: $(install_command libibverbs-dev librdmacm-dev), and then: bin/rddp setup") || exit
    lacking=$(lacking_libraries "$library")
    [[ -z $lacking ]] || fail "librddp-verbs.so needs ${lacking// / and }, which this machine has not" \
        "To install: $(install_command libibverbs1 librdmacm1)"
    echo "$library"
}

# lacking_libraries LIBRARY: prints the names of the libraries that it needs and that the loader does not find.
lacking_libraries() {
    ldd "$1" 2>/dev/null | awk '/=> not found/ { print $1 }' | sort -u | paste -sd ' '
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

Ends with the program's exit status, or with 128 and the number of the signal that ended it; without having started it, with 1,
with 2 for wrong arguments, or with 127 if there is no such program.

The environment of the program: RDDP_VERBS_LOG=1 prints to standard error why a call has failed, and what was connected,
heard and registered; RDDP_VERBS_YIELD=0 or 1 decides whether a thread yields its processor after polls without a result
(default: 1 with fewer than three processors); RDDP_PEER_TO_PEER=no is for peers without MPA revision 2.

Examples, each line in a terminal of its own:
  rddp verbs --local=demo -- ib_write_bw -R -F
  rddp verbs --local=demo -- ib_write_bw -R -F 10.0.0.1

  rddp verbs --local=demo -- ibv_rc_pingpong -g 0
  rddp verbs --local=demo -- ibv_rc_pingpong -g 0 localhost

  rddp verbs --interface two -- rping -s -a 10.0.0.2
  rddp verbs --interface one -- rping -c -a 10.0.0.2 -v -C 10
END
}

# verbs_option OPTION: takes an option that only this command has; returns 1 if it has none such.
verbs_option() {
    case $1 in
        --as=iwarp | --as=roce) export RDDP_VERBS_AS=${1#*=} ;;
        --as=*) preload_wrong verbs "$1: a device is shown as iwarp or as roce" ;;
        --sysfs) PRELOAD_THROUGH=(rddp-sysfs) ;;
        *) return 1 ;;
    esac
}

verbs_prepare() {
    :
}

verbs_ready() {
    :
}

# Replaces this process by the program, except with --local.
verbs() {
    preload verbs "$@"
}
