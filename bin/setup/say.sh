# shellcheck shell=bash
# How the set-up speaks: always on standard error, so that a command's output stays its own.

say() {
    printf 'rddp: %s\n' "$*" >&2
}

# fail MESSAGE [WHAT TO DO]...: says why it cannot go on, and what would help.
fail() {
    printf 'rddp: error: %s\n' "$1" >&2
    shift
    if (($# > 0)); then
        printf '      %s\n' "$@" >&2
    fi
    exit 1
}

is_root() {
    ((EUID == 0))
}

has() {
    command -v -- "$1" >/dev/null 2>&1
}
