# shellcheck shell=bash
# The class path of a build needs nothing outside of the tree, and the tree may be moved.

# in_tree COMMAND...: runs it where the module a depends on the module b, and on a library in Maven's repository.
in_tree() (
    tree=$WORK/tree-$RANDOM
    mkdir -p "$tree/a/target" "$WORK/repository"
    echo library >"$WORK/repository/c-1.jar"
    # Maven ends the file without a line end.
    printf '%s' "$tree/b/target/classes:$WORK/repository/c-1.jar" >"$tree/a/target/classpath"
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
    [[ $(classpath a) == "$ROOT/a/target/classes:$ROOT/b/target/classes:$ROOT/.rddp/lib/c-1.jar" && -f $ROOT/.rddp/lib/c-1.jar ]]
}

# shellcheck disable=SC2317
after_move() {
    classpath a >/dev/null
    mv "$ROOT" "$ROOT-moved"
    use_tree "$ROOT-moved"
    equal "$ROOT/a/target/classes:$ROOT/b/target/classes:$ROOT/.rddp/lib/c-1.jar" "$(classpath a)"
}

check 'keeps libraries in the tree' in_tree without_repository
check 'finds classes and libraries where the tree was moved to' in_tree after_move
