# shellcheck shell=bash
# Builds with Maven when the sources are not those of the last build.

readonly STATE=$ROOT/.rddp
readonly MODULES=(conformance native ffm-bindings tcp-lite fixtures dpdk-device mpa-engine ddp-engine client daemon client-c verbs sockets examples tools fuzz packaging lab interop bench)
BUILD_LOG=$STATE/build.log

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
    [[ -f $STATE/built && -f $ROOT/tools/target/classpath && -f $ROOT/lab/target/classpath && -f $ROOT/bench/target/classpath ]] &&
        [[ $(<"$STATE/built") == "$(fingerprint)" ]]
}

# Whether a build has succeeded before, even if the sources have changed since.
was_built() {
    [[ -f $STATE/built ]]
}

# Checksum of names, sizes and times of all sources of the classes and the shim, and of the tools that compile them.
fingerprint() {
    (
        cd "$ROOT" || exit
        printf '%s\n' "$JAVA_HOME" "$(dpdk_description)"
        find pom.xml .mvn "${MODULES[@]}" \( -name target -o -path '*/src/test' \) -prune \
            -o -type f -printf '%p %s %T@\n' | LC_ALL=C sort
    ) | cksum
}

build() {
    local began=$SECONDS print
    print=$(fingerprint)
    rm -f "$STATE/built"
    say "building with JDK $(java_version "$JAVA_HOME"), $(dpdk_description)"
    # Only developers' builds and the test suite format the sources.
    if ! maven_offline_first show_modules -DskipTests -Dmaven.test.skip=true -Dspotless.skip=true process-classes; then
        show_build_errors >&2
        fail 'the build failed' "All of it: $BUILD_LOG"
    fi
    mark_built "$print"
    say "built in $((SECONDS - began)) s"
}

# mark_built FINGERPRINT: records that the classes are those of these sources.
mark_built() {
    local module
    for module in tools lab interop bench; do
        classpath "$module" >/dev/null
    done
    printf '%s\n' "$1" >"$STATE/built"
}

# classpath MODULE: its classes and all that they depend on.
classpath() {
    local relative=$STATE/classpath-$1 entry path=
    if [[ ! $relative -nt $ROOT/$1/target/classpath ]]; then
        mkdir -p "$STATE/lib"
        relocate_classpath "$1" >"$relative"
    fi
    while IFS= read -r entry; do
        path+=${path:+:}$ROOT/$entry
    done <"$relative"
    printf '%s' "$path"
}

# relocate_classpath MODULE: the module's class path as Maven has left it, relative to this tree, one entry in a line. Libraries
# are copied out of Maven's repository, which other users cannot read. Maven names the jars of modules if it has made them.
relocate_classpath() {
    local entries=() entry module
    IFS=: read -ra entries <<<"$(<"$ROOT/$1/target/classpath")"
    echo "$1/target/classes"
    for entry in "${entries[@]}"; do
        if [[ $entry == */target/classes || $entry == "$ROOT"/*/target/*.jar ]]; then
            module=${entry%/target/*}
            echo "${module##*/}/target/classes"
        else
            cp -u -- "$entry" "$STATE/lib/"
            echo ".rddp/lib/${entry##*/}"
        fi
    done
}

# Prints errors and warnings of the compilers; without any, Maven's own errors.
show_build_errors() {
    if ! grep -E '^\[(ERROR|WARNING)\] /|: (error|warning):' "$BUILD_LOG" | head -n 40; then
        grep '^\[ERROR\]' "$BUILD_LOG" | head -n 10
    fi
}

# maven_offline_first PROGRESS ARGUMENT... PHASE: runs Maven offline if an earlier run of the phase (or goal) has downloaded
# everything, and with the network if something is missing.
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

# maven PROGRESS ARGUMENT...: runs Maven; its output goes to the log and to the function PROGRESS.
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

# Whether a line of Maven's begins a module; sets MODULE_NUMBER (3/9) and MODULE_NAME.
module_line() {
    if [[ $1 =~ ^\[INFO\]\ Building\ rddp\ ?(.*)\ [0-9.]+\ +\[([0-9]+/[0-9]+)\] ]]; then
        MODULE_NAME=${BASH_REMATCH[1]:-rddp}
        MODULE_NUMBER=${BASH_REMATCH[2]}
    else
        return 1
    fi
}
