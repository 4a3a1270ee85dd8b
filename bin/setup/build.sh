# shellcheck shell=bash
# Builds with Maven when the sources are not those of the last build.

readonly STATE=$ROOT/.rddp
readonly MODULES=(conformance native ffm-bindings ip tcp-lite fixtures dpdk-device mpa-engine ddp-engine ipc client daemon nio netty client-c verbs sockets examples tools fuzz packaging lab interop bench)
BUILD_LOG=$STATE/build.log

# What can be built: modules in Java, each with those that it depends on, by Maven; and the preloaded libraries, by make.
readonly BUILDS=(tools lab interop bench fuzz verbs sockets)

# build_if_changed [BUILD]...: builds those that do not match the sources; without names, all.
build_if_changed() {
    local lock print
    if (($# == 0)); then set -- "${BUILDS[@]}"; fi
    print=$(fingerprint)
    if is_built "$print" "$@"; then
        return
    fi
    lock_builds lock
    if ! is_built "$print" "$@"; then
        build "$print" "$@"
    fi
    exec {lock}>&-
}

# lock_builds VARIABLE: waits until no other build runs, and sets the variable to a descriptor that keeps others waiting.
lock_builds() {
    local -n descriptor=$1
    mkdir -p "$STATE"
    exec {descriptor}>"$STATE/lock"
    if ! flock -n "$descriptor"; then
        say 'waiting for another build:'
        wait_for_build "$descriptor"
    fi
}

# wait_for_build DESCRIPTOR: locks it, and meanwhile shows the modules in the log of the build that has the lock.
wait_for_build() {
    local lines reader shower
    # Without the lock, which they would keep if this process were killed.
    exec {lines}< <(eval "exec $1>&-" && exec tail -n +1 -F --pid=$$ -- "$BUILD_LOG" 2>/dev/null)
    reader=$!
    (eval "exec $1>&-" && show_modules) <&"$lines" &
    shower=$!
    exec {lines}<&-
    flock "$1"
    kill "$reader" 2>/dev/null || true
    wait "$shower" || true
}

# is_built FINGERPRINT BUILD...
is_built() {
    local name
    for name in "${@:2}"; do
        [[ -f $STATE/built-$name && $(<"$STATE/built-$name") == "$1" ]] || return
        is_library "$name" || [[ -f $ROOT/$name/target/run/classpath ]] || return
    done
}

# Whether a build has succeeded before, even if the sources have changed since.
was_built() {
    [[ -f $STATE/built-$1 ]]
}

is_library() {
    [[ $1 == verbs || $1 == sockets ]]
}

# Checksum of names, sizes and times of all sources of the classes and the libraries, and of what they are compiled with: an
# optional header may come later.
fingerprint() {
    (
        cd "$ROOT" || exit
        printf '%s\n' "$JAVA_HOME" "$(dpdk_description)" "$(has_verbs_headers && rdma_core_version)"
        find pom.xml .mvn "${MODULES[@]}" \( -name target -o -path '*/src/test' \) -prune \
            -o -type f -printf '%p %s %T@\n' | LC_ALL=C sort
        stat -Lc '%n %s %Y' /usr/include/intel-ipsec-mb.h 2>/dev/null
    ) | cksum
}

# build FINGERPRINT BUILD...: the libraries beside the classes.
build() {
    local began=$SECONDS print=$1 name modules='' libraries=() making=''
    shift
    for name in "$@"; do
        rm -f "$STATE/built-$name"
        if is_library "$name"; then libraries+=("$name"); else modules+=${modules:+,}$name; fi
    done
    # Not the log of the last one, for those who wait.
    : >"$BUILD_LOG"
    say "building $* with JDK $(java_version "$JAVA_HOME"), $(dpdk_description)"
    if ((${#libraries[@]} > 0)); then
        make_libraries "${libraries[@]}" >"$STATE/libraries.log" 2>&1 &
        making=$!
    fi
    if [[ -n $modules ]] && ! maven_to_run "$modules"; then
        [[ -z $making ]] || wait "$making" || true
        show_build_errors >&2
        fail 'the build failed' "All of it: $BUILD_LOG"
    fi
    if [[ -n $making ]] && ! wait "$making"; then
        grep -E 'error:|Error ' "$STATE/libraries.log" | head -n 20 >&2 || true
        fail 'the build of a library in C failed' "All of it: $STATE/libraries.log"
    fi
    record_built "$print" "$@"
    say "built in $((SECONDS - began)) s"
}

# record_built FINGERPRINT BUILD...
record_built() {
    local name
    for name in "${@:2}"; do
        is_library "$name" || classpath "$name" >/dev/null
        printf '%s\n' "$1" >"$STATE/built-$name"
    done
}

# take_classes FINGERPRINT: makes the classes of a build with all checks, in target/classes, those that are run, unless these match
# the sources: both compilations make the same.
take_classes() {
    local module run
    if is_built "$1" "${BUILDS[@]}"; then return; fi
    rm -f "$STATE"/built-*
    for module in "${MODULES[@]}"; do
        run=$ROOT/$module/target/run
        rm -rf "$run"
        [[ -d $ROOT/$module/target/classes ]] || continue
        mkdir "$run" && cp -a "$ROOT/$module/target/classes" "$run/" || return
        # It is the jar's.
        rm -f "$run/classes/module-info.class"
        [[ ! -f $ROOT/$module/target/classpath ]] || cp "$ROOT/$module/target/classpath" "$run/" || return
    done
    record_built "$1" "${BUILDS[@]}"
}

# make_libraries NAME...
make_libraries() {
    local name
    for name in "$@"; do
        "$ROOT/$name/build" all || return
    done
}

# maven_to_run MODULES: compiles them and those that they depend on, for a JVM that lives for seconds.
maven_to_run() {
    local -x MAVEN_OPTS="${MAVEN_OPTS:-} -XX:TieredStopAtLevel=1 -XX:+UseSerialGC"
    # Once for each choice: Maven fetches what these modules need.
    local BUILD_RESOLVED=run-${1//,/-}
    maven_offline_first show_modules -T 2 -Prun -pl "$1" -am -DskipTests -Dmaven.test.skip=true -Dspotless.skip=true process-classes
}

# classpath MODULE: its classes and all that they depend on.
classpath() {
    local relative=$STATE/classpath-$1 entry path=
    if [[ ! $relative -nt $ROOT/$1/target/run/classpath ]]; then
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
    IFS=: read -ra entries <<<"$(<"$ROOT/$1/target/run/classpath")"
    echo "$1/target/run/classes"
    for entry in "${entries[@]}"; do
        if [[ $entry == */target/run/classes || $entry == "$ROOT"/*/target/* ]]; then
            module=${entry%/target/*}
            echo "${module##*/}/target/run/classes"
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
    local phase=${*: -1} resolved
    resolved=$STATE/resolved-${BUILD_RESOLVED:-${phase//:/-}}
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
            say "  [$MODULE_NUMBER] $MODULE_NAME, then $((${MODULE_NUMBER#*/} - ${MODULE_NUMBER%/*})) more"
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
