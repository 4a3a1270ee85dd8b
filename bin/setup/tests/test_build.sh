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

check 'builds libraries again when their headers have come' in_tree rebuilds_for_headers
check 'a command works beside a build, unless it needs one' in_tree works_beside_a_build
