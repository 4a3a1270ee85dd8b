# shellcheck shell=bash
# rddp sockets: its arguments, and what it says before a program runs.

# shellcheck source=bin/setup/say.sh
source "$ROOT/bin/setup/say.sh"
# shellcheck source=bin/setup/sockets.sh
source "$ROOT/bin/setup/sockets.sh"
# shellcheck source=bin/setup/tests/ends.sh
source "$ROOT/bin/setup/tests/ends.sh"

check 'explains itself' ends sockets 0 'rddp sockets --interface two -- iperf3' --help
check 'needs a program' ends sockets 2 'name the program to run'
check 'refuses an option of rddp verbs' ends sockets 2 "there is no option '--sysfs'" --sysfs true
check 'says where its help is' ends sockets 2 "Try 'rddp sockets --help'" --bogus true
check 'names a program that is missing' ends sockets 127 "there is no program 'nothing-like-it'" -- nothing-like-it
check 'says that there is no daemon' ends sockets 1 'rddp sockets --local' --socket "$WORK/none.sock" -- true
check 'says how to explain without a daemon' ends sockets 1 'rddp sockets --local --explain=10.0.0.2:80 To start' \
    --socket "$WORK/none.sock" --explain 10.0.0.2:80
check 'refuses a socket beside a daemon of its own' ends sockets 2 'give one of them' --local --socket "$WORK/none.sock" true
check 'needs a rule behind --rule' ends sockets 2 '--rule needs a value' --rule
check 'explains instead of running a program' ends sockets 2 "leave out 'true'" --local --explain 10.0.0.2:80 -- true
check 'refuses --or-kernel with a value' ends sockets 2 "there is no option '--or-kernel=yes'" --or-kernel=yes true

check_packages_of_programs() {
    # shellcheck source=bin/setup/preload.sh
    [[ $(source "$ROOT/bin/setup/preload.sh" && package_of_program redis-benchmark) == redis-tools ]]
}

check 'knows the packages of the programs in the documents' check_packages_of_programs
