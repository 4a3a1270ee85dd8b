# shellcheck shell=bash
# rddp test: the whole suite, step by step. Ends with the line "N passed, N failed".
#
# A step is a function. Its output goes to its log; lines that begin with "ok " or "not ok " count as tests, and a step
# without such lines counts as one test. Steps run side by side, each in a process of its own that leaves its counts in
# NAME.counts and its times in NAME.time. File descriptor 3 is the terminal.

readonly SUITE=$ROOT/target/suite
readonly STEPS_AT_ONCE=3
# The suite takes as long as these two do, so the others yield to them by so much.
readonly LONGEST_STEPS=' build java '
readonly NICENESS=4
# Maven's arguments for steps that run what `build` has made, side by side: they must not write it. Maven's compiler would compile
# all again, because other modules' classes are no longer in jars.
readonly BUILT=(-Dspotless.skip=true -Dmdep.skip=true -Dmaven.compiler.useIncrementalCompilation=false)
# Of that Maven's JVM, which compiles nothing.
readonly MAVEN_FLAGS='-XX:TieredStopAtLevel=1 -XX:+UseSerialGC'
# Modules of the libraries in C, on which no other module depends and whose tests show no clause.
readonly LIBRARIES=(client-c verbs sockets)
# Kinds of simulated runs, and how many of each.
readonly SIMULATIONS=(tcp:200 mpa:200 rdma:100 programs:120 sockets:35)
# For each target of the fuzzer.
readonly FUZZ_SECONDS=3

# With --changed: the commit; otherwise empty.
suite_since=
suite_passed=0
suite_failed=0
suite_skipped=0
suite_failures=()
suite_times=()
# The step of each process that runs, by its id.
declare -A suite_running=()

suite_usage() {
    cat <<'END'
Usage: rddp test [--no-dpdk] [--changed[=COMMIT] | STEP...]

Builds rddp and runs every test: scripts, unit and simulation tests, the rings under jcstress, TCP and MPA under a fuzzer,
the shim over DPDK under sanitizers, the demo with its capture in Wireshark, the Debian package, Linux's TCP, siw and ESP as
peers, and unmodified programs for RDMA and sockets. Three steps run at a time. Takes some 15 minutes on two cores; the first
time more, because it builds virtual machines.

To run only some steps, name them, build as the first one: build, scripts, java (unit and simulation tests), siw, esp,
linux_tcp, verbs, sockets, libraries (tests of the libraries in C), demo, package, soak, shim, simulation, races, fuzz,
tshark. Only if it is named runs: ike (ESP with keys from strongSwan, in an emulated machine; some five minutes).

      --no-dpdk   Only tests that need no DPDK; the default where DPDK is missing.
      --changed   Only the steps that what is not committed yet can affect, and in the step java only the tests of the modules
                  that it can affect; those of commands, benchmarks and packages only if they changed themselves. With =COMMIT:
                  what has changed since then. For the daily round: before a submission run everything.
  -h, --help      Show this.
END
}

suite() {
    local argument chosen=() steps affected=()
    for argument in "$@"; do
        case $argument in
            --no-dpdk) forget_dpdk ;;
            --changed) suite_since=HEAD ;;
            --changed=*) suite_since=${argument#*=} ;;
            -h | --help) suite_usage && return ;;
            *)
                [[ -n $(title_of "$argument") ]] || { suite_usage >&2 && return 2; }
                chosen+=("$argument")
                ;;
        esac
    done
    if [[ -n $suite_since ]]; then
        # shellcheck source=bin/setup/changed.sh
        source "$ROOT/bin/setup/changed.sh"
        git -C "$ROOT" rev-parse --quiet --verify "$suite_since^{commit}" >/dev/null \
            || fail "--changed: '$suite_since' is no commit of $ROOT" 'Name one, for example --changed=HEAD~1.'
        mapfile -t affected < <(changed_paths "$suite_since")
        if ((${#affected[@]} == 0)); then
            echo "rddp test: nothing has changed since $suite_since"
            return
        fi
        mapfile -t affected < <(printf '%s\n' "${affected[@]}" | affected_steps)
    fi
    suite_prepare
    exec 3>&1
    # What computes beside what waits for guests and the network, the longest first, and last what computes on every core by
    # itself, so that none is idle. fuzz, races and libraries are not among the two that begin with java: on a new machine
    # Maven then fetches what runs tests, and two must not do that at a time.
    steps=(build scripts java)
    if has_dpdk; then
        reserve_hugepages_for_steps "$STEPS_AT_ONCE"
        steps+=(siw verbs fuzz races libraries sockets package esp demo linux_tcp soak shim)
        # In CI, a step that cannot run has failed.
        if ! is_root && [[ -z ${CI:-} ]]; then
            echo 'not root: steps that need network namespaces are left out'
            mapfile -t steps < <(printf '%s\n' "${steps[@]}" | grep -vxE 'siw|sockets|verbs|esp|linux_tcp')
        fi
    else
        steps+=(fuzz races libraries)
    fi
    steps+=(tshark simulation)
    if ((${#chosen[@]} > 0)); then steps=("${chosen[@]}"); fi
    if [[ -n $suite_since ]]; then
        mapfile -t steps < <(printf '%s\n' "${steps[@]}" | grep -xF "$(printf '%s\n' "${affected[@]}")")
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
    need_to_run
    need_to_test
    install_missing
    find_jdk
    rm -rf "$SUITE"
    mkdir -p "$SUITE" "$STATE"
    trap 'suite_stop; restore_hugepages' EXIT
    trap 'exit 130' INT
    trap 'exit 143' TERM HUP
    suite_maven_arguments=()
    if (($(java_feature "$JAVA_HOME") < 23)); then
        suite_maven_arguments+=('-Drddp.jvm.args=--add-modules jdk.incubator.vector --enable-native-access=ALL-UNNAMED --add-opens java.base/jdk.internal.misc=ALL-UNNAMED --add-opens java.base/java.util.zip=ALL-UNNAMED')
    fi
    echo "rddp test: JDK $(java_version "$JAVA_HOME"), $(dpdk_description), $(nproc) cores"
}

# suite_run NAME...: runs the function step_NAME of each, three at a time; those after `build` once that has succeeded.
suite_run() {
    local waiting=("$@") step ended built=yes
    if [[ " $* " == *' build '* ]]; then built=; fi
    while ((${#waiting[@]} + ${#suite_running[@]} > 0)); do
        step=${waiting[0]:-}
        if [[ -n $step && -z $built && $step != build && $step != scripts ]]; then step=; fi
        if [[ -n $step ]] && ((${#suite_running[@]} < STEPS_AT_ONCE)); then
            echo "[$(($# - ${#waiting[@]} + 1))/$#] $(title_of "$step")"
            # A process group of its own, so that a signal ends all of a step; and steps that can be interrupted.
            set -m
            run_step "$step" </dev/null &
            set +m
            suite_running[$!]=$step
            waiting=("${waiting[@]:1}")
            continue
        fi
        wait -n -p ended || true
        step=${suite_running[$ended]}
        unset "suite_running[$ended]"
        end_step "$step"
        if [[ $step == build ]]; then
            if ((step_failed > 0)); then waiting=(); fi
            built=yes
        fi
    done
}

# Ends the running steps; a command that a step runs under `timeout` is not in the step's process group.
suite_stop() {
    local process children
    for process in "${!suite_running[@]}"; do
        mapfile -t children < <(pgrep -P "$process")
        kill -TERM -- "-$process" "${children[@]}" 2>/dev/null || true
    done
    wait
}

title_of() {
    case $1 in
        scripts) echo 'scripts' ;;
        build) echo 'build' ;;
        java) echo 'unit and simulation tests' ;;
        libraries) echo 'tests of the libraries in C' ;;
        simulation) echo "simulated runs over bad networks, under virtual time: ${SIMULATIONS[*]}" ;;
        races) echo 'what threads and processes share under jcstress' ;;
        fuzz) echo "fuzzing, $FUZZ_SECONDS seconds for each target" ;;
        shim) echo 'the shim over DPDK under AddressSanitizer and UndefinedBehaviorSanitizer' ;;
        tshark) echo 'every message of RDMAP, decoded by Wireshark' ;;
        linux_tcp) echo "Linux's TCP as the peer" ;;
        siw) echo "Linux's siw as the peer" ;;
        esp) echo "Linux's siw over its ESP as the peer" ;;
        ike) echo 'the same with keys from strongSwan' ;;
        verbs) echo 'unmodified RDMA programs' ;;
        sockets) echo 'unmodified programs with sockets' ;;
        package) echo 'the Debian package: built, installed, used and removed' ;;
        demo) echo 'the demo, and its capture decoded by Wireshark' ;;
        soak) echo 'a daemon under programs that misbehave and are killed' ;;
    esac
}

# run_step NAME: in a process of its own.
run_step() {
    local log=$SUITE/$1.log status=0 TIMEFORMAT='%0R %0U %0S'
    set +m
    if [[ $LONGEST_STEPS != *" $1 "* ]]; then renice -n "$NICENESS" -p "$BASHPID" >/dev/null; fi
    step_passed=0
    step_failed=0
    step_skipped=0
    { time "step_$1" >"$log" 2>&1 || status=$?; } 2>"$SUITE/$1.time"
    count_lines "$log" "$status"
    echo "$step_passed $step_failed $step_skipped" >"$SUITE/$1.counts"
}

# end_step NAME: adds up its counts, and prints them.
end_step() {
    local elapsed user system
    step_passed=0 step_failed=1 step_skipped=0 elapsed=0 user=0 system=0
    if [[ -f $SUITE/$1.counts ]]; then
        read -r step_passed step_failed step_skipped <"$SUITE/$1.counts"
        read -r elapsed user system <"$SUITE/$1.time"
    fi
    suite_passed=$((suite_passed + step_passed))
    suite_failed=$((suite_failed + step_failed))
    suite_skipped=$((suite_skipped + step_skipped))
    suite_times+=("$(printf '%-10s %5d %7d' "$1" "$elapsed" $((user + system)))")
    echo "      $1: $step_passed passed, $step_failed failed ($elapsed s)"
    if ((step_failed > 0)); then
        suite_failures+=("$1: $SUITE/$1.log")
        show_failure "$SUITE/$1.log"
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
    echo 'step     seconds  of CPU time'
    printf '%s\n' "${suite_times[@]}"
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

# Builds all that the other steps run: classes, tests, jars.
step_build() {
    local status=0 lock print
    lock_builds lock
    rm -rf "$STATE/packaged" "$ROOT/packaging/target/lib"
    MAVEN_OPTS="${MAVEN_OPTS:-} $MAVEN_FLAGS" maven_offline_first show_tests -Pjcstress -T 2 -DskipTests verify || status=$?
    cat "$BUILD_LOG"
    # Only now: outside of CI, the build formats the sources first.
    if ((status == 0)); then
        print=$(fingerprint)
        printf '%s\n' "$print" >"$STATE/packaged"
        take_classes "$print" || status=$?
    fi
    exec {lock}>&-
    return "$status"
}

# The conformance matrix is made from the tests' reports.
step_java() {
    local status=0 goal=write modules tests
    if [[ -n $suite_since ]]; then
        { read -r tests && read -r modules; } < <(changed_tests "$suite_since")
        test_modules others -pl "$modules" -am "-Dtest=$tests" -Dsurefire.failIfNoSpecifiedTests=false
        return
    fi
    modules=$(printf ',!%s' "${LIBRARIES[@]}")
    test_modules others -pl "${modules:1}" || status=$?
    if ((status == 0)); then
        # Tests that cannot run here must not drop their clauses from the conformance matrix.
        if ! has_dpdk; then goal=names; elif [[ -n ${CI:-} ]]; then goal=check; fi
        (cd "$ROOT" && "$JAVA_HOME/bin/java" -cp conformance/target/classes org.rddp.conformance.MatrixCommand "$goal" .) || status=$?
    fi
    return "$status"
}

step_libraries() {
    local BUILD_LOG=$SUITE/libraries-maven.log modules tests
    modules=$(printf ',%s' "${LIBRARIES[@]}")
    tests=$(printf ',**/%s/*Test' "${LIBRARIES[@]//-/}")
    # Their modules need others to be built, whose tests are the step java's.
    test_modules libraries -pl "${modules:1}" -am -Dtest="${tests:1}" -Dsurefire.failIfNoSpecifiedTests=false
}

# test_modules libraries|others ARGUMENT...: runs tests by Maven, and counts them by the reports of those modules.
test_modules() {
    local status=0
    local -x MAVEN_OPTS="${MAVEN_OPTS:-} $MAVEN_FLAGS"
    report_folders "$1" | xargs -r -d '\n' rm -rf
    # The shim's self-test is the step shim.
    maven_offline_first show_tests --fail-at-end -Pjcstress "${BUILT[@]}" -Dskip.self-test=true "${suite_maven_arguments[@]}" \
        "${@:2}" test || status=$?
    cat "$BUILD_LOG"
    count_reports "$1"
    if ((step_passed + step_failed + step_skipped == 0)); then
        echo 'no test ran'
        status=1
    fi
    return "$status"
}

# report_folders libraries|others: prints the folders of reports of the libraries' modules, or of all others.
report_folders() {
    local modules matching=(-E)
    modules=$(printf '|%s' "${LIBRARIES[@]}")
    if [[ $1 == others ]]; then matching+=(-v); fi
    find "$ROOT" -type d -path '*/target/surefire-reports' | grep "${matching[@]}" "/(${modules:1})/target/" || true
}

# Shows progress on the terminal: each module, the results of its tests, and each failure at once.
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

# Adds up the <testsuite> elements of the reports in the folders of report_folders.
count_reports() {
    local tests=0 errors=0 failures=0 skipped=0 line
    while IFS= read -r line; do
        tests=$((tests + $(attribute tests "$line")))
        errors=$((errors + $(attribute errors "$line")))
        failures=$((failures + $(attribute failures "$line")))
        skipped=$((skipped + $(attribute skipped "$line")))
    done < <(report_folders "$1" | xargs -r -d '\n' grep -rh -m1 --include='TEST-*.xml' '<testsuite ')
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

# Uses all cores; the seeds are always the same.
step_simulation() {
    local each kind runs status=0
    jvm_arguments
    for each in "${SIMULATIONS[@]}"; do
        kind=${each%:*} runs=${each#*:}
        if timeout -k 10 600 "$JAVA_HOME/bin/java" "${JVM_ARGUMENTS[@]}" -cp "$(classpath lab)" "$LAB_CLASS" \
            simulate "$kind" --seeds "$runs"; then
            echo "ok $runs runs of $kind"
        else
            echo "not ok runs of $kind"
            status=1
        fi
    done
    return "$status"
}

# Tests what threads and processes share, with the profile jcstress; the last line of jcstress's progress has the results.
step_races() {
    local BUILD_LOG=$SUITE/races-maven.log status=0 line
    local -x MAVEN_OPTS="${MAVEN_OPTS:-} $MAVEN_FLAGS"
    maven_offline_first discard_output -Pjcstress "${BUILT[@]}" -DskipTests -pl ipc,ip -am \
        test-compile exec:exec@jcstress || status=$?
    cat "$BUILD_LOG"
    while IFS= read -r line; do
        if [[ $line =~ Results:\ ([0-9]+)\ planned\;\ ([0-9]+)\ passed ]]; then
            step_passed=$((step_passed + BASH_REMATCH[2]))
            step_failed=$((step_failed + BASH_REMATCH[1] - BASH_REMATCH[2]))
        fi
    done < <(tr '\r' '\n' <"$BUILD_LOG" | last_results)
    return "$status"
}

# Prints the last line with results of each run of jcstress.
last_results() {
    awk '/Results:/ { last = $0 } /BUILD|Building/ { if (last != "") print last; last = "" } END { print last }'
}

discard_output() {
    cat >/dev/null
}

# Runs one fuzzer on each core at a time: each has one thread.
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
        fuzz_for "${FUZZ_TARGETS[i]}" "$FUZZ_SECONDS" || status=1
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

# Builds the guest if it does not exist: downloads, and takes about a minute.
step_siw() {
    timeout -k 30 1200 "$ROOT/interop/siw/run" --quick
}

# In the same guest, which it builds as step_siw does.
step_esp() {
    timeout -k 30 1200 "$ROOT/interop/esp/run" --quick
}

# In a guest of its own, with the kernel of that one.
step_ike() {
    timeout -k 30 1200 "$ROOT/interop/ike/run" --quick
}

# Runs the programs that the tests of the module verbs do not run.
step_verbs() {
    timeout -k 30 600 "$ROOT/interop/verbs/run" --quick
}

# Programs, and a selection of tests that others wrote.
step_sockets() {
    local status=0
    timeout -k 30 600 "$ROOT/interop/sockets/run" --quick || status=$?
    timeout -k 30 600 "$ROOT/interop/sockets/suites" --quick || status=$?
    return "$status"
}

step_package() {
    timeout -k 30 600 "$ROOT/packaging/check"
}

step_demo() {
    timeout -k 30 600 "$ROOT/interop/demo/run"
}

# A seed whose first disturbances are: the daemon replaced, a program stopped for a while, the daemon killed, a program killed, and a
# daemon killed that is to replace another.
step_soak() {
    jvm_arguments soak
    timeout -k 10 400 "$JAVA_HOME/bin/java" "${JVM_ARGUMENTS[@]}" -cp "$(classpath lab)" "$LAB_CLASS" \
        soak --minutes 0.75 --seed 2295
}
