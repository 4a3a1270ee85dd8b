# shellcheck shell=bash
# Builds with Maven when the sources are not those of the last build.

readonly STATE=$ROOT/.rddp
readonly MODULES=(conformance native ffm-bindings tcp-lite mpa-engine ddp-engine client daemon simulation fuzz tools interop bench)
readonly BUILD_LOG=$STATE/build.log

build_if_changed() {
    if is_built; then
        return
    fi
    mkdir -p "$STATE"
    local lock
    exec {lock}>"$STATE/lock"
    if ! flock -n "$lock"; then
        say 'waiting for another build'
        flock "$lock"
    fi
    if ! is_built; then
        build
    fi
    exec {lock}>&-
}

is_built() {
    [[ -f $STATE/built && -f $ROOT/tools/target/classpath && -f $ROOT/bench/target/classpath ]] &&
        [[ $(<"$STATE/built") == "$(fingerprint)" ]]
}

# Whether there are classes, whatever has become of their sources since.
was_built() {
    [[ -f $STATE/built ]]
}

# Names, sizes and times of everything that the classes and the shim are made of, and the tools that made them.
fingerprint() {
    local sources=()
    local module
    for module in "${MODULES[@]}"; do
        sources+=("$ROOT/$module")
    done
    {
        printf '%s\n' "$JAVA_HOME" "$(dpdk_words)"
        find "$ROOT/pom.xml" "$ROOT/.mvn" "${sources[@]}" \( -name target -o -path '*/src/test' \) -prune \
            -o -type f -printf '%p %s %T@\n' | LC_ALL=C sort
    } | cksum
}

build() {
    local began=$SECONDS print
    print=$(fingerprint)
    rm -f "$STATE/built"
    say "building with JDK $(java_version "$JAVA_HOME"), $(dpdk_words)"
    # Formatting is the developer's build's and the test suite's business, not that of a run.
    if ! maven_offline_first show_modules -DskipTests -Dmaven.test.skip=true -Dspotless.skip=true process-classes; then
        show_build_errors >&2
        fail 'the build failed' "All of it: $BUILD_LOG"
    fi
    printf '%s\n' "$print" >"$STATE/built"
    say "built in $((SECONDS - began)) s"
}

# What the compilers complained of; failing that, what Maven did.
show_build_errors() {
    if ! grep -E '^\[(ERROR|WARNING)\] /|: (error|warning):' "$BUILD_LOG" | head -n 40; then
        grep '^\[ERROR\]' "$BUILD_LOG" | head -n 10
    fi
}

# maven_offline_first PROGRESS ARGUMENT... PHASE: once everything that the phase (or goal) needs was downloaded, the
# network is asked again only when something is missing.
maven_offline_first() {
    local phase=${*: -1}
    local resolved=$STATE/resolved-${phase//:/-}
    if [[ -f $resolved ]]; then
        maven "$1" -o "${@:2}" && return
        if ! grep -q 'in offline mode' "$BUILD_LOG"; then
            return 1
        fi
    fi
    maven "$@" && touch "$resolved"
}

# maven PROGRESS ARGUMENT...: runs Maven, its output in the log and to the function PROGRESS.
maven() {
    local progress=$1
    shift
    (cd "$ROOT" && mvn -B "$@") 2>&1 | tee "$BUILD_LOG" | "$progress"
    return "${PIPESTATUS[0]}"
}

show_modules() {
    local line
    while IFS= read -r line; do
        if module_line "$line"; then
            say "  [$MODULE_NUMBER] $MODULE_NAME"
        fi
    done
}

# Whether Maven's line says that it begins a module; sets MODULE_NUMBER (3/9) and MODULE_NAME.
module_line() {
    if [[ $1 =~ ^\[INFO\]\ Building\ rddp\ ?(.*)\ [0-9.]+\ +\[([0-9]+/[0-9]+)\] ]]; then
        MODULE_NAME=${BASH_REMATCH[1]:-rddp}
        MODULE_NUMBER=${BASH_REMATCH[2]}
    else
        return 1
    fi
}
