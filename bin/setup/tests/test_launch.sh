# shellcheck shell=bash
# The JVM's flags: what is not a command of bin/rddp gets those that every JVM needs.

# shellcheck source=bin/setup/launch.sh
source "$ROOT/bin/setup/launch.sh"

# flags_of [COMMAND]: what jvm_arguments comes to, one a line.
flags_of() (
    set -u
    java_feature() { echo 25; }
    has_module() { true; }
    JAVA_HOME=/nowhere
    jvm_arguments "$@"
    printf '%s\n' "${JVM_ARGUMENTS[@]}"
)

# shellcheck disable=SC2317
has() { grep -q -x -e "$1" <(flags_of "${@:2}"); }
# shellcheck disable=SC2317
lacks() { ! has "$@"; }

check 'gives flags to a JVM that no command starts' has '--enable-native-access=ALL-UNNAMED'
check 'gives the engine vectors for its CRC' has "$VECTOR_MODULE" daemon
check 'gives others none' lacks "$VECTOR_MODULE" status
