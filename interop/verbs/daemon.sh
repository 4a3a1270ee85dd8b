# shellcheck shell=bash
# A daemon for the scripts here, and its configuration. Whoever sources this has sourced bin/setup's jdk, build and launch.

# Of its start, in seconds.
readonly DAEMON_STARTS=90

daemon=''

# daemon_settings FOLDER HUGEPAGES: the part of a configuration that is not an interface. The socket is FOLDER/rddpd.sock.
daemon_settings() {
    cat <<TOML
[control]
socket = "$1/rddpd.sock"
[dpdk]
hugepages = $2
memory = "256MiB"
TOML
}

# interface NAME DEVICE ADDRESS
interface() {
    cat <<TOML

[[interface]]
name = "$1"
device = "$2"
address = "$3/24"
TOML
}

# start_daemon FOLDER [PREFIX]...: starts one with FOLDER/daemon.toml, by a command that begins with PREFIX, and waits until it
# is ready. What it prints is in FOLDER/daemon.log.
start_daemon() {
    local folder=$1 deadline=$((SECONDS + DAEMON_STARTS))
    shift
    jvm_arguments daemon
    "$@" "$JAVA_HOME/bin/java" "${JVM_ARGUMENTS[@]}" -cp "$(classpath tools)" "$MAIN_CLASS" \
        daemon --config "$folder/daemon.toml" >"$folder/daemon.log" 2>&1 &
    daemon=$!
    until grep -qs '^ready:' "$folder/daemon.log"; do
        if ! kill -0 "$daemon" 2>/dev/null || ((SECONDS > deadline)); then
            tail -n 30 "$folder/daemon.log"
            return 1
        fi
        sleep 0.1
    done
}

stop_daemon() {
    if [[ -n $daemon ]]; then
        kill "$daemon" 2>/dev/null
        wait "$daemon" 2>/dev/null
        daemon=''
    fi
}
