# shellcheck shell=bash
# rddp fuzz: its arguments, and the files left when it is interrupted.

STATE=$WORK/state
# shellcheck source=bin/setup/fuzz.sh
source "$ROOT/bin/setup/fuzz.sh"

# refuses WORD ARGUMENT...: it ends with 2 before anything is set up or run, and its message contains the word.
# shellcheck disable=SC2317
refuses() (
    word=$1 status=0
    shift
    set_up_to_fuzz() { echo 'it goes on'; }
    jazzer() { echo 'it runs'; }
    said=$(fuzz "$@" 2>&1) || status=$?
    echo "$said"
    ((status == 2)) && [[ $said == *"$word"*--help* && $said != *'it '[gr]* ]]
)

check 'refuses a missing target' refuses 'frames ipv6 esp xfrm connection'
check 'refuses an unknown target' refuses 'nothing' nothing
check 'refuses an unknown option' refuses '--bogus' frames --bogus
check 'names an unknown option as one' refuses 'is not an option' frames --bogus
check 'refuses two targets' refuses 'connection' frames connection
for time in abc 0 -5 1.5 0x10 ''; do
    check "refuses to fuzz for '$time' seconds" refuses "'$time'" frames --seconds "$time"
    check "refuses to fuzz for '$time' minutes" refuses "'$time'" frames --minutes "$time"
done
check 'refuses a missing time' refuses '--seconds' frames --seconds
check 'refuses to add a missing file' refuses '/nonexistent' frames --add /nonexistent
check 'refuses a replay of nothing' refuses '--replay' frames --replay

# An archive with one input.
# shellcheck disable=SC2317
seed_archive() {
    [[ $1 != unpack ]] || { mkdir -p "$3" && echo kept >"$3/input"; }
}

# replays INPUT SAID: the path that Jazzer runs, or the message instead, ends with SAID.
# shellcheck disable=SC2317
replays() (
    set_up_to_fuzz() { :; }
    jazzer() { echo "it runs $2"; }
    said=$(fuzz frames --replay "$1" 2>&1) || true
    echo "$said"
    [[ $said == *"$2"* ]]
)

check 'replays an input that is kept' replays input "it runs $STATE/fuzz/seeds/frames/input"
check 'replays a file' replays "$ROOT/README.md" "it runs $ROOT/README.md"
check 'refuses to replay what is nowhere' replays nowhere 'neither a file nor an input'

# A Jazzer that is ended by a signal writes a finding.
# shellcheck disable=SC2317
interrupted_leaves_nothing() (
    status=0
    jazzer() {
        touch -d tomorrow "$FUZZ_WORK/frames-crash-0"
        kill -s "$signal" "$BASHPID"
    }
    signal=$1
    said=$(fuzz_for frames 1) || status=$?
    echo "$status: $said"
    [[ $status == "$2" && -z $said && ! -e $FUZZ_WORK/frames-crash-0 ]]
)

check 'leaves no finding when Ctrl-C ends it' interrupted_leaves_nothing INT 130
check 'leaves no finding when SIGTERM ends it' interrupted_leaves_nothing TERM 143
