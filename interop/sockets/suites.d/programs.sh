# shellcheck shell=bash
# Tests of programs: Node's of net and http, and redis's.

unpack_node() {
    local from
    from=$(sources nodejs '*/test/parallel/test-net-*' '*/test/parallel/test-http-*' '*/test/common/*' '*/test/fixtures/*') || return
    mkdir "$1/test"
    cp -r "$from"/test/{parallel,common,fixtures} "$1/test"
}

# shellcheck disable=SC2317
run_node() {
    local files=(test/parallel/*.*js)
    if [[ -n $quick ]]; then files=(test/parallel/test-net-{c,l,p,s}*.js); fi
    each node_test "${files[@]}"
}

# node_test FILE: runs it with the flags that its comment asks for.
node_test() {
    local flags
    read -ra flags < <(sed -n 's,^// Flags: ,,p' "$1")
    exec node "${flags[@]}" "$1"
}
export -f node_test

# The servers and clients of Debian's packages, under the tests of its sources.
unpack_redis() {
    local from program
    from=$(sources redis '*/tests/*' '*/runtest' '*/redis.conf' '*/utils/*' '*/src/help.h' '*/sentinel.conf') || return
    cp -r "$from"/* "$1"
    mkdir -p "$1/src"
    # Which its default is for clients of another address than the loopback's.
    printf '\nprotected-mode no\n' >>"$1/tests/assets/default.conf"
    for program in server cli benchmark check-aof check-rdb; do
        ln -s "$(command -v "redis-$program")" "$1/src/redis-$program" || return
    done
}

# A line for each of its tests.
# shellcheck disable=SC2317
run_redis() {
    local units=(unit/auth unit/protocol unit/querybuf unit/pubsub unit/multi unit/networking unit/introspection unit/limits
        unit/obuf-limits unit/pause unit/replybufsize unit/shutdown unit/wait unit/info unit/type/list unit/client-eviction
        integration/replication integration/replication-psync integration/block-repl integration/redis-cli
        integration/redis-benchmark integration/psync2-reg)
    if [[ -n $quick ]]; then units=(unit/auth unit/protocol unit/querybuf unit/pubsub unit/multi unit/limits); fi
    local unit
    for unit in "${units[@]}"; do
        timeout -k 5 300 ./runtest --single "$unit" --clients 1 2>&1 </dev/null | tee "${unit//\//_}.log" | redis_results "$unit"
    done
}

# redis_results UNIT: a name has no spaces here.
redis_results() {
    sed 's/\x1b\[[0-9;]*m//g' | awk -v unit="$1" '
        match($0, /^\[(ok|err|exception|ignore|skip|timeout)\]: /) {
            result = substr($0, 2, index($0, "]") - 2); name = substr($0, RLENGTH + 1)
            sub(/ \([0-9]+ ms\)$/, "", name); sub(/ in tests\/.*$/, "", name); gsub(/[^A-Za-z0-9.,:=<>+*\/-]+/, "_", name)
            print unit ":" name, result == "err" ? "failed" : result
        }' | sort -u
}
