# shellcheck shell=bash
# rddp sockets: runs an unmodified program with TCP sockets over rddp, with a preloaded library that stands in for libc's calls.

# shellcheck source=bin/setup/preload.sh
source "$ROOT/bin/setup/preload.sh"

sockets_library() {
    find_library librddp-sockets.so sockets 'In a source tree, install a C compiler, and build: bin/rddp setup'
}

sockets_usage() {
    cat <<'END'
Usage: rddp sockets --local[=NAME] [--interface NAME] -- PROGRAM [ARGUMENT]...
       rddp sockets [--socket PATH] [--interface NAME] -- PROGRAM [ARGUMENT]...

Runs an unmodified program with TCP sockets over RDMA. It connects over rddp to addresses in the networks of the daemon's
interfaces where a program under 'rddp sockets' listens, and by the kernel to all others. It listens at both.

      --local[=NAME]     Start a daemon for the program and end it afterwards; it needs no configuration and no privileges.
                         Programs with the same NAME share one, which ends with the last of them. Its interfaces are "one",
                         10.0.0.1, and "two", 10.0.0.2; they are connected only with each other.
                         Without this option a daemon has to be running.
      --interface NAME   The daemon's interface. Default: all of them.
      --socket PATH      The daemon's socket. Default: $RDDP_SOCKET, or /run/rddp/rddpd.sock.
  -h, --help             Show this.

Ends with the program's exit status, or with 128 and the number of the signal that ended it; without having started it, with 1,
with 2 for wrong arguments, or with 127 if there is no such program.

The environment of the program: RDDP_SOCKETS_LOG=1 prints to standard error what listens and connects over rddp, and why a
connection does not; RDDP_SOCKETS_SPIN says for how many microseconds a call looks for octets before its thread sleeps
(default: 100; 0: it sleeps at once).

Examples, each line in a terminal of its own:
  rddp sockets --local=demo -- redis-server --bind 10.0.0.2 --protected-mode no
  rddp sockets --local=demo -- redis-benchmark -h 10.0.0.2 -c 1 -t get

  rddp sockets --interface two -- iperf3 -s -B 10.0.0.2
  rddp sockets --interface one -- iperf3 -c 10.0.0.2
END
}

# There is no option that only this command has.
sockets_option() {
    return 1
}

# Replaces this process by the program, except with --local.
sockets() {
    preload sockets "$@"
}
