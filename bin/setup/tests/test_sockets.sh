# shellcheck shell=bash
# rddp sockets: its arguments, and what it says before a program runs.

# shellcheck source=bin/setup/say.sh
source "$ROOT/bin/setup/say.sh"
# shellcheck source=bin/setup/sockets.sh
source "$ROOT/bin/setup/sockets.sh"

# ends_sockets STATUS WORDS ARGUMENT...: it ends with that status, and its message contains the words.
# shellcheck disable=SC2317
ends_sockets() (
    expected=$1 words=$2 status=0
    shift 2
    sockets_library() { echo /nowhere.so; }
    said=$(sockets "$@" 2>&1) || status=$?
    echo "$said"
    ((status == expected)) && [[ $said == *"$words"* ]]
)

check 'explains itself' ends_sockets 0 'rddp sockets --interface two -- iperf3' --help
check 'needs a program' ends_sockets 2 'name the program to run'
check 'refuses an option of rddp verbs' ends_sockets 2 "there is no option '--sysfs'" --sysfs true
check 'says where its help is' ends_sockets 2 "Try 'rddp sockets --help'" --bogus true
check 'names a program that is missing' ends_sockets 1 "there is no program 'nothing-like-it'" -- nothing-like-it
check 'says that there is no daemon' ends_sockets 1 'rddp sockets --local' --socket "$WORK/none.sock" -- true
check 'refuses a socket beside a daemon of its own' ends_sockets 2 'give one of them' --local --socket "$WORK/none.sock" true
