# shellcheck shell=bash
# rddp test: the whole suite, step by step. Ends with the line "N passed, N failed".
#
# A step is a function. Its output goes to its log; lines that begin with "ok " or "not ok " count as tests, and a step
# without such lines counts as one test. File descriptor 3 is the terminal.

readonly SUITE=$ROOT/target/suite
# Kinds of simulated runs, and how many of each: with those of the unit tests they take four minutes on two cores.
readonly SIMULATIONS=(tcp:6000 mpa:6000 rdma:1200 programs:2300)

suite_passed=0
suite_failed=0
suite_skipped=0
suite_step=0
suite_failures=()

suite_usage() {
    cat <<'END'
Usage: rddp test [--no-dpdk]

Builds rddp and runs every test: scripts, unit and simulation tests, the rings under jcstress, TCP and MPA under a fuzzer,
the shim over DPDK under sanitizers, the demo with its capture in Wireshark, the Debian package, Linux's TCP and Linux's siw
as peers, and unmodified RDMA programs. Takes some minutes; the first time more, because it builds a virtual machine with siw.

      --no-dpdk   Only tests that need no DPDK; the default where DPDK is missing.
  -h, --help      Show this.
END
}

suite() {
    local argument
    for argument in "$@"; do
        case $argument in
            --no-dpdk) forget_dpdk ;;
            -h | --help) suite_usage && return ;;
            *) suite_usage >&2 && return 2 ;;
        esac
    done
    suite_prepare
    exec 3>&1
    local steps=(scripts java simulation races fuzz tshark)
    if has_dpdk; then
        reserve_hugepages
        steps+=(shim demo package soak)
        # In CI, a step that cannot run has failed.
        if is_root || [[ -n ${CI:-} ]]; then
            steps+=(linux_tcp siw verbs)
        else
            echo 'not root: steps that need network namespaces are left out'
        fi
    fi
    suite_run "${steps[@]}"
    suite_summary
}

# Hides DPDK from the build and the tests. Removes the shim of an earlier build, and CI, with which a missing shim is an error.
forget_dpdk() {
    export PKG_CONFIG_LIBDIR=/nonexistent RDDP_NO_DPDK=1
    unset PKG_CONFIG_PATH CI
    rm -rf "$ROOT/native/target"
}

suite_prepare() {
    find_jdk
    install_packages_to_run
    install_packages_to_test
    rm -rf "$SUITE"
    mkdir -p "$SUITE" "$STATE"
    trap restore_hugepages EXIT
    trap 'exit 130' INT
    trap 'exit 143' TERM HUP
    suite_maven_arguments=()
    if (($(java_feature "$JAVA_HOME") < 23)); then
        suite_maven_arguments+=('-Drddp.jvm.args=--add-modules jdk.incubator.vector --enable-native-access=ALL-UNNAMED --add-opens java.base/jdk.internal.misc=ALL-UNNAMED --add-opens java.base/java.util.zip=ALL-UNNAMED')
    fi
    # Tests that cannot run here must not drop their clauses from the conformance matrix.
    has_dpdk || suite_maven_arguments+=(-Dconformance.goal=names)
    echo "rddp test: JDK $(java_version "$JAVA_HOME"), $(dpdk_description), $(nproc) cores"
}

# suite_run NAME...: runs the function step_NAME of each; its title is in title_of.
suite_run() {
    local step
    for step in "$@"; do
        suite_step=$((suite_step + 1))
        echo "[$suite_step/$#] $(title_of "$step")"
        run_step "$step"
    done
}

title_of() {
    case $1 in
        scripts) echo 'scripts' ;;
        java) echo 'unit and simulation tests' ;;
        simulation) echo "simulated runs over bad networks, under virtual time: ${SIMULATIONS[*]}" ;;
        races) echo 'what threads and processes share under jcstress' ;;
        fuzz) echo 'fuzzing, 20 seconds for each target' ;;
        shim) echo 'the shim over DPDK under AddressSanitizer and UndefinedBehaviorSanitizer' ;;
        tshark) echo 'every message of RDMAP, decoded by Wireshark' ;;
        linux_tcp) echo "Linux's TCP as the peer" ;;
        siw) echo "Linux's siw as the peer" ;;
        verbs) echo 'unmodified RDMA programs' ;;
        package) echo 'the Debian package: built, installed, used and removed' ;;
        demo) echo 'the demo, and its capture decoded by Wireshark' ;;
        soak) echo 'a daemon under programs that misbehave and are killed' ;;
    esac
}

run_step() {
    local began=$SECONDS log=$SUITE/$1.log status=0
    step_passed=0
    step_failed=0
    step_skipped=0
    "step_$1" >"$log" 2>&1 || status=$?
    count_lines "$log" "$status"
    suite_passed=$((suite_passed + step_passed))
    suite_failed=$((suite_failed + step_failed))
    suite_skipped=$((suite_skipped + step_skipped))
    echo "      $step_passed passed, $step_failed failed ($((SECONDS - began)) s)"
    if ((step_failed > 0)); then
        suite_failures+=("$1: $log")
        show_failure "$log"
    fi
}

# Counts a step's lines, unless the step has set step_passed or step_failed.
count_lines() {
    local log=$1 status=$2
    if ((step_passed + step_failed == 0)); then
        step_passed=$(grep -c '^ok ' "$log") || true
        step_failed=$(grep -c '^not ok ' "$log") || true
    fi
    if ((status != 0 && step_failed == 0)); then
        step_failed=1
    elif ((step_passed + step_failed == 0)); then
        step_passed=1
    fi
}

show_failure() {
    if ! grep -E '^(not ok |\[ERROR\])' "$1" | head -n 30 | sed 's/^/      | /' | grep .; then
        tail -n 30 "$1" | sed 's/^/      | /'
    fi
    echo "      all of it: $1"
}

suite_summary() {
    echo
    if ((${#suite_failures[@]} > 0)); then
        echo 'Failed:'
        printf '  %s\n' "${suite_failures[@]}"
    fi
    if ((suite_skipped > 0)); then
        echo "$suite_skipped skipped"
    fi
    echo "took $((SECONDS / 60)) min $((SECONDS % 60)) s"
    echo "$suite_passed passed, $suite_failed failed"
    ((suite_failed == 0))
}

step_scripts() {
    "$ROOT/bin/setup/tests/run"
}

# Maven's whole life cycle, which builds all that the other steps run; the tests are counted from their reports.
step_java() {
    local status=0 print
    print=$(fingerprint)
    find "$ROOT" -path '*/target/surefire-reports' -prune -exec rm -rf {} +
    rm -rf "$STATE/packaged" "$ROOT/packaging/target/lib"
    maven_offline_first show_tests --fail-at-end "${suite_maven_arguments[@]}" verify || status=$?
    cat "$BUILD_LOG"
    count_reports
    if ((status == 0)); then
        mark_built "$print"
        printf '%s\n' "$print" >"$STATE/packaged"
    fi
    return "$status"
}

# Progress on the terminal: each module, the results of its tests, and each failure at once.
show_tests() {
    local line
    while IFS= read -r line; do
        if module_line "$line"; then
            printf '      [%s] %s\n' "$MODULE_NUMBER" "$MODULE_NAME" >&3
        elif [[ $line =~ Tests\ run:\ ([0-9]+),\ Failures:\ ([0-9]+),\ Errors:\ ([0-9]+),\ Skipped:\ ([0-9]+)$ ]]; then
            printf '            %s run, %s failed, %s skipped\n' "${BASH_REMATCH[1]}" \
                $((BASH_REMATCH[2] + BASH_REMATCH[3])) "${BASH_REMATCH[4]}" >&3
        elif [[ $line == *'<<< FAILURE!' || $line == *'<<< ERROR!' ]]; then
            printf '            %s\n' "$line" >&3
        fi
    done
}

# Adds up the <testsuite> elements of all reports.
count_reports() {
    local tests=0 errors=0 failures=0 skipped=0 line
    while IFS= read -r line; do
        tests=$((tests + $(attribute tests "$line")))
        errors=$((errors + $(attribute errors "$line")))
        failures=$((failures + $(attribute failures "$line")))
        skipped=$((skipped + $(attribute skipped "$line")))
    done < <(find "$ROOT" -path '*/target/surefire-reports/TEST-*.xml' -exec grep -h -m1 '<testsuite ' {} +)
    step_failed=$((errors + failures))
    step_skipped=$skipped
    step_passed=$((tests - errors - failures - skipped))
}

# attribute NAME ELEMENT: a number in an XML start tag, or 0.
attribute() {
    if [[ $2 =~ [[:space:]]$1=\"([0-9]+)\" ]]; then
        echo "${BASH_REMATCH[1]}"
    else
        echo 0
    fi
}

# On all cores; the seeds are always the same.
step_simulation() {
    local each kind runs status=0
    jvm_arguments
    for each in "${SIMULATIONS[@]}"; do
        kind=${each%:*} runs=${each#*:}
        if timeout -k 10 600 "$JAVA_HOME/bin/java" "${JVM_ARGUMENTS[@]}" -cp "$(classpath tools)" "$MAIN_CLASS" \
            simulate "$kind" --seeds "$runs"; then
            echo "ok $runs runs of $kind"
        else
            echo "not ok runs of $kind"
            status=1
        fi
    done
    return "$status"
}

# What threads and processes share, with the profile jcstress; the results are in the last line of jcstress's progress.
step_races() {
    local module status=0 results='.*Results: ([0-9]+) planned; ([0-9]+) passed'
    for module in client tcp-lite; do
        maven_offline_first discard_output -Pjcstress -pl "$module" -am -DskipTests -Dspotless.skip=true test-compile exec:exec@jcstress || status=$?
        cat "$BUILD_LOG"
        if [[ $(<"$BUILD_LOG") =~ $results ]]; then
            step_passed=$((step_passed + BASH_REMATCH[2]))
            step_failed=$((step_failed + BASH_REMATCH[1] - BASH_REMATCH[2]))
        fi
    done
    return "$status"
}

discard_output() {
    cat >/dev/null
}

# A fuzzer has one thread, so there is one on each core at a time.
step_fuzz() {
    local lane process lanes=() status=0
    # shellcheck source=bin/setup/fuzz.sh
    source "$ROOT/bin/setup/fuzz.sh"
    set_up_to_fuzz
    for ((lane = 0; lane < $(nproc); lane++)); do
        fuzz_every "$(nproc)" "$lane" >"$SUITE/fuzz-$lane.log" 2>&1 &
        lanes+=($!)
    done
    for process in "${lanes[@]}"; do
        wait "$process" || status=1
    done
    cat "$SUITE"/fuzz-*.log
    return "$status"
}

# fuzz_every N FIRST: every Nth target from the FIRST on, one after the other.
fuzz_every() {
    local i status=0
    for ((i = $2; i < ${#FUZZ_TARGETS[@]}; i += $1)); do
        fuzz_for "${FUZZ_TARGETS[i]}" 20 || status=1
    done
    return "$status"
}

step_tshark() {
    timeout -k 10 300 "$ROOT/interop/tshark/run"
}

step_shim() {
    timeout -k 10 300 "$ROOT/native/build" check
}

step_linux_tcp() {
    timeout -k 30 600 "$ROOT/interop/linux-tcp/run" --quick
}

# Builds the guest if it does not exist, with downloads and in about a minute.
step_siw() {
    timeout -k 30 1200 "$ROOT/interop/siw/run" --quick
}

# Those that the tests of the module verbs do not run.
step_verbs() {
    timeout -k 30 600 "$ROOT/interop/verbs/run" --quick
}

step_package() {
    timeout -k 30 600 "$ROOT/packaging/check"
}

step_demo() {
    timeout -k 30 600 "$ROOT/interop/demo/run"
}

# A seed whose first disturbances are: a program stopped for a while, a program ended, the daemon killed, a program killed.
step_soak() {
    jvm_arguments soak
    timeout -k 10 400 "$JAVA_HOME/bin/java" "${JVM_ARGUMENTS[@]}" -cp "$(classpath tools)" "$MAIN_CLASS" \
        soak --minutes 0.75 --seed 18
}
