# shellcheck shell=bash
# Runs a server on the interface "two" and a client on "one", with librddp-verbs preloaded, in the network namespace SIDE.
#
# A script that sources this sets SIDE, LIBRARY, work, and SOCKET_OF_one and SOCKET_OF_two, the daemons' sockets.
# shellcheck disable=SC2154

# shellcheck disable=SC2034 # by name
readonly ADDRESS_OF_one=10.0.0.1 ADDRESS_OF_two=10.0.0.2
# For a program, in seconds.
readonly DEADLINE=120
# For a server's start or end, in tenths of a second.
readonly PATIENCE=300
# perftest's server listens a second time, and its client does not wait for that.
readonly ATTEMPTS=5

server=''
# The failure of the last pair.
WRONG=''

# run_pair SERVER CLIENT PRINTS REMARK: whether both end with 0 and print PRINTS. SERVER may be empty. With stays in REMARK the server
# goes on until it is stopped, and only the client counts. What they print is in $work/server and $work/client.
run_pair() {
    local attempt
    for ((attempt = 0; attempt < ATTEMPTS; attempt++)); do
        WRONG=''
        rm -rf "$work/server" "$work/client" "$work/files"
        mkdir "$work/files"
        if [[ -n $1 ]]; then
            # A shell reports which of its processes was killed.
            (start_program two "$1" "$work/server"; exit $?) 2>/dev/null &
            server=$!
            await_listening
        fi
        start_program one "$2" "$work/client" || WRONG="the client ended with $?"
        check_printed client "$3"
        end_server "$3" "$4"
        if [[ -z $WRONG ]]; then return; fi
        was_too_early || break
    done
    return 1
}

# start_program INTERFACE COMMAND FILE: runs it to its end, in an empty folder.
start_program() (
    socket=SOCKET_OF_$1
    cd "$work/files" || return
    exec env PATH="$HERE:$PATH" RDDP_SOCKET="${!socket}" RDDP_INTERFACE="$1" RDDP_VERBS_LOG=1 LD_PRELOAD="$LIBRARY" \
        VERBS_LIBRARY="$LIBRARY" SOCKET_OF_one="$SOCKET_OF_one" SOCKET_OF_two="$SOCKET_OF_two" \
        ip netns exec "$SIDE" timeout -k 5 "$DEADLINE" bash -c "$2" >"$3" 2>&1 </dev/null
)

# Waits until the server listens, by rdma_cm or, for programs that use both, by the kernel's TCP; or has ended.
await_listening() {
    local tenths
    for ((tenths = 0; tenths < PATIENCE; tenths++)); do
        if grep -qs 'listens at port' "$work/server" || [[ -n $(ip netns exec "$SIDE" ss -H -t -l -n) ]]; then
            return
        fi
        kill -0 "$server" 2>/dev/null || return
        sleep 0.1
    done
}

# end_server PRINTS REMARK
end_server() {
    [[ -n $server ]] || return
    if [[ " $2 " == *' stays '* || -n $WRONG ]]; then
        stop_programs
        wait "$server" 2>/dev/null
    else
        wait "$server" || WRONG="the server ended with $?"
        check_printed server "$1"
    fi
    server=''
}

# Ends the programs with the library, and waits until they are gone: the next ones use their ports. The daemon goes on.
stop_programs() {
    local process found tenths
    for ((tenths = 0; tenths < PATIENCE; tenths++)); do
        found=''
        for process in $(ip netns pids "$SIDE"); do
            if grep -qsz "^VERBS_LIBRARY=" "/proc/$process/environ"; then
                kill -KILL "$process" 2>/dev/null
                found=yes
            fi
        done
        [[ -n $found ]] || return
        sleep 0.1
    done
}

# check_printed END PRINTS
check_printed() {
    [[ -z $WRONG ]] || return
    if grep -qsiE 'data mismatch|data verification failed' "$work/$1"; then
        WRONG="the $1 found wrong data"
    elif ! grep -qsF -- "$2" "$work/$1"; then
        WRONG="the $1 does not print '$2'"
    fi
}

was_too_early() {
    grep -qs 'no program listens at that port' "$work/client"
}
