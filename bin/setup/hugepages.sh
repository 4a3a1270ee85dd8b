# shellcheck shell=bash
# Reserves 2 MiB hugepages for DPDK where permitted, and returns exactly as many as were added.

# For two daemons.
readonly HUGEPAGES_WANTED=640
# For all contenders of a benchmark, which hold them at the same time.
readonly HUGEPAGES_FOR_BENCHMARKS=800
# With fewer, the demo uses ordinary memory.
readonly HUGEPAGES_LEAST=260
readonly HUGEPAGES_COUNT=/proc/sys/vm/nr_hugepages

hugepages_added=0
hugepages_wanted=$HUGEPAGES_WANTED
# If not empty, added hugepages stay after a successful run.
keep_hugepages=

# Whether hugepages are wanted and fewer are free.
lacks_hugepages() {
    [[ -z ${RDDP_NO_HUGEPAGES:-} ]] && (($(memory_field HugePages_Free) < hugepages_wanted))
}

# Reserves as many as the contenders of a benchmark need.
reserve_hugepages_for_benchmarks() {
    hugepages_wanted=$HUGEPAGES_FOR_BENCHMARKS
    reserve_hugepages
}

# reserve_hugepages_for_steps N: reserves as many as N steps of the test suite need side by side, so that no step adds or removes
# any: the demo checks their number.
reserve_hugepages_for_steps() {
    hugepages_wanted=$(($1 * HUGEPAGES_WANTED))
    reserve_hugepages
}

# Raises the number of free hugepages to hugepages_wanted; prints a message when it cannot.
reserve_hugepages() {
    local free wanted
    lacks_hugepages || return 0
    free=$(memory_field HugePages_Free)
    if (($(memory_field Hugepagesize) != 2048)); then
        say 'hugepages on this machine are not of 2 MiB: none reserved, going on with those that exist'
        return
    fi
    wanted=$(affordable_hugepages)
    if ((free >= HUGEPAGES_LEAST)) && ((wanted <= free)); then
        return
    fi
    if [[ ! -w $HUGEPAGES_COUNT ]]; then
        if ((free < HUGEPAGES_LEAST)); then
            say "$free hugepages are free and no more can be reserved: DPDK will use ordinary memory, which is slower."
            say "to reserve them, as root: sysctl -w vm.nr_hugepages=$((wanted + $(memory_field HugePages_Total) - free))"
        fi
        return
    fi
    add_hugepages $((wanted - free))
}

# Prints how many to have: those wanted, but at most a quarter of the memory that is available now.
affordable_hugepages() {
    local affordable=$(($(memory_field MemAvailable) / 4 / 2048))
    echo $((affordable < hugepages_wanted ? affordable : hugepages_wanted))
}

add_hugepages() {
    local before after
    before=$(<"$HUGEPAGES_COUNT")
    echo $((before + $1)) 2>/dev/null >"$HUGEPAGES_COUNT" || true
    after=$(<"$HUGEPAGES_COUNT")
    hugepages_added=$((after - before))
    if ((hugepages_added < $1)); then
        say "reserved $hugepages_added of $1 hugepages (memory is fragmented, or this process may not reserve it)"
    fi
}

# Whether added hugepages have to be removed.
has_added_hugepages() {
    ((hugepages_added > 0))
}

# restore_hugepages_after STATUS: removes the added hugepages, unless they are to be kept and the status is 0.
restore_hugepages_after() {
    if [[ -z $keep_hugepages ]] || (($1 != 0)); then restore_hugepages; fi
}

# Removes as many as were added, so that two runs at the same time end where they began.
restore_hugepages() {
    if ((hugepages_added > 0)); then
        local now
        now=$(<"$HUGEPAGES_COUNT")
        echo $((now > hugepages_added ? now - hugepages_added : 0)) >"$HUGEPAGES_COUNT" || true
        hugepages_added=0
    fi
}

# reserve_hugepages_for daemon ARGUMENT...: reserves hugepages if the daemon's configuration wants them; exits with the daemon's
# message if the configuration cannot be used. They stay when the daemon ends, unless it fails. Where none can be reserved, the
# daemon itself says what is missing.
reserve_hugepages_for() {
    local checked status=0 argument arguments=()
    lacks_hugepages && [[ -w $HUGEPAGES_COUNT ]] || return 0
    # --check --replace would be a trial, in which the daemon that runs pauses; with --rehearse, --check is refused.
    for argument in "$@"; do
        [[ $argument == --replace || $argument == --rehearse ]] || arguments+=("$argument")
    done
    checked=$(launch "${arguments[@]}" --check) || status=$?
    ((status == 0)) || exit "$status"
    if [[ $checked == *'wants huge pages' ]]; then
        reserve_hugepages
        say_hugepages_kept
        keep_hugepages=yes
    fi
}

say_hugepages_kept() {
    if ((hugepages_added > 0)); then
        say "reserved $hugepages_added hugepages of 2 MiB, which stay unless the daemon fails; to return them: sysctl -w vm.nr_hugepages=$(($(<"$HUGEPAGES_COUNT") - hugepages_added))"
    fi
}

# memory_field NAME: its number in /proc/meminfo, or 0.
memory_field() {
    local name value rest
    while read -r name value rest; do
        if [[ $name == "$1:" ]]; then
            echo "$value"
            return
        fi
    done </proc/meminfo
    echo 0
}
