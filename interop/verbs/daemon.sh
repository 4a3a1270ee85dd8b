# shellcheck shell=bash
# For scripts that run programs: a network namespace, daemons and their configuration, times and output. Source bin/setup's jdk, build
# and launch first.

# For a daemon's start, in seconds.
readonly DAEMON_STARTS=90

daemons=()

# make_namespace NAME ADDRESS/PREFIX...: a network namespace with a veth link that has the addresses.
make_namespace() {
    local name=$1 address options
    shift
    ip netns add "$name" &&
        ip -n "$name" link set lo up &&
        ip -n "$name" link add near type veth peer name far || return
    for address in "$@"; do
        options=()
        if [[ $address == *:* ]]; then options=(nodad); fi
        ip -n "$name" address add "$address" dev near "${options[@]}" || return
    done
    ip -n "$name" link set near up && ip -n "$name" link set far up
}

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

# since EPOCHREALTIME: prints the seconds since then, with a tenth.
since() {
    local tenths=$(((${EPOCHREALTIME/[.,]/} - ${1/[.,]/}) / 100000))
    echo "$((tenths / 10)).$((tenths % 10))"
}

# keep_logs NAME FILE...: writes what programs have printed into a file of that name in LOGS, and prints its end.
keep_logs() {
    local name=${1//[^a-zA-Z0-9.]/_} file
    name=$LOGS/${name:0:100}.log
    shift
    for file in "$@"; do
        [[ -f $file ]] || continue
        printf -- '---- %s\n' "${file##*/}"
        cat "$file"
    done >"$name"
    tail -n 12 "$name" | sed 's/^/    /'
    echo "    all of it: $name"
}
