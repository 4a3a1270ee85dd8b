# shellcheck shell=bash
# What HotSpot maps at a start, made beforehand: classes, instead of loading them from jars (class data sharing), and profiles of
# methods, by which it compiles them sooner (JEP 515).

# archive_classes LIB LIST: writes rddp.jsa into the folder of jars: the classes of the list, for exactly these jars and the runtime
# in JAVA_HOME. There is no archive if that fails.
archive_classes() {
    local archive=$1/rddp.jsa
    archive_arguments
    "$JAVA_HOME/bin/java" "${JVM_ARGUMENTS[@]}" -Xshare:dump -XX:SharedClassListFile="$2" \
        -XX:SharedArchiveFile="$archive.new" -Xlog:disable -Xlog:all=error:stderr -cp "$(jars_in "$1")" >&2 &&
        mv -f -- "$archive.new" "$archive" || {
        rm -f -- "$archive.new"
        return 1
    }
}

# archive_profiles LIB: writes rddp.aot into the folder of jars, for exactly these jars and the runtime in JAVA_HOME: classes, and
# profiles from a rehearsal. Nothing happens if there is one that fits, or with a runtime that keeps no profiles. There is none if it
# fails. Classes of the Vector API are not in it: the JVM cannot archive classes of a module that is loaded later.
archive_profiles() {
    local cache=$1/rddp.aot folder
    archive_arguments
    if (($(java_feature "$JAVA_HOME") < PROFILES_SINCE)) || is_cache "$1"; then return; fi
    rm -f -- "$cache"
    folder=$(mktemp -d)
    if RUNTIME_DIRECTORY=$folder timeout --kill-after=10 "$LONGEST_REHEARSAL" \
        "$JAVA_HOME/bin/java" "${JVM_ARGUMENTS[@]}" -Drddp.native="$SHIM" -Drddp.without-vectors=true -Djava.io.tmpdir="$folder" \
        -XX:CompileCommandFile="$ROOT/bin/setup/hotspot.txt" -XX:AOTCacheOutput="$cache.new" \
        -cp "$(jars_in "$1")" "$REHEARSAL_CLASS" >"$folder/log" 2>&1 && [[ -s $cache.new ]]; then
        mv -f -- "$cache.new" "$cache"
    else
        say "warning: no profiles of methods: the daemon's first seconds will be slower. The end of what the rehearsal said:"
        tail -n 3 -- "$folder/log" >&2
        rm -f -- "$cache.new"*
    fi
    rm -rf -- "$folder"
}

readonly REHEARSAL_CLASS=org.rddp.rig.Rehearsal
# In seconds: it takes some 15 of one processor.
readonly LONGEST_REHEARSAL=180

# is_cache LIB: whether the folder of jars has a cache that fits these and the runtime in JAVA_HOME.
is_cache() {
    [[ -f $1/rddp.aot ]] && "$JAVA_HOME/bin/java" "${JVM_ARGUMENTS[@]}" -XX:AOTCache="$1/rddp.aot" -XX:AOTMode=on -Xlog:disable \
        -cp "$(jars_in "$1")" "$MAIN_CLASS" --version >/dev/null 2>&1
}

# Sets JVM_ARGUMENTS to the daemon's, without what depends on this machine, a setting of its kernel and folders, and without archives.
archive_arguments() {
    local argument arguments=()
    jvm_arguments daemon
    for argument in "${JVM_ARGUMENTS[@]}"; do
        case $argument in
            -XX:+UseTransparentHugePages | -XX:CompileCommandFile=* | -Drddp.* | -XX:SharedArchiveFile=* | -XX:AOTCache=* | -Xlog:*) ;;
            *) arguments+=("$argument") ;;
        esac
    done
    JVM_ARGUMENTS=("${arguments[@]}")
}
