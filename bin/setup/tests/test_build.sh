# shellcheck shell=bash
# The class path of a build needs nothing outside of the tree, and the tree may be moved.

# in_tree COMMAND...: runs it where the module a depends on the module b, and on a library in Maven's repository.
in_tree() (
    tree=$WORK/tree-$RANDOM
    mkdir -p "$tree/a/target/run" "$WORK/repository"
    echo library >"$WORK/repository/c-1.jar"
    # Maven ends the file without a line end.
    printf '%s' "$tree/b/target/run/classes:$WORK/repository/c-1.jar" >"$tree/a/target/run/classpath"
    # shellcheck source=/dev/null
    source <(sed 's/^readonly //' "$ROOT/bin/setup/build.sh")
    use_tree "$tree"
    "$@"
)

use_tree() {
    ROOT=$1
    # shellcheck disable=SC2034
    STATE=$1/.rddp
}

# shellcheck disable=SC2317
without_repository() {
    classpath a >/dev/null
    rm -rf "$WORK/repository"
    [[ $(classpath a) == "$ROOT/a/target/run/classes:$ROOT/b/target/run/classes:$ROOT/.rddp/lib/c-1.jar" && -f $ROOT/.rddp/lib/c-1.jar ]]
}

# shellcheck disable=SC2317
after_move() {
    classpath a >/dev/null
    mv "$ROOT" "$ROOT-moved"
    use_tree "$ROOT-moved"
    equal "$ROOT/a/target/run/classes:$ROOT/b/target/run/classes:$ROOT/.rddp/lib/c-1.jar" "$(classpath a)"
}

# shellcheck disable=SC2317
takes_classes() {
    # shellcheck disable=SC2034
    MODULES=(a b) BUILDS=(a)
    mkdir -p "$ROOT"/{a,b}/target/classes "$ROOT/b/target/run/classes" "$STATE"
    touch "$ROOT"/{a,b}/target/classes/New.class "$ROOT/b/target/classes/module-info.class" "$ROOT/b/target/run/classes/Old.class"
    printf '%s' "$ROOT/b/target/b-1.jar:$WORK/repository/c-1.jar" >"$ROOT/a/target/classpath"
    take_classes 1 && is_built 1 a || return
    equal "$ROOT/a/target/run/classes:$ROOT/b/target/run/classes:$ROOT/.rddp/lib/c-1.jar" "$(classpath a)" || return
    equal 'a/target/run/classes/New.class b/target/run/classes/New.class' "$(cd "$ROOT" && echo */target/run/classes/*)"
}

check 'runs the classes of a build with all checks' in_tree takes_classes
check 'keeps libraries in the tree' in_tree without_repository
check 'finds classes and libraries where the tree was moved to' in_tree after_move

# shellcheck disable=SC2317
rebuilds_for_headers() {
    local before after
    # shellcheck disable=SC2034
    MODULES=()
    dpdk_description() { echo 'DPDK 1'; }
    has_verbs_headers() { false; }
    rdma_core_version() { echo 44; }
    mkdir -p "$ROOT/.mvn" "$STATE" && touch "$ROOT/pom.xml"
    before=$(JAVA_HOME=x fingerprint)
    for name in verbs sockets; do echo "$before" >"$STATE/built-$name"; done
    is_built "$before" verbs sockets && ! is_built "$before" tools || return
    has_verbs_headers() { true; }
    after=$(JAVA_HOME=x fingerprint)
    [[ $before != "$after" ]] && ! is_built "$after" verbs
}

# A command that needs what is built already waits for no other build.
# shellcheck disable=SC2317
works_beside_a_build() {
    local lock
    mkdir -p "$STATE"
    fingerprint() { echo 1; }
    build() { echo "built ${*:2}"; }
    echo 1 >"$STATE/built-verbs"
    exec {lock}>"$STATE/lock"
    flock "$lock"
    equal '' "$(build_if_changed verbs)" || return
    flock -u "$lock"
    equal 'built sockets' "$(build_if_changed sockets)"
}

# shellcheck disable=SC2317
shows_what_it_waits_for() {
    local lock waiting line='' shown=''
    mkdir -p "$STATE"
    BUILD_LOG=$STATE/build.log
    # shellcheck source=bin/setup/say.sh
    source "$HERE/../say.sh"
    printf '[INFO] Building rddp %s 0.2.0   [%s]\n' conformance 2/9 client 3/9 >"$BUILD_LOG"
    exec {lock}>"$STATE/lock"
    flock "$lock"
    exec {waiting}< <(exec {lock}>&- 2>&1 && lock_builds mine && echo locked)
    while [[ $line != *client* ]] && IFS= read -t 60 -r line <&"$waiting"; do shown+=$line; done
    printf '[INFO] Building rddp %s 0.2.0   [%s]\n' daemon 4/9 >>"$BUILD_LOG"
    while [[ $line != *daemon* ]] && IFS= read -t 60 -r line <&"$waiting"; do shown+=$line; done
    flock -u "$lock"
    equal 'rddp: waiting for another build:rddp:   [2/9] conformance, then 7 morerddp:   [3/9] client, then 6 morerddp:   [4/9] daemon, then 5 more' \
        "$shown" && equal locked "$(cat <&"$waiting")"
}

check 'a command that waits for a build shows how far that is' in_tree shows_what_it_waits_for
check 'builds libraries again when their headers have come' in_tree rebuilds_for_headers
check 'a command works beside a build, unless it needs one' in_tree works_beside_a_build
