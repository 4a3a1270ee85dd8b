# shellcheck shell=bash
# Tests of programs: Node's of net and http, redis's, Apache's, and nginx's.

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

# A line for each of its tests. Those left out block several clients without waiting for each: over rddp, as over a network, the second
# one's request may come first, and then they wait for ever, and with them what follows.
# shellcheck disable=SC2317
run_redis() {
    local units=(unit/auth unit/protocol unit/querybuf unit/pubsub unit/multi unit/networking unit/introspection unit/limits
        unit/obuf-limits unit/pause unit/replybufsize unit/shutdown unit/wait unit/info unit/type/list unit/client-eviction
        integration/replication integration/replication-{2,3,4} integration/replication-psync integration/replication-buffer
        integration/block-repl integration/redis-cli integration/redis-benchmark integration/psync2 integration/psync2-reg
        integration/psync2-pingoff integration/psync2-master-restart integration/failover integration/shutdown integration/logging
        integration/dismiss-mem integration/aof integration/aof-multi-part integration/rdb)
    if [[ -n $quick ]]; then units=(unit/auth unit/protocol unit/querybuf unit/pubsub unit/multi unit/limits); fi
    local unit
    for unit in "${units[@]}"; do
        timeout -k 5 900 ./runtest --single "$unit" --clients 1 --skiptest '/with multiple blocked clients' 2>&1 </dev/null | tee "${unit//\//_}.log" | redis_results "$unit"
    done
}

# redis_results UNIT: a name has no spaces here.
redis_results() {
    sed 's/\x1b\[[0-9;]*m//g' | awk -v unit="$1" '
        match($0, /^\[(ok|err|exception|ignore|skip|timeout)\]: /) {
            result = substr($0, 2, index($0, "]") - 2); name = substr($0, RLENGTH + 1)
            sub(/ \([0-9]+ ms\)$/, "", name); sub(/ in tests\/.*$/, "", name); gsub(/[^A-Za-z0-9.,:=<>+*\/-]+/, "_", name)
            # Its instances are chosen at random.
            if (unit == "integration/psync2") gsub(/[0-9]+/, "N", name)
            print unit ":" name, result == "err" ? "failed" : result
        }' | sort -u
}

unpack_apache() {
    local from
    from=$(sources apache2 'debian/perl-framework/*') || return
    cp -r "$from/perl-framework"/* "$1"
}

# Apache of Debian's package, under its own tests, which build modules, and do not run as root. A line for each file.
# shellcheck disable=SC2317
run_apache() {
    local modules=/etc/apache2/mods-available each
    mkdir -p t/run
    {
        cat /etc/apache2/apache2.conf "$modules/mpm_event.load"
        for each in "$modules"/*.load; do [[ $each == */mpm_* ]] || cat "$each"; done
        cat "$modules/mime.conf"
        echo 'ServerName localhost'
    } | sed 's/^Include/#&/' >apache2.conf.debian
    chown -R nobody .
    export APACHE_RUN_USER=nobody APACHE_RUN_GROUP=nogroup APACHE_PID_FILE=$PWD/t/run/pid HOME=$PWD
    export APACHE_RUN_DIR=$PWD/t/run APACHE_LOCK_DIR=$PWD/t/run APACHE_LOG_DIR=$PWD/t/run
    {
        setpriv --reuid nobody --regid nogroup --clear-groups perl Makefile.PL -apxs /usr/bin/apxs2 -httpd_conf "$PWD/apache2.conf.debian" &&
            timeout -k 5 3000 setpriv --reuid nobody --regid nogroup --clear-groups t/TEST t/{apache,protocol,http11,filter}/*.t
    } </dev/null 2>&1 | tee log | awk '/^t\/[^ ]*\.t \.+ / {
        print $1, $NF == "ok" ? "ok" : $3 == "skipped:" ? "skipped" : "failed" }' | sort -u
}

# UDP, such as the resolver's, keeps the kernel's loopback. Addresses are in patterns, too.
# shellcheck disable=SC2154
unpack_nginx() {
    cp -r "$nginx_tests"/{lib,*.t} "$1" || return
    perl -0pi -e 's/127\.0\.0\.1(?=:%%PORT_\d+_UDP%%)/127.0.0.3/g; s/127\\\.0\\\.0\\\.(?=[12]\b)/10\\.0\\.0\\./g;
        s/(Proto\s*=>\s*["\x27]udp["\x27],\s*(Local|Peer)Addr\s*=>\s*["\x27])127\.0\.0\.1/${1}127.0.0.3/g' "$1"/*.t "$1"/lib/Test/*.pm "$1"/lib/Test/Nginx/*.pm
}

# nginx of Debian's packages, with all modules that it is configured for: the tests load them.
# shellcheck disable=SC2317,SC2034
run_nginx() {
    local deadline=90
    export TEST_NGINX_BINARY=/usr/sbin/nginx TEST_NGINX_MODULES=/usr/lib/nginx/modules TEST_NGINX_GLOBALS='user root;' PERL5LIB=lib
    each prove [a-z]*.t
}
