# shellcheck shell=bash
# The JVM's flags, and how JVMs are started and ended.

# shellcheck source=bin/setup/say.sh
source "$ROOT/bin/setup/say.sh"
# shellcheck source=bin/setup/launch.sh
source "$ROOT/bin/setup/launch.sh"

# flags_of [COMMAND]: the result of jvm_arguments, one per line.
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

check 'gives the common flags to a JVM without a command' has '--enable-native-access=ALL-UNNAMED'
readonly MODULE_LOADER=java.base/jdk.internal.module=ALL-UNNAMED
check 'lets the engine load the vector module' has "$MODULE_LOADER" daemon
check 'turns off the bounds checks of vectors' has "-D$VECTOR_MODULE.VECTOR_ACCESS_OOB_CHECK=0" daemon
check 'gives other commands no vector module' lacks "$MODULE_LOADER" status

# The arguments with which a function starts the JVM, one per line.
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

check 'starts the daemon with vectors' starts_with "$MODULE_LOADER" launch daemon
check 'prints help of the daemon without vectors' starts_without "$MODULE_LOADER" launch_without_engine daemon --help
check 'passes --help to the daemon' starts_with --help launch_without_engine daemon --help

# command_starts FILE ARGUMENT...: how the commands of a file start the JVM: bin/rddp in a source tree, installed.sh in a copy.
# shellcheck disable=SC2317,SC1090
command_starts() (
    source <(sed -n '/^has_option() {/,/^}/p' "$ROOT/bin/rddp")
    source <(sed -n '/^main() {/,/^}/p' "$1")
    set_up() { :; }
    find_jdk() { :; }
    reserve_hugepages_for() { echo 'reserves hugepages'; }
    launch() { echo launch && exit; }
    launch_daemon() { echo launch_daemon && exit; }
    launch_without_engine() { echo launch_without_engine && exit; }
    main "${@:2}"
)
for commands in bin/rddp bin/setup/installed.sh; do
    check "starts a check of the daemon's configuration as the daemon, since it may open devices ($commands)" \
        equal launch "$(command_starts "$ROOT/$commands" daemon --config c.toml --check --devices)"
    check "prints help without the engine ($commands)" \
        equal launch_without_engine "$(command_starts "$ROOT/$commands" daemon --help)"
done

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

check 'asks for large pages where the kernel has them' with_pages 'always [madvise] never' has "$LARGE_PAGES" daemon
check 'asks for none where the kernel refuses' with_pages 'always madvise [never]' lacks "$LARGE_PAGES" daemon
check 'asks for none where the kernel has no setting' lacks_without_file
check 'asks for none for short commands' with_pages '[always] madvise never' lacks "$LARGE_PAGES" status

# shellcheck disable=SC2317
with_collector() {
    RDDP_JVM_FLAGS=-XX:+UseZGC
    "$@"
}

# An installed copy with what bin/setup/archive makes.
INSTALLED=$WORK/installed
mkdir -p "$INSTALLED/lib"
chmod 755 "$INSTALLED/lib"
touch "$INSTALLED/lib/rddp.jsa" "$INSTALLED/lib/rddp.aot"
chmod 644 "$INSTALLED/lib"/rddp.*

# archives_of FEATURE COMMAND: the archives that an installed command maps with that runtime.
# shellcheck disable=SC2317
archives_of() (
    java_feature() { echo "$runtime"; }
    runtime=$1 JAVA_HOME=/nowhere JVM_ARGUMENTS=()
    add_archive "$INSTALLED/lib" "$2"
    printf '%s\n' "${JVM_ARGUMENTS[@]}" | sed -nE 's/^-XX:(AOTCache|SharedArchiveFile)=.*\/(.*)/\2/p'
)

check 'gives the daemon profiles' equal rddp.aot "$(archives_of 25 daemon)"
check 'gives other commands archived classes' equal rddp.jsa "$(archives_of 25 list)"
check 'gives runtimes without profiles archived classes' equal rddp.jsa "$(archives_of 24 daemon)"
chmod 664 "$INSTALLED/lib/rddp.aot"
check 'takes no profiles that others may write' equal rddp.jsa "$(archives_of 25 daemon)"
chmod 777 "$INSTALLED/lib"
check 'takes no archive from a folder that others may write' equal '' "$(archives_of 25 daemon)"
ln -s "$INSTALLED/lib/rddp.jsa" "$WORK/rddp.jsa"
# shellcheck disable=SC2317
refuses() { ! is_ours "$1"; }
check 'takes no link to an archive' refuses "$WORK/rddp.jsa"

# Every method in hotspot.txt exists in its source file.
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

check 'gives the engine the serial collector' has -XX:+UseSerialGC daemon
check 'limits the heap of the engine to what needs no shift' has -Xmx2g daemon
check 'gives short commands the default heap' lacks -Xmx2g status
# shellcheck disable=SC2317
puts_heap_of_the_user_last() {
    local RDDP_JVM_FLAGS=-Xmx6g
    [[ $(flags_of daemon) == *$'\n-Xmx2g\n'*-Xmx6g* ]]
}
check 'lets the user name another heap' puts_heap_of_the_user_last
check 'keeps a collector that the user names' with_collector lacks -XX:+UseSerialGC daemon
check 'gives the compiler the layer boundaries' has "-XX:CompileCommandFile=$ROOT/bin/setup/hotspot.txt" daemon
check 'gives short commands the default collector' lacks -XX:+UseSerialGC status
check 'names methods that exist in hotspot.txt' names_methods

# runtime_folder IS_ROOT: prints the variables that name the folder of a user without a session, who is root of a user namespace or not.
# shellcheck disable=SC2317,SC2034
runtime_folder() (
    eval "is_root() { $1; }"
    unset XDG_RUNTIME_DIR RUNTIME_DIRECTORY
    RUN_OF_ROOT=$WORK/none
    give_runtime_folder
    echo "${XDG_RUNTIME_DIR:-none} ${RUNTIME_DIRECTORY:-none}"
)

export TMPDIR=$WORK/temporary
mkdir -p "$TMPDIR"
check "gives a user without a session a folder for DPDK's files" equal "$TMPDIR/rddp-$EUID none" "$(runtime_folder false)"
check "gives root of a user namespace, who may not write to /run, a folder for DPDK's files" \
    equal "none $TMPDIR/rddp-$EUID" "$(runtime_folder true)"
rmdir "$TMPDIR/rddp-$EUID"
ln -s "$WORK" "$TMPDIR/rddp-$EUID"
check 'takes no folder that another user may have put there' equal "none none" "$(runtime_folder false)"
unset TMPDIR

# ended_by SIGNAL STATUS: the status of the launcher when it gets that signal and its JVM ends with STATUS on SIGTERM. A shell
# in the background would ignore SIGINT.
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

check 'ends with 130 after Ctrl-C' equal 130 "$(ended_by INT 143)"
check 'ends with 143 after SIGTERM' equal 143 "$(ended_by TERM 143)"
check 'ends with 0 after Ctrl-C if its JVM does' equal 0 "$(ended_by INT 0)"

# shellcheck disable=SC2317
refused() {
    say() { echo "$*"; }
    (require_benchmark "$@") && echo 'fine'
    return 0
}

check 'accepts the name of a benchmark' equal fine "$(refused rtt --quick)"
check 'accepts benchmarks that are not in the document' equal fine "$(refused jmh Turn)"
check 'accepts no name, for all benchmarks' equal fine "$(refused)"
check 'accepts options for all benchmarks' equal fine "$(refused --quick)"
check 'lists the benchmarks after a wrong name' grep -q 'no benchmark is called .nosuch.. Names: rtt waiting neighbours goodput .* jmh$' <(refused nosuch)
check 'prints the help of bench without a build' grep -q -e '--seconds' <("$ROOT/bin/rddp" bench --help)

# documents_in ROOT: what documents prints for a copy there.
documents_in() (
    # shellcheck disable=SC2030
    ROOT=$1
    documents
)

check_documents() {
    mkdir -p "$WORK/tarball/doc" "$WORK/package"
    [[ $(documents_in "$ROOT") == docs && $(documents_in "$WORK/package") == /usr/share/doc/rddp/docs ]] &&
        [[ $(documents_in "$WORK/tarball") == "$WORK/tarball/doc/docs" ]]
}

check 'names the folder of the documents: of sources, a package and a tarball' check_documents
