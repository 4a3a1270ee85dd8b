# shellcheck shell=bash
# rddp verbs --local, rddp sockets --local: a daemon for the programs of one user on one machine. The first program starts it, the last one ends it; it
# needs no configuration, no privileges and no huge pages.
#
# It has a folder within the user's run-time folder, which is locked (flock) while a program joins or leaves. The subfolder
# "daemon" has its files, and is locked while it lives. Each "rddp verbs" or "rddp sockets" holds a shared lock of the file "users" there, which
# the kernel releases even if that process is killed: keep_daemon waits for all of them, ends the daemon, and removes the files.

local_configuration() {
    cat <<END
[control]
socket = "$LOCAL_FOLDER/rddpd.sock"
mode = "0600"
drain-timeout = "100ms"

[log]
level = "warn"

# Half of the usual packets: ordinary memory is cleared at the start, which takes a second for 512 MiB.
[dpdk]
hugepages = false
memory = "64MiB"

[[interface]]
name = "one"
device = "ring:local"
address = "10.0.0.1/24"
packets = 4096

[[interface]]
name = "two"
device = "ring:local"
address = "10.0.0.2/24"
packets = 4096
END
}

# Prints the user's folder for sockets: the session's, or else one among the temporary files.
local_runtime_folder() {
    local folder=${XDG_RUNTIME_DIR:-}
    # After su and sudo it may be another user's.
    if [[ ! -d $folder || ! -O $folder || ! -w $folder ]]; then
        folder=${TMPDIR:-/tmp}/rddp-$EUID
        mkdir -m 700 -- "$folder" 2>/dev/null || true
        [[ -d $folder && -O $folder && ! -L $folder ]] ||
            fail "no folder for a daemon's socket: $folder is not yours" 'Set XDG_RUNTIME_DIR to a folder of yours.'
    fi
    printf '%s' "$folder"
}

# join_local NAME: joins the users of that daemon, or of one for this process alone if the name is empty; starts it if it does
# not run. Sets LOCAL_FOLDER and, as descriptors, the locks LOCAL_CHANGES, LOCAL_ALIVE and LOCAL_USERS, and LOCAL_LOG.
join_local() {
    local runtime own attempt
    for ((attempt = 0; attempt < 100; attempt++)); do
        runtime=$(local_runtime_folder)
        if [[ -n $1 ]]; then
            own=$runtime/rddp-local-$1
            (umask 077 && mkdir -p -- "$own")
        else
            own=$(mktemp -d -- "$runtime/rddp-local.XXXXXX")
        fi
        LOCAL_FOLDER=$own/daemon
        # A process that has left meanwhile may have removed the folder.
        if { exec {LOCAL_CHANGES}<"$own"; } 2>/dev/null; then
            if flock "$LOCAL_CHANGES" && [[ $own -ef /dev/fd/$LOCAL_CHANGES ]] && use_local_daemon; then
                flock -u "$LOCAL_CHANGES"
                return
            fi
            exec {LOCAL_CHANGES}<&-
        fi
    done
    fail "no daemon can be started in $own"
}

# Takes a user's lock of the daemon in LOCAL_FOLDER, and starts that if there is none. Returns 1 if it has just ended.
use_local_daemon() {
    local starts=
    if mkdir -m 700 -- "$LOCAL_FOLDER" 2>/dev/null; then
        starts=yes
        trap 'rm -rf -- "$(dirname -- "$LOCAL_FOLDER")"' EXIT
        touch -- "$LOCAL_FOLDER"/{users,log}
    fi
    { exec {LOCAL_ALIVE}<"$LOCAL_FOLDER" {LOCAL_USERS}<"$LOCAL_FOLDER/users" {LOCAL_LOG}<"$LOCAL_FOLDER/log"; } 2>/dev/null || return
    if [[ -z $starts ]] && flock -ns "$LOCAL_ALIVE"; then
        # Its keeper was killed, so its files are still here.
        rm -rf -- "$LOCAL_FOLDER"
        exec {LOCAL_ALIVE}<&-
        return 1
    fi
    flock -s "$LOCAL_USERS"
    if [[ -n $starts ]]; then
        start_local_daemon
    else
        [[ $LOCAL_FOLDER/users -ef /dev/fd/$LOCAL_USERS ]]
    fi
}

# Seconds until a start takes long.
LOCAL_PATIENCE=3

# Returns when programs can connect. Says that it waits if that takes long.
start_local_daemon() {
    local line='' part said='' ready status waits=
    local_configuration >"$LOCAL_FOLDER/rddpd.toml"
    find_jdk
    jvm_arguments daemon
    # DPDK keeps its files in RUNTIME_DIRECTORY.
    exec {ready}< <(
        trap - EXIT
        exec {LOCAL_CHANGES}<&- {LOCAL_ALIVE}<&- {LOCAL_USERS}<&- {LOCAL_LOG}<&- 2>"$LOCAL_FOLDER/log"
        RUNTIME_DIRECTORY=$LOCAL_FOLDER exec setsid "$ROOT/bin/setup/keep_daemon" "$LOCAL_FOLDER" \
            "$JAVA_HOME/bin/java" "${JVM_ARGUMENTS[@]}" -cp "$(classpath tools)" "$MAIN_CLASS" \
            daemon --config "$LOCAL_FOLDER/rddpd.toml" --until-eof
    )
    trap - EXIT
    while [[ $line != ready:* ]]; do
        said+=$line$'\n' line=''
        while status=0 && { IFS= read -r -t "$LOCAL_PATIENCE" part <&"$ready" || status=$?; } && line+=$part && ((status > 128)); do
            if [[ -z $waits ]]; then say 'waiting for the daemon of --local to start'; fi
            waits=yes
        done
        if ((status != 0)); then
            # A JVM that cannot start says why on its standard output.
            printf '%s' "$said" >&2
            cat <&"$LOCAL_LOG" >&2
            fail 'the daemon of --local does not start'
        fi
    done
    exec {ready}<&-
}

# Leaves the users of the daemon. If there are no others, returns when nothing is left of it.
leave_local() {
    flock "$LOCAL_CHANGES"
    if [[ ! $LOCAL_FOLDER -ef /dev/fd/$LOCAL_ALIVE ]] || flock -ns "$LOCAL_ALIVE"; then
        say 'the daemon ended before the program:'
        cat <&"$LOCAL_LOG" >&2
    fi
    # If no others use it: no process has a lock, or only its keeper, which is about to end it.
    if flock -n "$LOCAL_USERS" || ! flock -ns "$LOCAL_USERS"; then
        exec {LOCAL_USERS}<&-
        flock -s "$LOCAL_ALIVE"
        # If the keeper was killed, the files are still here; but a folder made since then belongs to others.
        if [[ $LOCAL_FOLDER -ef /dev/fd/$LOCAL_ALIVE ]]; then rm -rf -- "$(dirname -- "$LOCAL_FOLDER")"; fi
    fi
}

# run_locally NAME LIBRARY READY PROGRAM ARGUMENT...: runs the program with the preloaded library as a user of a local daemon, and
# exits with its status. Calls the function READY once there is a daemon. The words in PRELOAD_THROUGH start the program. If this
# process is killed, the program gets SIGTERM.
run_locally() {
    local status=0 program='' early=''
    join_local "$1"
    export RDDP_SOCKET=$LOCAL_FOLDER/rddpd.sock
    "$3"
    trap 'signalled=yes; pass_on TERM' TERM
    trap 'signalled=yes; pass_on HUP' HUP
    # The terminal sends these to all foreground processes, including the program.
    trap 'signalled=yes; in_foreground || pass_on INT' INT
    trap 'signalled=yes; in_foreground || pass_on QUIT' QUIT
    # A process in the background ignores SIGINT and SIGQUIT and has no input, unless told otherwise.
    setpriv --pdeathsig TERM env --default-signal=INT,QUIT LD_PRELOAD="$2${LD_PRELOAD:+:$LD_PRELOAD}" \
        ${PRELOAD_THROUGH[@]+"${PRELOAD_THROUGH[@]}"} "${@:4}" \
        <&0 {LOCAL_CHANGES}<&- {LOCAL_ALIVE}<&- {LOCAL_USERS}<&- {LOCAL_LOG}<&- &
    program=$!
    if [[ -n $early ]]; then pass_on "$early"; fi
    await_child "$program" || status=$?
    trap - TERM HUP INT QUIT
    leave_local
    case $status in
        132 | 134 | 135 | 136 | 137 | 139) say "$4 was ended by SIG$(kill -l "$status")" ;;
    esac
    exit "$status"
}

# pass_on SIGNAL: sends it to the program, or once that is started.
pass_on() {
    early=$1
    if [[ -n $program ]]; then kill -"$1" "$program" 2>/dev/null || true; fi
}

# Whether this process is in the foreground of its terminal.
in_foreground() {
    local line fields
    line=$(</proc/$$/stat)
    read -ra fields <<<"${line##*) }"
    ((fields[2] == fields[5]))
}
