# shellcheck shell=bash
# rddp verbs: its arguments, and what it says before a program runs.

# shellcheck source=bin/setup/say.sh
source "$ROOT/bin/setup/say.sh"
# shellcheck source=bin/setup/packages.sh
source "$ROOT/bin/setup/packages.sh"
# shellcheck source=bin/setup/verbs.sh
source "$ROOT/bin/setup/verbs.sh"
# shellcheck source=bin/setup/tests/ends.sh
source "$ROOT/bin/setup/tests/ends.sh"

check 'explains itself' ends verbs 0 'rddp verbs --interface two -- rping' --help
check 'needs a program' ends verbs 2 'name the program to run'
check 'needs a program behind --' ends verbs 2 'name the program to run' --interface one --
check 'refuses an unknown option' ends verbs 2 "there is no option '--bogus'" --bogus true
check 'refuses a missing value' ends verbs 2 '--interface needs a value' --interface
check 'refuses another kind of device' ends verbs 2 'iwarp or as roce' --as ib true
check 'takes a kind of device' ends verbs 127 "there is no program 'nothing-like-it'" --as roce -- nothing-like-it
check 'shows devices in sysfs if asked' ends verbs 127 "there is no program 'nothing-like-it'" --sysfs -- nothing-like-it
check 'names a program that is missing' ends verbs 127 "there is no program 'nothing-like-it'" -- nothing-like-it
check 'takes no function of its own for a program' ends verbs 127 "there is no program 'verbs'" --local verbs
check 'says how a daemon is named' ends verbs 2 "behind '=': --local=demo" --local demo -- true
check 'says that there is no daemon' ends verbs 1 'start' --socket "$WORK/none.sock" -- true
check 'refuses a name that is no file name' ends verbs 2 "allowed: 1 to 32 letters" --local=a/b true
check 'refuses a socket beside a daemon of its own' ends verbs 2 'give one of them' --local --socket "$WORK/none.sock" true
check 'refuses an interface that such a daemon has not' ends verbs 2 "the interfaces one and two, not 'three'" \
    --local --interface three true

# builds_last COMMAND...: what is said of arguments does not come after a build.
builds_last() (
    set_up() { echo "built $*"; }
    said=$(verbs "$@" 2>&1)
    echo "$said"
    [[ $said != *built* ]]
)

check 'builds nothing for a program that is missing' builds_last --sysfs --local -- nothing-like-it

# lacks_rping: the one line has a known program that is missing, with what else is missing.
lacks_rping() (
    set_up() { echo "needs ${MISSING[*]}" && exit; }
    has_verbs_headers() { false; }
    type() { false; }
    said=$(verbs --local -- rping -s 2>&1)
    equal 'needs rdmacm-utils libibverbs-dev librdmacm-dev' "$said" || return
    is_installed() { true; }
    said=$(verbs --local -- rping -s 2>&1)
    equal 127 $? && [[ $said == *'To install:'*rdmacm-utils* ]]
)

check 'names the package of a program that is missing' lacks_rping
check 'builds nothing for wrong arguments' builds_last --local --interface three true

# lacks_its_libraries: what is said where librddp-verbs.so is there and libibverbs is not.
lacks_its_libraries() (
    status=0
    set_up() { :; }
    find_library() { echo /nowhere.so; }
    ldd() { printf '\tlibibverbs.so.1 => not found\n\tlibc.so.6 => /lib/libc.so.6 (0x1)\n\tlibrdmacm.so.1 => not found\n'; }
    said=$(verbs --socket "$WORK/none.sock" -- true 2>&1) || status=$?
    echo "$said"
    ((status == 1)) && [[ $said == *'needs libibverbs.so.1 and librdmacm.so.1'*libibverbs1* ]]
)

check 'names libraries that are missing' lacks_its_libraries
