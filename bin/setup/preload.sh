# shellcheck shell=bash
# Runs an unmodified program over rddp, with a library that is preloaded: rddp verbs, rddp sockets.
#
# A command NAME has the functions NAME_needs, which says which packages its library is built with; NAME_library, which prints the
# library's path; NAME_usage; NAME_option, which takes one option of its own, and returns 1 if it knows none such; NAME_prepare,
# which is called with the program when the library is there, and may set PRELOAD_INSTEAD; and NAME_ready, which is called when
# RDDP_SOCKET is that of a daemon.

# Words that start the program, if an option has set some; the first is a program beside the library.
PRELOAD_THROUGH=()

# Whether an option says what to run, so that the user names no program; and that program, with its arguments.
PRELOAD_ALONE=''
PRELOAD_INSTEAD=()

# find_library FILE MODULE ADVICE: prints the path of a library, where the module's build leaves it, or where it is installed.
find_library() {
    local place
    for place in "$ROOT/$2/target" "$ROOT/lib"; do
        if [[ -f $place/$1 ]]; then
            readlink -f -- "$place/$1"
            return
        fi
    done
    fail "$1 is not there" "$3"
}

# preload_wrong NAME MESSAGE: reports wrong arguments, and exits.
preload_wrong() {
    printf 'rddp: error: %s\n' "$2" >&2
    echo "Try 'rddp $1 --help'." >&2
    exit 2
}

# preload_check_program NAME PROGRAM ARGUMENT...: ends this process if there is no such program. In the source tree it needs the
# program's package, if that is known: one line then has all that is missing.
preload_check_program() {
    local package
    (($# > 1)) || preload_wrong "$1" 'name the program to run'
    # Not functions and builtins of this shell, which `has` finds, too.
    if ! type -P -- "$2" >/dev/null; then
        [[ ${3:-} != -- ]] || preload_wrong "$1" "there is no program '$2'; a name of the daemon stands behind '=': --local=$2"
        package=$(package_of_program "$2")
        if [[ -n $package ]] && ! is_installed; then
            need "$package"
            return
        fi
        # As shells say it.
        fail_with 127 "there is no program '$2'" ${package:+"To install: $(install_command "$package")"}
    fi
}

# package_of_program PROGRAM: prints its package, of the programs that README and the documents name, and their like.
package_of_program() {
    case $1 in
        rping | ucmatose | rdma_client | rdma_server | rdma_xclient | rdma_xserver | rcopy | rstream | riostream) echo rdmacm-utils ;;
        ib_send_* | ib_write_* | ib_read_* | ib_atomic_*) echo perftest ;;
        ibv_*) echo ibverbs-utils ;;
        iperf3 | qperf | socat | redis-server | curl) echo "$1" ;;
        redis-benchmark | redis-cli) echo redis-tools ;;
        psql) echo postgresql-client ;;
    esac
}

# preload NAME ARGUMENT...: replaces this process by the program, except with --local.
preload() {
    local command=$1 is_local='' name='' socket='' library
    shift
    while (($# > 0)); do
        case $1 in
            -h | --help) "${command}_usage" && return ;;
            --interface | --socket | --as | --rule | --explain)
                (($# > 1)) || preload_wrong "$command" "$1 needs a value"
                set -- "$1=$2" "${@:3}"
                ;;
            --interface=*) export RDDP_INTERFACE=${1#*=} && shift ;;
            --socket=*) socket=${1#*=} && shift ;;
            --local) is_local=yes && shift ;;
            --local=*)
                is_local=yes name=${1#*=}
                [[ $name =~ ^[A-Za-z0-9][A-Za-z0-9_-]{0,31}$ ]] ||
                    preload_wrong "$command" "--local=$name: allowed: 1 to 32 letters, digits, '-' and '_', the first one a letter or digit"
                shift
                ;;
            --) shift && break ;;
            -*)
                "${command}_option" "$1" || preload_wrong "$command" "there is no option '$1'"
                shift
                ;;
            *) break ;;
        esac
    done
    if [[ -n $PRELOAD_ALONE ]]; then
        (($# == 0)) || preload_wrong "$command" "no program runs with this option: leave out '$*'"
    else
        preload_check_program "$command" "$@"
    fi
    if [[ -n $is_local ]]; then
        [[ -z $socket ]] ||
            preload_wrong "$command" '--local starts a daemon, and --socket is for one that is running: give one of them'
        [[ ${RDDP_INTERFACE:-one} =~ ^(one|two)$ ]] ||
            preload_wrong "$command" "--local has the interfaces one and two, not '$RDDP_INTERFACE'"
    fi
    # Only now: what is wrong with the arguments is said at once.
    if ! is_installed; then
        "${command}_needs"
        set_up tools "$command"
    fi
    library=$("${command}_library")
    "${command}_prepare" "$@"
    if [[ -n $PRELOAD_ALONE ]]; then set -- "${PRELOAD_INSTEAD[@]}"; fi
    if ((${#PRELOAD_THROUGH[@]} > 0)); then PRELOAD_THROUGH[0]=$(dirname -- "$library")/${PRELOAD_THROUGH[0]}; fi
    if [[ -n $is_local ]]; then
        # shellcheck source=bin/setup/local.sh
        source "$ROOT/bin/setup/local.sh"
        run_locally "$name" "$library" "${command}_ready" "$@"
    fi
    export RDDP_SOCKET=${socket:-${RDDP_SOCKET:-/run/rddp/rddpd.sock}}
    socket=$RDDP_SOCKET
    [[ -S $socket ]] || fail "there is no daemon socket at $socket" \
        "For a try on this machine: rddp $command --local ${PRELOAD_ALONE:--- $1 ...} To start a daemon: rddp daemon. Or give --socket."
    [[ -w $socket ]] || fail "you may not use the daemon at $socket: writing that socket needs its user or group"
    "${command}_ready"
    LD_PRELOAD=$library${LD_PRELOAD:+:$LD_PRELOAD} exec ${PRELOAD_THROUGH[@]+"${PRELOAD_THROUGH[@]}"} "$@"
}
