# shellcheck shell=bash
# rddp verbs --local: how programs and their daemon begin and end. A script stands in for the JVM, and does what the daemon does:
# it says that it is ready, and ends with its input. packaging/check does the same with the daemon.

LOCAL_RUN=$WORK/run
readonly LOCAL_JDK=$WORK/local-jdk
mkdir -p "$LOCAL_JDK/bin"
cat >"$LOCAL_JDK/bin/java" <<'END'
#!/usr/bin/env bash
echo "started $$" >>"$STARTS"
case ${DAEMON:-} in
    fails) echo 'no memory is left' >&2 && exit 1 ;;
    fails_early) echo 'no heap' && exit 1 ;;
    slow) read -r line <"$STARTS.said" && echo "$line" >"$STARTS.line" ;;
    dies) echo 'ready: in 0 s' && echo 'something is wrong' >&2 && exit 1 ;;
esac
echo 'ready: in 0 s'
exec cat >/dev/null
END
chmod +x "$LOCAL_JDK/bin/java"

# locally NAME PROGRAM ARGUMENT...: as bin/rddp does, in a process of its own, which it replaces this one by.
# shellcheck disable=SC2016,SC2317
locally() {
    export ROOT STARTS=$WORK/starts XDG_RUNTIME_DIR=$LOCAL_RUN JAVA_HOME=$LOCAL_JDK
    # Without a terminal, whoever runs the tests.
    exec setsid -w bash -c '
        set -euo pipefail
        for part in say launch local; do source "$ROOT/bin/setup/$part.sh"; done
        LOCAL_PATIENCE=${PATIENCE:-$LOCAL_PATIENCE}
        find_jdk() { :; }
        jvm_arguments() { JVM_ARGUMENTS=(); }
        classpath() { :; }
        run_locally "$1" "" true "${@:2}"' - "$@"
}

# nothing_before: a new folder at run time, and no starts.
# shellcheck disable=SC2317
nothing_before() {
    rm -rf "$LOCAL_RUN" "$WORK/starts"
    mkdir -m 700 "$LOCAL_RUN"
}

# nothing_left [STARTS]: no files; and as many daemons were started.
# shellcheck disable=SC2317
nothing_left() {
    equal '' "$(find "$LOCAL_RUN" -mindepth 1)" && equal "${1:-1}" "$(grep -c started "$WORK/starts")"
}

# in_background NAME: a program that runs until it is ended; sets LOCAL_PID. Returns when it runs, with its folder open as
# LOCAL_DAEMON: the lock of that is free when the daemon has ended.
# shellcheck disable=SC2317
in_background() {
    local socket pipe
    pipe=$(mktemp -d "$WORK/runs.XXXXXX")/pipe
    mkfifo "$pipe" "$pipe.never"
    # shellcheck disable=SC2016
    (locally "$1" bash -c 'trap "exit 7" TERM; trap "exit 8" INT; echo "$RDDP_SOCKET" >"$1"; read -r <>"$1.never"' - "$pipe") &
    LOCAL_PID=$!
    read -r socket <"$pipe"
    exec {LOCAL_DAEMON}<"$(dirname -- "$socket")"
}

# shellcheck disable=SC2317
passes_on_status_and_input() {
    nothing_before
    local status=0 said
    # shellcheck disable=SC2016
    said=$(echo word | locally '' bash -c 'read -r line; echo "$line at $RDDP_SOCKET"; exit 3') || status=$?
    equal 3 "$status" && [[ $said == "word at $LOCAL_RUN/rddp-local."*/daemon/rddpd.sock ]] && nothing_left
}

# shellcheck disable=SC2317
shares_a_daemon() {
    nothing_before
    in_background shared
    (locally shared true) && [[ -d $LOCAL_RUN/rddp-local-shared/daemon ]] || return
    kill -TERM "$LOCAL_PID"
    wait "$LOCAL_PID"
    equal 7 "$?" && nothing_left 1
}

# shellcheck disable=SC2317
starts_another_daemon_each_time() {
    nothing_before
    in_background ''
    (locally '' true)
    kill -TERM "$LOCAL_PID"
    wait "$LOCAL_PID"
    nothing_left 2
}

# shellcheck disable=SC2317
passes_on_interrupts() {
    nothing_before
    in_background ''
    kill -INT "$LOCAL_PID"
    wait "$LOCAL_PID"
    equal 8 "$?" && nothing_left
}

# shellcheck disable=SC2317
names_the_signal_that_ended_a_program() {
    nothing_before
    local status=0 said
    said=$(locally '' bash -c 'kill -SEGV $$' 2>&1) || status=$?
    equal 139 "$status" && equal 'rddp: bash was ended by SIGSEGV' "$said" && nothing_left
}

# shellcheck disable=SC2317
says_that_it_waits() {
    local said
    nothing_before
    rm -f "$WORK"/starts.*
    mkfifo "$WORK/starts.said"
    exec {said}<>"$WORK/starts.said"
    # The daemon is not ready before that was said.
    (DAEMON=slow PATIENCE=0.01 locally '' true 2>&"$said") || return
    equal 'rddp: waiting for the daemon of --local to start' "$(<"$WORK/starts.line")" && nothing_left
}

cleans_up_after_a_kill() {
    nothing_before
    in_background ''
    kill -KILL "$LOCAL_PID"
    wait "$LOCAL_PID" 2>/dev/null
    flock "$LOCAL_DAEMON"
    nothing_left
}

# shellcheck disable=SC2317
says_why_a_daemon_does_not_start() {
    nothing_before
    local status=0 said
    said=$(DAEMON=fails locally '' true 2>&1) || status=$?
    equal 1 "$status" && [[ $said == *'no memory is left'*'does not start'* ]] && nothing_left || return
    status=0
    # A JVM that cannot start says so on its standard output.
    said=$(DAEMON=fails_early locally '' true 2>&1) || status=$?
    equal 1 "$status" && [[ $said == *'no heap'*'does not start'* ]] && nothing_left 2
}

# shellcheck disable=SC2317
says_why_a_daemon_has_ended() {
    nothing_before
    local status=0 said
    # The folder is locked until the daemon has ended.
    # shellcheck disable=SC2016
    said=$(DAEMON=dies locally '' bash -c 'folder=$(dirname -- "$RDDP_SOCKET"); ! exec {ended}<"$folder" || flock "$ended"; exit 5' 2>&1) ||
        status=$?
    equal 5 "$status" && [[ $said == *'ended before the program'*'something is wrong'* ]] && nothing_left
}

# shellcheck disable=SC2317
takes_over_files_of_a_killed_daemon() {
    nothing_before
    mkdir -p "$LOCAL_RUN/rddp-local-old/daemon"
    touch "$LOCAL_RUN/rddp-local-old/daemon"/{users,log}
    (locally old true) && nothing_left
}

# shellcheck disable=SC2317
leaves_a_later_daemon_alone() {
    nothing_before
    local first
    in_background same
    first=$LOCAL_PID
    kill -KILL "$(sed 's/started //' "$WORK/starts")"
    flock "$LOCAL_DAEMON"
    exec {LOCAL_DAEMON}<&-
    in_background same
    kill -TERM "$first"
    wait "$first"
    [[ $(echo "$LOCAL_RUN"/rddp-local-same/daemon/*) == *rddpd.toml* ]] || return
    kill -TERM "$LOCAL_PID"
    wait "$LOCAL_PID"
    nothing_left 2
}

# shellcheck disable=SC2317
makes_a_folder_without_a_session() {
    nothing_before
    local said
    # shellcheck disable=SC2016
    said=$(export LOCAL_RUN=/nonexistent TMPDIR=$WORK/run && locally '' bash -c 'stat -c %a "${RDDP_SOCKET%/*/*/*}"; echo "$RDDP_SOCKET"')
    [[ $said == 700*"$WORK/run/rddp-$EUID/rddp-local."* ]] && nothing_left
}

check 'local: gives the program its input, and passes on its exit status' passes_on_status_and_input
check 'local: programs with one name have one daemon, until the last ends' shares_a_daemon
check 'local: programs without a name have a daemon each' starts_another_daemon_each_time
check 'local: passes on an interrupt that is not from the terminal' passes_on_interrupts
check 'local: names the signal that ended the program' names_the_signal_that_ended_a_program
check 'local: says that it waits for a daemon that starts slowly' says_that_it_waits
check 'local: leaves nothing behind if it is killed' cleans_up_after_a_kill
check 'local: says why its daemon does not start' says_why_a_daemon_does_not_start
check 'local: says why its daemon has ended too early' says_why_a_daemon_has_ended
check 'local: takes over the files of a daemon that was killed' takes_over_files_of_a_killed_daemon
check 'local: leaves alone a daemon that was started after its own has ended' leaves_a_later_daemon_alone
check 'local: makes a folder for sockets where no session has one' makes_a_folder_without_a_session
