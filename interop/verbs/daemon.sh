# shellcheck shell=bash
# Daemons for the scripts here, and their configuration. Source bin/setup's jdk, build and launch first.

# For a daemon's start, in seconds.
readonly DAEMON_STARTS=90

daemons=()

# daemon_settings SOCKET HUGEPAGES: the part of a configuration that is not an interface.
daemon_settings() {
    cat <<TOML
[control]
socket = "$1"
[dpdk]
hugepages = $2
memory = "256MiB"
TOML
}

# interface NAME DEVICE IPV4-ADDRESS [IPV6-ADDRESS]
interface() {
    local ipv6=${4:+", \"$4/64\""}
    cat <<TOML

[[interface]]
name = "$1"
device = "$2"
address = ["$3/24"$ipv6]
TOML
}

# start_daemon CONFIGURATION LOG [PREFIX]...: starts one, by a command that begins with PREFIX, and waits until it is ready.
start_daemon() {
    local configuration=$1 log=$2 process deadline=$((SECONDS + DAEMON_STARTS))
    shift 2
    jvm_arguments daemon
    # A log of the same name of an earlier daemon says that it was ready.
    : >"$log"
    "$@" "$JAVA_HOME/bin/java" "${JVM_ARGUMENTS[@]}" -cp "$(classpath tools)" "$MAIN_CLASS" \
        daemon --config "$configuration" >"$log" 2>&1 &
    process=$!
    daemons+=("$process")
    until grep -qs '^ready:' "$log"; do
        if ! kill -0 "$process" 2>/dev/null || ((SECONDS > deadline)); then
            tail -n 30 "$log"
            return 1
        fi
        sleep 0.1
    done
}

stop_daemons() {
    ((${#daemons[@]} > 0)) || return 0
    kill "${daemons[@]}" 2>/dev/null
    wait "${daemons[@]}" 2>/dev/null
    daemons=()
}
