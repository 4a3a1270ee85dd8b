# shellcheck shell=bash
# For the tests of rddp verbs and rddp sockets.

# ends COMMAND STATUS WORDS ARGUMENT...: the command ends with that status, and its message contains the words.
ends() (
    command=$1 expected=$2 words=$3 status=0
    shift 3
    set_up() { :; }
    eval "${command}_library() { echo /nowhere.so; }"
    # shellcheck disable=SC2317
    sockets_rules() { echo true; }
    said=$("$command" "$@" 2>&1) || status=$?
    echo "$said"
    ((status == expected)) && [[ $said == *"$words"* ]]
)
