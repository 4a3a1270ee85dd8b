# shellcheck shell=bash
# The JVM's flags: what is not a command of bin/rddp gets those that every JVM needs.

# shellcheck source=bin/setup/launch.sh
source "$ROOT/bin/setup/launch.sh"

# flags_of [COMMAND]: what jvm_arguments comes to, one a line.
flags_of() (
    set -u
    java_feature() { echo 25; }
    has_module() { true; }
    JAVA_HOME=/nowhere
    jvm_arguments "$@"
    printf '%s\n' "${JVM_ARGUMENTS[@]}"
)

# shellcheck disable=SC2317
has() { grep -q -x -e "$1" <(flags_of "${@:2}"); }
# shellcheck disable=SC2317
lacks() { ! has "$@"; }

check 'gives flags to a JVM that no command starts' has '--enable-native-access=ALL-UNNAMED'
check 'gives the engine vectors for its CRC' has "$VECTOR_MODULE" daemon
check 'spares vectors a look at bounds that are not there' has "-D$VECTOR_MODULE.VECTOR_ACCESS_OOB_CHECK=0" daemon
check 'gives others none' lacks "$VECTOR_MODULE" status

# What a JVM is started with by a function and its arguments, one a line.
# shellcheck disable=SC2317
java_of() (
    java_feature() { echo 25; }
    has_module() { true; }
    classpath() { echo "$1"; }
    JAVA_HOME=$WORK/jdk
    mkdir -p "$JAVA_HOME/bin"
    printf '#!/bin/sh\nprintf "%%s\\n" "$@"\n' >"$JAVA_HOME/bin/java"
    chmod +x "$JAVA_HOME/bin/java"
    "$@"
)
# shellcheck disable=SC2317
starts_with() { grep -q -x -e "$1" <(java_of "${@:2}"); }
# shellcheck disable=SC2317
starts_without() { ! starts_with "$@"; }

check 'starts the daemon with vectors' starts_with "$VECTOR_MODULE" launch daemon
check 'has the daemon say something without' starts_without "$VECTOR_MODULE" launch_to_say daemon --help
check 'has the daemon say what it is asked' starts_with --help launch_to_say daemon --help

# shellcheck disable=SC2317
with_pages() {
    TRANSPARENT_HUGEPAGES=$WORK/enabled
    printf '%s\n' "$1" >"$TRANSPARENT_HUGEPAGES"
    "${@:2}"
}
# shellcheck disable=SC2317
lacks_without_file() {
    TRANSPARENT_HUGEPAGES=$WORK/nowhere
    lacks "$LARGE_PAGES" daemon
}
readonly LARGE_PAGES=-XX:+UseTransparentHugePages

check 'asks for large pages where there are some' with_pages 'always [madvise] never' has "$LARGE_PAGES" daemon
check 'asks for none in vain' with_pages 'always madvise [never]' lacks "$LARGE_PAGES" daemon
check 'asks for none where the kernel knows of none' lacks_without_file
check 'asks for none for short commands' with_pages '[always] madvise never' lacks "$LARGE_PAGES" status

# shellcheck disable=SC2317
with_collector() {
    RDDP_JVM_FLAGS=-XX:+UseZGC
    "$@"
}

# Every method that the compiler is told of is in its source file.
# shellcheck disable=SC2317
names_methods() {
    local word class method file
    while read -r word class; do
        [[ $word == dontinline ]] || continue
        method=${class#*::}
        class=${class%::*}
        file=$(find "$ROOT" -path "*/src/main/java/${class//.//}.java" -print -quit)
        if [[ -z $file ]] || ! grep -q " $method(" "$file"; then
            echo "no $class::$method"
            return 1
        fi
    done <"$ROOT/bin/setup/hotspot.txt"
}

check 'gives the engine the collector with the least code' has -XX:+UseSerialGC daemon
check 'leaves a collector that the user names' with_collector lacks -XX:+UseSerialGC daemon
check 'tells the compiler where layers end' has "-XX:CompileCommandFile=$ROOT/bin/setup/hotspot.txt" daemon
check 'compiles short commands as ever' lacks -XX:+UseSerialGC status
check 'tells of methods that there are' names_methods

# ended_by SIGNAL STATUS: what a JVM that ends with that status when it is told to ends with when Ctrl-C or TERM comes; a shell
# in the background would ignore Ctrl-C.
# shellcheck disable=SC2317
ended_by() {
    local jvm=$WORK/slow status=0
    mkdir -p "$jvm/bin"
    # shellcheck disable=SC2016
    printf '#!/bin/sh\ntrap "exit %s" TERM\necho started >%s/started\nwhile :; do sleep 0.1; done\n' "$2" "$jvm" >"$jvm/bin/java"
    chmod +x "$jvm/bin/java"
    rm -f "$jvm/started" "$jvm/cleaned"
    ROOT=$ROOT JAVA_HOME=$jvm env --default-signal=INT bash -c '
        source "$ROOT/bin/setup/launch.sh"
        clean_up() { echo cleaned >"$JAVA_HOME/cleaned"; }
        JVM_ARGUMENTS=()
        java_and_restore nowhere Some' &
    local shell=$!
    while [[ ! -s $jvm/started ]]; do sleep 0.1; done
    kill -s "$1" "$shell"
    wait "$shell" || status=$?
    [[ -s $jvm/cleaned ]] && echo "$status"
}

check 'ends as a shell does by Ctrl-C' equal 130 "$(ended_by INT 143)"
check 'ends as a shell does by TERM' equal 143 "$(ended_by TERM 143)"
check 'has ended well when what it runs has by Ctrl-C' equal 0 "$(ended_by INT 0)"

# shellcheck disable=SC2317
refused() {
    say() { echo "$*"; }
    (require_benchmark "$@") && echo 'fine'
    return 0
}

check 'knows benchmarks by their names' equal fine "$(refused rtt --quick)"
check 'knows those that are not in the document' equal fine "$(refused jmh Turn)"
check 'takes none for all' equal fine "$(refused)"
check 'takes options for all' equal fine "$(refused --quick)"
check 'says which benchmarks there are' grep -q 'no benchmark is called .nosuch.. There are: rtt goodput .* jmh$' <(refused nosuch)
check 'says how benchmarks are called without a build' grep -q -e '--seconds' <("$ROOT/bin/rddp" bench --help)
