# shellcheck shell=bash
# Overrides for an installed copy: it has jars instead of sources, so it builds, installs and checks nothing.

SHIM=$ROOT/lib/librddp_dpdk.so
# Nothing is compiled: a runtime is enough.
# shellcheck disable=SC2034
JDK_PROGRAM=java

# main COMMAND ARGUMENT...
main() {
    case ${1:-} in
        setup | test | simulate | soak | fuzz | bench | package)
            fail "'rddp $1' needs the source tree, and this is an installed copy ($ROOT)"
            ;;
        doctor)
            shift
            # shellcheck source=bin/setup/doctor.sh
            source "$ROOT/bin/setup/doctor.sh"
            doctor "$@"
            ;;
        verbs)
            shift
            # shellcheck source=bin/setup/verbs.sh
            source "$ROOT/bin/setup/verbs.sh"
            verbs "$@"
            ;;
        sockets)
            shift
            # shellcheck source=bin/setup/sockets.sh
            source "$ROOT/bin/setup/sockets.sh"
            sockets "$@"
            ;;
        demo)
            find_jdk
            demo "$@"
            ;;
        *)
            find_jdk
            if has_option '-h|--help' "$@"; then launch_without_engine "$@"; fi
            launch "$@"
            ;;
    esac
}

classpath() {
    jars_in "$ROOT/lib"
}
