# shellcheck shell=bash
# rddp sockets: runs an unmodified program with TCP sockets over rddp, with a preloaded library that stands in for libc's calls.

# shellcheck source=bin/setup/preload.sh
source "$ROOT/bin/setup/preload.sh"

# What builds rddp builds it, too.
sockets_needs() {
    :
}

sockets_library() {
    find_library librddp-sockets.so sockets 'To build it: bin/rddp setup'
}

sockets_usage() {
    cat <<'END'
Usage: rddp sockets --local[=NAME] [--interface NAME] -- PROGRAM [ARGUMENT]...
       rddp sockets [--socket PATH] [--interface NAME] -- PROGRAM [ARGUMENT]...
       rddp sockets [OPTION]... --explain HOST:PORT

Runs an unmodified program with TCP sockets over RDMA. It connects over rddp to addresses in the networks of the daemon's
interfaces, and by the kernel to all others; with a rule otherwise. It listens at both.

      --local[=NAME]     Start a daemon for the program and end it afterwards; it needs no configuration and no privileges.
                         Programs with the same NAME share one, which ends with the last of them. Its interfaces are "one",
                         10.0.0.1, and "two", 10.0.0.2; they are connected only with each other.
                         Without this option a daemon has to be running.
      --interface NAME   The daemon's interface. Default: all of them.
      --socket PATH      The daemon's socket. Default: $RDDP_SOCKET, or /run/rddp/rddpd.sock.
      --rule RULE        Which way connections take: 'ADDRESS[/PREFIX][:PORT] ACTION', ACTION being rddp, kernel or
                         rddp-or-kernel; * is any address in rddp's networks. May be repeated: the first one that fits decides,
                         before those of the variable RDDP_SOCKETS_RULES and of the file /etc/rddp/sockets.rules.
      --or-kernel        Where the peer's host answers that nobody listens there over rddp, connect by the kernel; but not where
                         the interface requires encryption. The same as a last rule '* rddp-or-kernel'.
      --explain HOST:PORT
                         Say what a connection there becomes, and why, instead of running a program. It tries to connect.
  -h, --help             Show this.

Ends with the program's exit status, or with 128 and the number of the signal that ended it; without having started it, with 1,
with 2 for wrong arguments, or with 127 if there is no such program.

The environment of the program: RDDP_SOCKETS_LOG=1 prints to standard error what listens and connects over rddp, and why a
connection does not; RDDP_SOCKETS_SPIN says for how many microseconds a call looks for octets before its thread sleeps
(default: 100; 0: it sleeps at once).

RDDP_SOCKETS_FILE names another file of rules.

Examples, each line in a terminal of its own:
  rddp sockets --local=demo -- redis-server --bind 10.0.0.2 --protected-mode no
  rddp sockets --local=demo -- redis-benchmark -h 10.0.0.2 -c 1 -t get

  rddp sockets --interface two -- iperf3 -s -B 10.0.0.2
  rddp sockets --interface one -- iperf3 -c 10.0.0.2

  rddp sockets --rule '10.0.0.0/24:22 kernel' --or-kernel --explain 10.0.0.2:22
END
}

# Rules of the options, a line each; whether --or-kernel is one; and what to explain.
SOCKETS_RULES=''
SOCKETS_OR_KERNEL=''
SOCKETS_EXPLAIN=''

# sockets_option OPTION: takes an option that only this command has; returns 1 if it has none such.
sockets_option() {
    case $1 in
        --rule=*) SOCKETS_RULES+=${1#*=}$'\n' ;;
        --or-kernel) SOCKETS_OR_KERNEL=$'* rddp-or-kernel\n' ;;
        --explain=?*) SOCKETS_EXPLAIN=${1#*=} PRELOAD_ALONE=$1 ;;
        *) return 1 ;;
    esac
}

# Prints the path of the program that checks and explains the rules.
sockets_rules() {
    local library
    library=$(sockets_library) || exit
    printf '%s/rddp-sockets-rules' "$(dirname -- "$library")"
}

# sockets_prepare [PROGRAM [ARGUMENT]...]: before there is a daemon: checks the rules, warns of a program that the library does
# not reach, and says which program takes the place of the user's one, if an option says so.
sockets_prepare() {
    local rules
    rules=$(sockets_rules) || exit
    if [[ -n $SOCKETS_RULES$SOCKETS_OR_KERNEL ]]; then export RDDP_SOCKETS_OPTIONS=$SOCKETS_RULES$SOCKETS_OR_KERNEL; fi
    "$rules" check ${1:+"$(type -P -- "$1")"} || exit
    if [[ -n $SOCKETS_EXPLAIN ]]; then PRELOAD_INSTEAD=("$rules" explain "$SOCKETS_EXPLAIN"); fi
}

# Tells the library the daemon's networks, which stay rddp's when the daemon has ended.
sockets_ready() {
    RDDP_SOCKETS_NETWORKS=$("$(sockets_rules)" networks) || exit
    export RDDP_SOCKETS_NETWORKS
}

# Replaces this process by the program, except with --local.
sockets() {
    preload sockets "$@"
}
