# shellcheck shell=bash
# Tests of languages: Perl's IO::Socket, IO::Select and IO::Socket::IP, HTTP::Daemon, and Tcl's socket.test.

unpack_perl() {
    local from
    from=$(sources perl '*/dist/IO/t/*' '*/cpan/IO-Socket-IP/t/*' '*/t/test.pl' '*/t/charset_tools.pl') || return
    mkdir "$1/t"
    cp "$from"/t/*.pl "$1/t"
    cp "$from"/dist/IO/t/{io_sock,io_sock_errstr,io_multihomed,io_sel,io_poll,io_dup,io_pipe,cachepropagate-tcp,io_udp,io_unix}.t \
        "$from"/cpan/IO-Socket-IP/t/{0,1,2}*.t "$from"/cpan/IO-Socket-IP/t/30*.t "$1/t"
    rm "$1/t/00use.t"
}

# shellcheck disable=SC2317
run_perl() {
    PERL5LIB=. each prove t/*.t
}

unpack_http_daemon() {
    local from
    from=$(sources libhttp-daemon-perl '*/t/*' '*/lib/*') || return
    cp -r "$from/t" "$from/lib" "$1"
}

# shellcheck disable=SC2317
run_http_daemon() {
    PERL5LIB=.:lib:t/lib each prove t/*.t
}

unpack_tcl() {
    local from
    from=$(sources tcl8.6 '*/tests/*') || return
    cp "$from"/tests/{socket.test,http.test,httpd,http11.test,httpd11.tcl,remote.tcl} "$1"
}

# A line for each of its tests.
# shellcheck disable=SC2317
run_tcl() {
    local file
    for file in socket http http11; do
        timeout -k 5 240 tclsh "$file.test" -verbose pse 2>&1 </dev/null | tee "$file.log" |
            awk '/^\+\+\+\+ .* PASSED/ { print $2, "ok" } /^\+\+\+\+ .* SKIPPED/ { print $2, "skipped" } /^==== .* FAILED$/ { print $2, "failed" }' | sort -u
    done
}
