# shellcheck shell=bash
# Starts the Java side with the flags that every JVM of rddp needs.

readonly MAIN_CLASS=org.rddp.cli.Main
readonly LAB_CLASS=org.rddp.lab.Lab
readonly BENCH_CLASS=org.rddp.bench.Benchmarks
# The shim over DPDK, where the build of the module native leaves it.
SHIM=$ROOT/native/target/librddp_dpdk.so
# The Vector API: CRC32c is quicker with it on CPUs with AVX-512.
readonly VECTOR_MODULE=jdk.incubator.vector
# Runtimes from this one on keep profiles of methods in a cache (JEP 514 and 515).
readonly PROFILES_SINCE=25
# The kernel's setting of large pages for processes that ask for them.
TRANSPARENT_HUGEPAGES=/sys/kernel/mm/transparent_hugepage/enabled

# jars_in FOLDER: prints a class path of its jars, always in the same order, which archived classes need.
jars_in() {
    local LC_ALL=C IFS=: jars=("$1"/*.jar)
    printf '%s' "${jars[*]}"
}

# Whether a heap can have large pages; a JVM that asks without success prints a warning to its standard output.
has_transparent_hugepages() {
    [[ -r $TRANSPARENT_HUGEPAGES && $(<"$TRANSPARENT_HUGEPAGES") != *'[never]'* ]]
}

# jvm_arguments [COMMAND]: sets JVM_ARGUMENTS: native calls, Agrona's memory access, CRC32c's intrinsic, the shim, and
# CRC32c's vectors for a command that runs the engine. The process loads their module itself (org.rddp.wire.VectorModule),
# since with --add-modules the JVM prints a warning at each start.
jvm_arguments() {
    JVM_ARGUMENTS=(
        --enable-native-access=ALL-UNNAMED
        --add-opens java.base/jdk.internal.misc=ALL-UNNAMED
        --add-opens java.base/java.util.zip=ALL-UNNAMED
        -Drddp.native="$SHIM"
    )
    if is_installed; then
        JVM_ARGUMENTS+=(-Drddp.installed=true)
        add_archive "$ROOT/lib" "${1:-}"
    fi
    if (($(java_feature "$JAVA_HOME") >= 23)); then
        JVM_ARGUMENTS+=(--sun-misc-unsafe-memory-access=allow)
    fi
    if [[ ' bench daemon demo soak ' == *" ${1:-} "* ]] && has_module "$JAVA_HOME" "$VECTOR_MODULE"; then
        # Vectors are loaded from a segment of all memory: a bounds check takes as long as the load.
        JVM_ARGUMENTS+=(--add-exports java.base/jdk.internal.module=ALL-UNNAMED "-D$VECTOR_MODULE.VECTOR_ACCESS_OOB_CHECK=0")
    fi
    # Many connections lie far apart in the heap: with small pages, access to them misses the TLB, too.
    if [[ ' bench daemon ' == *" ${1:-} "* ]] && has_transparent_hugepages; then
        JVM_ARGUMENTS+=(-XX:+UseTransparentHugePages)
    fi
    # hotspot.txt: the engine's compilation decides the time of a message (docs/performance-tried.md). The engine allocates nothing,
    # so collectors differ only in the barrier at each store of a reference; the serial collector's is the shortest.
    if [[ ' bench daemon demo soak ' == *" ${1:-} "* ]]; then
        JVM_ARGUMENTS+=(-XX:CompileCommandFile="$ROOT/bin/setup/hotspot.txt")
        [[ ${RDDP_JVM_FLAGS:-} == *-XX:+Use*GC* ]] || JVM_ARGUMENTS+=(-XX:+UseSerialGC)
        # Classes that are loaded before this are no reason to collect the whole heap, which takes some 100 ms.
        JVM_ARGUMENTS+=(-XX:MetaspaceSize=96m)
        # A heap of 2 GiB lies below 4 GiB, where HotSpot decodes references without a shift: 5 % of the time of a single message.
        # RDDP_JVM_FLAGS=-Xmx... overrides it.
        JVM_ARGUMENTS+=(-Xmx2g)
    fi
    # The default depends on the machine's memory: with much memory, 100 MiB of new objects become resident at the start.
    if [[ ${1:-} == daemon ]]; then JVM_ARGUMENTS+=(-Xmn32m); fi
    # The user's flags: a heap size, a debugger.
    if [[ -n ${RDDP_JVM_FLAGS:-} ]]; then
        local own
        read -ra own <<<"$RDDP_JVM_FLAGS"
        JVM_ARGUMENTS+=("${own[@]}")
    fi
}

# add_archive LIB COMMAND: adds what bin/setup/archive has made in a folder of jars to JVM_ARGUMENTS: for the daemon a cache with
# profiles, if there is one, or else classes. If it is of another runtime or for other flags, HotSpot would say that it does not fit, and goes on without.
add_archive() {
    local feature
    feature=$(java_feature "$JAVA_HOME")
    if [[ $2 == daemon ]] && ((feature >= PROFILES_SINCE)) && is_ours "$1/rddp.aot"; then
        JVM_ARGUMENTS+=(-XX:AOTCache="$1/rddp.aot" -Xlog:cds=off -Xlog:aot=off)
    elif is_ours "$1/rddp.jsa"; then
        JVM_ARGUMENTS+=(-XX:SharedArchiveFile="$1/rddp.jsa" -Xlog:cds=off)
        if ((feature >= 24)); then JVM_ARGUMENTS+=(-Xlog:aot=off); fi
    fi
}

# is_ours FILE: whether it can be read, and only this user and root can write it or put another in its place: what is in it runs.
is_ours() {
    local each owner mode
    [[ -r $1 ]] || return
    for each in "$1" "$(dirname -- "$1")"; do
        read -r owner mode < <(stat -c '%u %a' -- "$each" 2>/dev/null) || return 1
        ((owner == 0 || owner == EUID)) && ((!(8#$mode & 8#22))) || return 1
    done
}

# DPDK makes a folder in $RUNTIME_DIRECTORY of a service; otherwise for root in /run, which root of a user namespace may not
# write, and for others in $XDG_RUNTIME_DIR of a session, or in a folder of /tmp that belongs to the first user who has run it.
# Where that would fail, makes a folder for this user.
RUN_OF_ROOT=/run
give_runtime_folder() {
    local folder=${XDG_RUNTIME_DIR:-}
    if [[ -n ${RUNTIME_DIRECTORY:-} ]]; then return; fi
    if is_root && [[ -w $RUN_OF_ROOT ]]; then return; fi
    if [[ -z $folder ]]; then
        folder=${TMPDIR:-/tmp}/rddp-$EUID
        mkdir -m 700 -- "$folder" 2>/dev/null || true
    fi
    if [[ -d $folder && -O $folder && ! -L $folder ]]; then
        if is_root; then export RUNTIME_DIRECTORY=$folder; else export XDG_RUNTIME_DIR=$folder; fi
    fi
}

# Replaces this process by the Java command line.
launch() {
    jvm_arguments "${1:-}"
    give_runtime_folder
    become_java "$@"
}

# For help: no engine runs, so the JVM gets no vector module.
launch_without_engine() {
    jvm_arguments
    become_java "$@"
}

become_java() {
    exec "$JAVA_HOME/bin/java" "${JVM_ARGUMENTS[@]}" -cp "$(classpath tools)" "$MAIN_CLASS" "$@"
}

# Replaces this process by a command of the module lab.
launch_lab() {
    jvm_arguments "$1"
    exec "$JAVA_HOME/bin/java" "${JVM_ARGUMENTS[@]}" -cp "$(classpath lab)" "$LAB_CLASS" "$@"
}

# Runs the soak, and then returns hugepages, however it ends.
launch_soak() {
    jvm_arguments soak
    give_runtime_folder
    java_and_restore "$(classpath lab)" "$LAB_CLASS" "$@"
}

# Runs the command line, and then returns hugepages, however it ends.
launch_and_restore() {
    jvm_arguments "$1"
    give_runtime_folder
    java_and_restore "$(classpath tools)" "$MAIN_CLASS" "$@"
}

# Replaces this process by the daemon, or waits for the daemon if hugepages were reserved that have to be returned when it fails.
launch_daemon() {
    has_added_hugepages || launch "$@"
    launch_and_restore "$@"
}

# await_child PID: waits until it has ended, and returns its status. A trap sets signalled=yes: a signal ends bash's wait, with a
# status of the signal's.
await_child() {
    local status='' waited
    signalled=
    while [[ -z $status || -n $signalled ]]; do
        signalled='' waited=0
        # bash would say which line of this file was killed.
        wait "$1" 2>/dev/null || waited=$?
        # 127: the status has been told before.
        if [[ -z $status || $waited != 127 ]]; then status=$waited; fi
    done
    return "$status"
}

# java_and_restore CLASSPATH CLASS ARGUMENT...
java_and_restore() {
    local status=0 java interrupted=
    trap clean_up EXIT
    "$JAVA_HOME/bin/java" "${JVM_ARGUMENTS[@]}" -cp "$@" <&0 &
    java=$!
    # A process in the background gets no SIGINT from Ctrl-C: send it SIGTERM, and wait until it has cleaned up.
    trap 'signalled=yes interrupted=yes; kill -TERM "$java" 2>/dev/null || true' INT
    trap 'signalled=yes; kill -TERM "$java" 2>/dev/null || true' TERM
    # The daemon reads its configuration again, other commands end.
    trap 'signalled=yes; kill -HUP "$java" 2>/dev/null || true' HUP
    await_child "$java" || status=$?
    # Shells report 130 for a command that Ctrl-C has ended; one that ends with 0 on SIGTERM keeps its 0.
    if [[ -n $interrupted ]] && ((status != 0)); then status=130; fi
    exit "$status"
}

# The folder for temporary files of the benchmarks' JVMs; removed here, since JVMs that are killed leave their files.
SCRATCH=

clean_up() {
    restore_hugepages_after $?
    if [[ -n $SCRATCH ]]; then rm -rf -- "$SCRATCH"; fi
}

# The text of 'bench --help', which needs no build. A test compares it with the command's own.
readonly BENCH_USAGE=$ROOT/bin/setup/bench-usage.txt

# require_benchmark [NAME]: if no benchmark has that name, lists their names and exits.
require_benchmark() {
    local names
    [[ ${1:--} != -* ]] || return 0
    mapfile -t names < <(sed -nE '/^Commands:/,$ s/^  ([a-z]+) .*/\1/p' "$BENCH_USAGE")
    if [[ " ${names[*]} " != *" $1 "* ]]; then
        say "error: no benchmark is called '$1'. Names: ${names[*]}"
        exit 2
    fi
}

# Replaces this process by the help of a benchmark, with the classes of the last build, even if sources have changed since.
launch_benchmark_help() {
    jvm_arguments
    exec "$JAVA_HOME/bin/java" "${JVM_ARGUMENTS[@]}" -cp "$(classpath bench)" "$BENCH_CLASS" "$@"
}

# Runs one benchmark of the module bench, all of them, or JMH on its classes; the JVMs that they fork get the same flags.
launch_benchmarks() {
    jvm_arguments bench
    SCRATCH=$(mktemp -d "${TMPDIR:-/tmp}/rddp-bench.XXXXXX")
    JVM_ARGUMENTS+=(-Drddp.home="$ROOT" -Djava.io.tmpdir="$SCRATCH")
    java_and_restore "$(classpath bench)" "$BENCH_CLASS" "$@"
}
