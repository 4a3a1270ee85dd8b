# shellcheck shell=bash
# Checks, and programs that they start, for the scripts here. The folder WORK and the longest time for a start, TIMEOUT in
# seconds, are the script's.

failed=0
processes=()

# check NAME COMMAND...
check() {
    if ("${@:2}") >"$WORK/output" 2>&1; then
        echo "ok $1"
    else
        echo "not ok $1"
        sed 's/^/    /' "$WORK/output"
        # shellcheck disable=SC2034 # the scripts read it
        failed=1
    fi
}

equal() {
    [[ $1 == "$2" ]] || {
        echo "expected: $1, but was: $2"
        return 1
    }
}

# start NAME WORDS COMMAND...: starts it in the background, and waits until it prints the words, or ends.
start() {
    local line output
    mkfifo "$WORK/$1.pipe"
    : >"$WORK/$1.output"
    "${@:3}" >"$WORK/$1.pipe" 2>"$WORK/$1.errors" &
    processes+=($!)
    # Stays open, since the program may print more.
    exec {output}<"$WORK/$1.pipe"
    while IFS= read -r -t "$TIMEOUT" -u "$output" line; do
        echo "$line" >>"$WORK/$1.output"
        [[ $line != *"$2"* ]] || break
    done
    if [[ ${line:-} == *"$2"* ]]; then touch "$WORK/$1.started"; fi
}

# started NAME: whether it has printed its words.
started() {
    [[ -e $WORK/$1.started ]] || {
        cat "$WORK/$1.output" "$WORK/$1.errors"
        return 1
    }
}
