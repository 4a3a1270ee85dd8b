# shellcheck shell=bash
# Starts the Java side with the flags that every JVM of rddp needs.

readonly MAIN_CLASS=org.rddp.cli.Main
readonly BENCH_CLASS=org.rddp.bench.Benchmarks
# The shim over DPDK, where the build of the module native leaves it.
readonly SHIM=$ROOT/native/target/librddp_dpdk.so
# The Vector API, by which CRC32c is quicker on CPUs that have AVX-512.
readonly VECTOR_MODULE=jdk.incubator.vector
# Where the kernel says whether it gives large pages to those who ask.
TRANSPARENT_HUGEPAGES=/sys/kernel/mm/transparent_hugepage/enabled

# Whether a heap can have large pages; a JVM that asks in vain says so on its standard output.
has_transparent_hugepages() {
    [[ -r $TRANSPARENT_HUGEPAGES && $(<"$TRANSPARENT_HUGEPAGES") != *'[never]'* ]]
}

# jvm_arguments [COMMAND]: sets JVM_ARGUMENTS: native calls, Agrona's way to memory, CRC32c's intrinsic, the shim, and
# CRC32c's vectors for a command that runs the engine (the JVM prints a warning about them at each start).
jvm_arguments() {
    JVM_ARGUMENTS=(
        --enable-native-access=ALL-UNNAMED
        --add-opens java.base/jdk.internal.misc=ALL-UNNAMED
        --add-opens java.base/java.util.zip=ALL-UNNAMED
        -Drddp.native="$SHIM"
    )
    if (($(java_feature "$JAVA_HOME") >= 23)); then
        JVM_ARGUMENTS+=(--sun-misc-unsafe-memory-access=allow)
    fi
    if [[ ' bench daemon demo ' == *" ${1:-} "* ]] && has_module "$JAVA_HOME" "$VECTOR_MODULE"; then
        # Vectors are loaded from all of memory: looking each time whether a load keeps to that takes as long as the load.
        JVM_ARGUMENTS+=(--add-modules "$VECTOR_MODULE" "-D$VECTOR_MODULE.VECTOR_ACCESS_OOB_CHECK=0")
    fi
    # Many connections lie far apart in the heap: with small pages, where each lies has to be looked up in memory, too.
    if [[ ' bench daemon ' == *" ${1:-} "* ]] && has_transparent_hugepages; then
        JVM_ARGUMENTS+=(-XX:+UseTransparentHugePages)
    fi
    # What a message takes is as much a matter of how the engine is compiled: see the file, and docs/performance.md. The engine
    # allocates nothing, so what tells collectors apart is their code at each store of a reference, and this one's is the least.
    if [[ ' bench daemon demo ' == *" ${1:-} "* ]]; then
        JVM_ARGUMENTS+=(-XX:CompileCommandFile="$ROOT/bin/setup/hotspot.txt")
        [[ ${RDDP_JVM_FLAGS:-} == *-XX:+Use*GC* ]] || JVM_ARGUMENTS+=(-XX:+UseSerialGC)
    fi
    # Flags of the user's own: a heap size, a debugger.
    if [[ -n ${RDDP_JVM_FLAGS:-} ]]; then
        local own
        read -ra own <<<"$RDDP_JVM_FLAGS"
        JVM_ARGUMENTS+=("${own[@]}")
    fi
}

# classpath MODULE: its classes and everything that they need.
classpath() {
    printf '%s/%s/target/classes:%s' "$ROOT" "$1" "$(<"$ROOT/$1/target/classpath")"
}

# Becomes the Java command line.
launch() {
    jvm_arguments "${1:-}"
    become_java "$@"
}

# The same for a command that only says something: it runs no engine, so the JVM has no vectors to warn about.
launch_to_say() {
    jvm_arguments
    become_java "$@"
}

become_java() {
    exec "$JAVA_HOME/bin/java" "${JVM_ARGUMENTS[@]}" -cp "$(classpath tools)" "$MAIN_CLASS" "$@"
}

# Runs it and puts hugepages back afterwards, whatever ends it.
launch_and_restore() {
    jvm_arguments "$1"
    java_and_restore "$(classpath tools)" "$MAIN_CLASS" "$@"
}

# Becomes the daemon, or waits for it where hugepages were reserved that go back if it fails.
launch_daemon() {
    has_added_hugepages || launch "$@"
    launch_and_restore "$@"
}

# java_and_restore CLASSPATH CLASS ARGUMENT...
java_and_restore() {
    local status=0 java interrupted=
    trap clean_up EXIT
    "$JAVA_HOME/bin/java" "${JVM_ARGUMENTS[@]}" -cp "$@" <&0 &
    java=$!
    # A process in the background does not hear Ctrl-C: it hears TERM instead, and we wait for it to clean up.
    trap 'interrupted=yes; kill -TERM "$java" 2>/dev/null || true' INT
    trap 'kill -TERM "$java" 2>/dev/null || true' TERM HUP
    wait "$java" || status=$?
    while kill -0 "$java" 2>/dev/null; do
        status=0
        wait "$java" || status=$?
    done
    # As a shell says that Ctrl-C has ended a command; what has ended well on being told to is not ended by it.
    if [[ -n $interrupted ]] && ((status != 0)); then status=130; fi
    exit "$status"
}

# Where the JVMs of benchmarks have their temporary files; those that are killed leave them to us.
SCRATCH=

clean_up() {
    restore_hugepages_after $?
    if [[ -n $SCRATCH ]]; then rm -rf -- "$SCRATCH"; fi
}

# The words of 'bench --help': they are there before anything is built. A test holds them beside the command itself.
readonly BENCH_USAGE=$ROOT/bin/setup/bench-usage.txt

# require_benchmark [NAME]: says which there are, and ends, where there is none of that name.
require_benchmark() {
    local names
    [[ ${1:--} != -* ]] || return 0
    mapfile -t names < <(sed -nE '/^Commands:/,$ s/^  ([a-z]+) .*/\1/p' "$BENCH_USAGE")
    if [[ " ${names[*]} " != *" $1 "* ]]; then
        say "error: no benchmark is called '$1'. There are: ${names[*]}"
        exit 2
    fi
}

# Becomes what says how benchmarks are called, by the classes that there are, be they older than their sources.
launch_benchmarks_to_say() {
    jvm_arguments
    exec "$JAVA_HOME/bin/java" "${JVM_ARGUMENTS[@]}" -cp "$(classpath bench)" "$BENCH_CLASS" "$@"
}

# One benchmark of the module bench, all of them, or JMH over its classes; the JVMs that they fork get the same flags.
launch_benchmarks() {
    jvm_arguments bench
    SCRATCH=$(mktemp -d "${TMPDIR:-/tmp}/rddp-bench.XXXXXX")
    JVM_ARGUMENTS+=(-Drddp.home="$ROOT" -Djava.io.tmpdir="$SCRATCH")
    java_and_restore "$(classpath bench)" "$BENCH_CLASS" "$@"
}
