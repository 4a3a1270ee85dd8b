# shellcheck shell=bash
# Class data sharing: HotSpot maps an archive of classes instead of loading them from jars.

# archive_classes LIB LIST: writes rddp.jsa into the folder of jars: the classes of the list, for exactly these jars and the runtime
# in JAVA_HOME. There is no archive if that fails.
archive_classes() {
    local archive=$1/rddp.jsa argument arguments=()
    jvm_arguments daemon
    # Without what depends on this machine: a setting of its kernel, and folders.
    for argument in "${JVM_ARGUMENTS[@]}"; do
        [[ $argument == -XX:+UseTransparentHugePages || $argument == -XX:CompileCommandFile=* || $argument == -Drddp.* ]] ||
            arguments+=("$argument")
    done
    "$JAVA_HOME/bin/java" "${arguments[@]}" -Xshare:dump -XX:SharedClassListFile="$2" \
        -XX:SharedArchiveFile="$archive.new" -Xlog:disable -Xlog:all=error:stderr -cp "$(jars_in "$1")" >&2 &&
        mv -f -- "$archive.new" "$archive" || {
        rm -f -- "$archive.new"
        return 1
    }
}
