# shellcheck shell=bash
# The library for C, installed in a folder of one's own.

# What is said is typed, and the program then starts: it finds the library, but no daemon.
check_install_of_own() {
    local prefix=$WORK/own said
    make -s -C "$ROOT/client-c" install TARGET="$WORK/c" PREFIX="$prefix" >"$WORK/made" || return
    said=$(sed -n 's/^next: *\|^      *//p' "$WORK/made")
    [[ $said == *"PKG_CONFIG_PATH=$prefix/lib/pkgconfig"* ]] || { cat "$WORK/made" && return 1; }
    (cd "$WORK" && eval "$said") || return
    said=$(RDDP_SOCKET=$WORK/none LD_LIBRARY_PATH=$prefix/lib "$WORK/hello" 10.0.0.2 7471 text 2>&1)
    [[ $said == *"$WORK/none"* ]] || { echo "$said" && return 1; }
}

check 'client-c: says how programs are compiled with the library in a folder of one'"'"'s own' check_install_of_own
