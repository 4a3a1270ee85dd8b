# shellcheck shell=bash
# Tests of libraries: libuv's.

# Debian's libuv under the tests of its source.
unpack_libuv() {
    local from
    from=$(sources libuv1 '*/test/*' '*/src/*') || return
    cp -r "$from"/{test,src} "$1"
    # Both sides run at the same time.
    sed -i 's,"/tmp/uv-test-sock,"uv-test-sock,' "$1/test/task.h"
}

# Those of TCP, pipes, polling and processes. They do not run as root.
# shellcheck disable=SC2317
run_libuv() {
    local files tests
    local wanted='^(tcp|pipe|poll|shutdown|ipc|not|fork|spawn|stdio|close|connect|delayed|emfile|getsockname_tcp|getters|multiple|readable|.*_ref)'
    if [[ -n $quick ]]; then wanted='^(tcp_(bind|close|open|write)|shutdown|ipc_listen)'; fi
    mapfile -t files < <(ls test/{test-*,run-tests,runner,runner-unix,*-server}.c)
    cc -D_GNU_SOURCE -w -o run-tests "${files[@]}" -luv -ldl -pthread || return
    chown -R nobody .
    mapfile -t tests < <(as_nobody ./run-tests --list | awk -v wanted="$wanted" '$1 ~ wanted && $1 !~ /^udp/ { print $1 }')
    UV_TEST_TIMEOUT_MULTIPLIER=5 each libuv_test "${tests[@]}"
}

libuv_test() {
    local status=0
    as_nobody ./run-tests "$1" || status=$?
    # 7: it is skipped.
    return "$((status == 7 ? 0 : status))"
}

as_nobody() {
    setpriv --reuid nobody --regid nogroup --clear-groups "$@"
}
export -f libuv_test as_nobody
