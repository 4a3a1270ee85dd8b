# shellcheck shell=bash
# The ways into rddp that README has, and what each of them lacks: for rddp setup and rddp doctor.

# shellcheck source=bin/setup/verbs.sh
source "$ROOT/bin/setup/verbs.sh"
# shellcheck source=bin/setup/sockets.sh
source "$ROOT/bin/setup/sockets.sh"

readonly DOORS=(verbs sockets Java C daemon)

# door_lacks NAME: prints the one line to type before that way is open; nothing if it is.
door_lacks() (
    MISSING=()
    if ! is_installed; then
        if [[ $1 == verbs ]]; then need_for_programs need; fi
        need_to_compile
    elif [[ $1 == C ]]; then
        has gcc || need gcc libc6-dev
    fi
    if ! has_jdk; then
        if [[ -z $(jdk_package) ]]; then
            echo "a JDK of $OLDEST_JDK or later: see above, JDK"
            return
        fi
        need "$(jdk_package)"
    fi
    if ((${#MISSING[@]} > 0)); then
        mapfile -t MISSING < <(each_once "${MISSING[@]}")
        install_command "${MISSING[@]}"
    elif ! is_installed && { ! was_built tools || [[ ! -d $ROOT/client/target/run/classes ]]; }; then
        echo 'bin/rddp setup'
    elif [[ $1 == verbs || $1 == sockets ]]; then
        preloaded_lacks "$1"
    fi
)

# preloaded_lacks NAME: what the preloaded library of rddp verbs or rddp sockets lacks.
preloaded_lacks() {
    local library lacking
    if ! library=$(find_library "librddp-$1.so" "$1" '' 2>/dev/null); then
        if is_installed; then echo 'a package of rddp that was built with it'; else echo 'bin/rddp setup'; fi
        return
    fi
    lacking=$(lacking_libraries "$library")
    if [[ -n $lacking ]]; then install_command libibverbs1 librdmacm1; fi
}

# Says which ways are open, and how to open the others.
say_doors() {
    local door lacks open=() closed=()
    for door in "${DOORS[@]}"; do
        lacks=$(door_lacks "$door")
        if [[ -z $lacks ]]; then open+=("$door"); else closed+=("$door, which needs: $lacks"); fi
    done
    if ((${#open[@]} > 0)); then say "ready with Java $(java_version "$JAVA_HOME"), $(dpdk_description): ${open[*]}"; fi
    if ((${#closed[@]} > 0)); then printf 'rddp: not ready: %s\n' "${closed[@]}" >&2; fi
}
