# shellcheck shell=bash
# What "systemctl reload rddpd" does. A process that sleeps stands for the daemon that runs, and a script for bin/rddp.

readonly RELOADED=$WORK/reloaded
mkdir -p "$RELOADED/bin/setup" "$RELOADED/run"
cp "$ROOT/bin/setup/reload" "$RELOADED/bin/setup"
cat >"$RELOADED/bin/rddp" <<'END'
#!/usr/bin/env bash
echo "$WATCHDOG_USEC $*" >"$SAID"
[[ -z ${FAILS:-} ]] || exit 3
echo "$$" >"$SAID.new"
kill "$(<"$SAID.old")"
exec sleep 60
END
chmod +x "$RELOADED/bin/rddp"

# reload: with a daemon that runs, its number in OLD; sets STATUS.
# shellcheck disable=SC2317
reload() {
    export SAID=$WORK/reload.said RUNTIME_DIRECTORY=$RELOADED/run
    rm -f "$SAID"
    # shellcheck disable=SC2016
    WATCHDOG_USEC=15000000 bash -c 'trap "echo again >\"$SAID\"; exit" HUP; : >"$SAID.ready"; read -r <>"$0"' \
        "$1" org.rddp.cli.Main daemon --config 'a file' --replace &
    OLD=$!
    echo "$OLD" >"$SAID.old"
    until [[ -e $SAID.ready ]]; do sleep 0.1; done
    STATUS=0
    "$RELOADED/bin/setup/reload" "$OLD" || STATUS=$?
    rm "$SAID.ready"
}

# shellcheck disable=SC2317
reads_again() {
    mkfifo "$WORK/reload.1"
    reload "$WORK/reload.1"
    wait "$OLD"
    equal 0 "$STATUS" && equal again "$(<"$SAID")"
}

# shellcheck disable=SC2317
replaces() {
    mkfifo "$WORK/reload.2"
    touch "$RELOADED/run/replace"
    reload "$WORK/reload.2"
    wait "$OLD"
    kill "$(<"$SAID.new")"
    equal 0 "$STATUS" && equal '15000000 daemon --config a file --replace' "$(<"$SAID")" && [[ ! -e $RELOADED/run/replace ]]
}

# shellcheck disable=SC2317
goes_on() {
    mkfifo "$WORK/reload.3"
    touch "$RELOADED/run/replace"
    FAILS=yes reload "$WORK/reload.3"
    kill "$OLD" && equal 3 "$STATUS"
}

check 'a reload lets the daemon read its configuration again' reads_again
check 'a reload replaces the daemon where that is asked for' replaces
check 'a reload fails if the new daemon does, and the old one goes on' goes_on
