# shellcheck shell=bash
# Messages of the set-up: always on standard error, so that standard output belongs to the command.

say() {
    printf 'rddp: %s\n' "$*" >&2
}

# fail MESSAGE [ADVICE]...: prints an error and what to do about it, and exits.
fail() {
    fail_with 1 "$@"
}

# fail_with STATUS MESSAGE [ADVICE]...
fail_with() {
    local status=$1
    printf 'rddp: error: %s\n' "$2" >&2
    shift 2
    if (($# > 0)); then
        printf '      %s\n' "$@" >&2
    fi
    exit "$status"
}

is_root() {
    ((EUID == 0))
}

has() {
    command -v -- "$1" >/dev/null 2>&1
}

# Whether this is an installed copy, which has no sources.
is_installed() {
    [[ ! -f $ROOT/pom.xml ]]
}

# Prints the folder of the documents: the source tree's, a tarball's or a package's.
documents() {
    if ! is_installed; then
        echo docs
    elif [[ -d $ROOT/doc ]]; then
        echo "$ROOT/doc/docs"
    else
        echo /usr/share/doc/rddp/docs
    fi
}
