# shellcheck shell=bash
# How the suite counts tests.

# shellcheck source=bin/setup/suite.sh
source <(sed 's/^readonly SUITE=/SUITE=/' "$ROOT/bin/setup/suite.sh")

# after_step STATUS LINE...: the counts after a step that prints these lines and ends with that status.
after_step() {
    local status=$1 step_passed=0 step_failed=0
    shift
    printf '%s\n' "$@" >"$WORK/log"
    count_lines "$WORK/log" "$status"
    echo "$step_passed $step_failed"
}

check 'counts the lines of a step' equal '2 1' "$(after_step 1 'ok a' 'not ok b' 'ok c')"
check 'counts a silent step as one test' equal '1 0' "$(after_step 0 'some output')"
check 'counts a silent failure as one test' equal '0 1' "$(after_step 3 'Killed')"
check 'counts a failure for a step that ends early' equal '2 1' "$(after_step 124 'ok a' 'ok b')"

reports() {
    local ROOT=$WORK/tree step_passed step_failed step_skipped
    mkdir -p "$ROOT"/{a,b,verbs}/target/surefire-reports
    printf '<?xml version="1.0"?>\n<testsuite name="A" time="0.5" tests="10" errors="1" skipped="2" failures="3">\n' \
        >"$ROOT/a/target/surefire-reports/TEST-A.xml"
    printf '<testsuite name="B" tests="5" errors="0" skipped="0" failures="0" flakes="1">\n' \
        >"$ROOT/b/target/surefire-reports/TEST-B.xml"
    printf '<testsuite name="C" tests="7" errors="0" skipped="0" failures="2">\n' >"$ROOT/verbs/target/surefire-reports/TEST-C.xml"
    count_reports "$1"
    echo "$step_passed $step_failed $step_skipped"
}
check 'adds up the reports of the modules in Java' equal '9 4 2' "$(reports others)"
check 'adds up those of the libraries in C' equal '5 2 0' "$(reports libraries)"

no_test_runs() {
    local ROOT=$WORK/no-tests BUILD_LOG=$WORK/no-tests.log step_passed step_failed step_skipped status=0
    mkdir -p "$ROOT"
    maven_offline_first() { echo 'No tests to run.' >"$BUILD_LOG"; }
    test_modules libraries >/dev/null || status=$?
    echo "$status"
}
check 'fails if no test runs' equal 1 "$(no_test_runs)"

# In a tree of its own: which modules and steps a change can affect.
affected() (
    local each
    source "$ROOT/bin/setup/changed.sh"
    ROOT=$WORK/changed
    mkdir -p "$ROOT"/{mpa-engine,rddp-client,client,daemon,tools,verbs,lab}
    for each in mpa-engine: client: daemon:mpa-engine daemon:rddp-client tools:daemon lab:tools verbs:daemon; do
        printf '<groupId>org.rddp</groupId>\n  <artifactId>%s</artifactId>\n' "${each#*:}" >>"$ROOT/${each%:*}/pom.xml"
    done
    "$@" | paste -sd ' '
)
check 'tests what depends on a changed module, but for commands' equal 'mpa-engine daemon lab' "$(affected dependents mpa-engine)"
check 'tests commands that changed themselves' equal 'client tools daemon lab' "$(affected dependents client tools)"
check 'knows the modules of changed paths' equal 'client daemon' \
    "$(printf '%s\n' README.md daemon/src/A.java client/pom.xml | affected modules_of)"
check 'knows the steps of changed paths' equal 'build scripts java shim' \
    "$(printf '%s\n' bin/rddp README.md native/src/a.c | affected affected_steps)"
