# shellcheck shell=bash
# Tests of languages: Perl's IO::Socket, IO::Select and IO::Socket::IP, HTTP::Daemon, Tcl's socket.test, Ruby's of sockets and net/http, and
# PHP's of sockets and streams.

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

unpack_ruby() {
    local from
    from=$(sources ruby3.1 '*/test/*' '*/tool/*') || return
    cp -r "$from"/{test,tool} "$1"
}

# A line for each of its tests.
# shellcheck disable=SC2317
run_ruby() {
    local file
    for file in test/socket/test_*.rb test/net/{http,protocol}/test_*.rb test/drb/test_drb.rb test/open-uri/test_open-uri.rb; do
        timeout -k 5 240 ruby test/runner.rb -v "$file" 2>&1 </dev/null | tee "$file.log" | ruby_results
    done
}

# "[2/8] TestSocket_TCPSocket#test_inspect = 0.00 s" when a test begins; "  1) Failure:" and its name in the next line.
ruby_results() {
    awk '/^ *[0-9]+\) (Failure|Error|Skipped):/ { wrong = $2 == "Skipped:" ? "skipped" : "failed"; next }
        match($0, /[A-Za-z_:0-9]+#test_[A-Za-z_0-9]+/) && (/^\[ *[0-9]+\// || wrong != "") {
            name = substr($0, RSTART, RLENGTH); if (wrong != "" || !(name in result)) result[name] = wrong == "" ? "ok" : wrong; wrong = ""; last = name }
        /^Finished tests/ { last = "" }
        END { if (last != "") result[last] = "hangs"; for (name in result) print name, result[name] }' | sort
}

unpack_php() {
    local from
    from=$(sources php8.2 '*/ext/*/tests/*' '*/tests/*' '*/run-tests.php') || return
    mkdir -p "$1/ext/standard/tests" "$1/sapi/cli"
    cp "$from/run-tests.php" "$1"
    cp -r "$from/ext/sockets" "$from/ext/openssl" "$1/ext"
    cp -r "$from"/ext/standard/tests/{network,streams,http} "$1/ext/standard/tests"
    cp -r "$from/sapi/cli/tests" "$1/sapi/cli"  # what others include
    # 10.0.0.1 is shorter.
    grep -rlZ --include='*.phpt' '"[^"]*127\.0\.0\.1' "$1/ext" |
        xargs -0r perl -pi -e 's/string\((\d+)\)(?= "[^"]*127\.0\.0\.1\b)/"string(" . ($1 - 1) . ")"/e'
}

# Those that connect. A line for each file; WARN is one that has passed the second time.
# shellcheck disable=SC2317
run_php() {
    local files
    mapfile -t files < <(grep -rlE --include='*.phpt' 'tcp://|AF_INET|socket_create_listen|stream_socket_server' ext | sort)
    TEST_PHP_EXECUTABLE=$(command -v php) NO_INTERACTION=1 TEST_TIMEOUT=30 timeout -k 5 3000 php run-tests.php -q --no-color "${files[@]}" 2>&1 </dev/null |
        tee log | sed -E 's/\]\r?WARN /]PASS /' | sed -nE 's/.*(PASS|FAIL|SKIP|BORK|WARN|LEAK|XFAIL)( .*)? \[([^] ]*\.phpt)\].*/\3 \1/p' | sort -u
}
