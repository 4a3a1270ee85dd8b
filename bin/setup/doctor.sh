# shellcheck shell=bash
# rddp doctor: lists which of rddp's requirements this machine meets, and how to meet the others. Changes nothing.

# shellcheck source=bin/setup/doctor_checks.sh
source "$ROOT/bin/setup/doctor_checks.sh"
# shellcheck source=bin/setup/doctor_cards.sh
source "$ROOT/bin/setup/doctor_cards.sh"
# shellcheck source=bin/setup/doors.sh
source "$ROOT/bin/setup/doors.sh"

# Number of problems that keep the demo from running.
doctor_problems=0

doctor_usage() {
    cat <<'END'
Usage: rddp doctor

Lists which of rddp's requirements this machine meets, and how to meet the others. Changes nothing.
The last lines say what to type next. Ends with 0 when rddp can run, and with 1 when it cannot.

  -h, --help   Show this.
END
}

doctor() {
    case ${1:-} in
        '') ;;
        -h | --help) doctor_usage && return ;;
        *) doctor_usage >&2 && return 2 ;;
    esac
    doctor_machine
    if is_installed; then
        doctor_installed
    else
        doctor_tools
        doctor_dpdk
    fi
    doctor_memory
    doctor_permissions
    doctor_cards
    doctor_polling
    is_installed || doctor_tests
    doctor_doors
    echo
    doctor_next
    ((doctor_problems == 0))
}

# Prints what to type next.
doctor_next() {
    local rddp=bin/rddp lacks
    if is_installed; then rddp=rddp; fi
    if ((doctor_problems > 0)); then
        echo "$doctor_problems problem(s) keep rddp from running: see 'MISSING' above. Next:"
        if is_installed || ! is_root; then
            if ! is_installed; then
                lacks=$(door_lacks verbs)
                # Not where this system has no package of it, or no package is missing.
                if [[ $lacks == *' install '* ]]; then lacks+='     all of it, in one line'; fi
                [[ -z $lacks ]] || echo "  $lacks"
            fi
            echo "  $rddp doctor     when what is MISSING is there"
        else
            echo "  $rddp setup      installs what can be installed, and builds"
        fi
        return
    fi
    echo 'rddp can run. Next:'
    echo "  $rddp demo     shows what it does: two daemons, and programs that write into each other's memory"
    if has rping; then
        echo "  $rddp verbs --local=demo -- rping -s -C 10                    an RDMA program, unmodified, in one terminal"
        echo "  $rddp verbs --local=demo -- rping -c -a 10.0.0.1 -v -C 10     and its client in another"
    else
        echo "  $(install_command rdmacm-utils perftest)     RDMA programs to try"
        echo "  $rddp verbs --local -- PROGRAM     runs such a program, unmodified"
    fi
}

# Rows of the table: the subject, its state, and, indented below, what to do.
row() {
    printf '  %-8s %-14s %s\n' "$1" "$2" "$3"
}

ok() {
    row ok "$1" "$2"
}

# note SUBJECT STATE [ADVICE]
note() {
    row note "$1" "$2"
    advice "${3:-}"
}

# missing SUBJECT STATE ADVICE
missing() {
    row MISSING "$1" "$2"
    advice "$3"
    doctor_problems=$((doctor_problems + 1))
}

advice() {
    if [[ -n $1 ]]; then
        printf '  %-8s %-14s -> %s\n' '' '' "$1"
    fi
}
