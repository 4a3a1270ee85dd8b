# shellcheck shell=bash
# Reserves 2 MiB hugepages for DPDK where we may, and gives back exactly what was added.

readonly HUGEPAGES_WANTED=640
# What contenders of a benchmark take that hold them at the same time.
readonly HUGEPAGES_TO_BENCH=800
# What the demo takes at least; with fewer it does without.
readonly HUGEPAGES_LEAST=260
readonly HUGEPAGES_COUNT=/proc/sys/vm/nr_hugepages

hugepages_added=0
hugepages_wanted=$HUGEPAGES_WANTED
# Whether those that were added stay when all has gone well.
hugepages_stay=

# Whether fewer are free than are wanted, if any are.
lacks_hugepages() {
    [[ -z ${RDDP_NO_HUGEPAGES:-} ]] && (($(memory_field HugePages_Free) < hugepages_wanted))
}

# What the contenders of a benchmark need.
reserve_hugepages_to_bench() {
    hugepages_wanted=$HUGEPAGES_TO_BENCH
    reserve_hugepages
}

# Raises the number of free hugepages to what is wanted, which is what two daemons need; says so when it cannot.
reserve_hugepages() {
    local free wanted
    lacks_hugepages || return 0
    free=$(memory_field HugePages_Free)
    if (($(memory_field Hugepagesize) != 2048)); then
        say 'hugepages here are not of 2 MiB: none reserved, going on with what there is'
        return
    fi
    wanted=$(affordable_hugepages)
    if ((free >= HUGEPAGES_LEAST)) && ((wanted <= free)); then
        return
    fi
    if [[ ! -w $HUGEPAGES_COUNT ]]; then
        if ((free < HUGEPAGES_LEAST)); then
            say "$free hugepages are free and more may not be reserved: DPDK will use ordinary memory, which is slower."
            say "to reserve them, as root: sysctl -w vm.nr_hugepages=$((wanted + $(memory_field HugePages_Total) - free))"
        fi
        return
    fi
    add_hugepages $((wanted - free))
}

# As many as wanted, but never more than a quarter of the memory that is available now.
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
        say "reserved $hugepages_added of $1 hugepages (memory is fragmented, or not ours to reserve)"
    fi
}

# Whether some were added that have to be taken away.
has_added_hugepages() {
    ((hugepages_added > 0))
}

# restore_hugepages_after STATUS: those that stay do so where what they were added for has ended well.
restore_hugepages_after() {
    if [[ -z $hugepages_stay ]] || (($1 != 0)); then restore_hugepages; fi
}

# Takes away as many as were added, so that two runs at once end where they began.
restore_hugepages() {
    if ((hugepages_added > 0)); then
        local now
        now=$(<"$HUGEPAGES_COUNT")
        echo $((now > hugepages_added ? now - hugepages_added : 0)) >"$HUGEPAGES_COUNT" || true
        hugepages_added=0
    fi
}

# reserve_hugepages_for daemon ARGUMENT...: those that its configuration wants; ends with the daemon's words where it cannot be
# used. They stay when it ends, unless it fails.
reserve_hugepages_for() {
    local checked status=0
    lacks_hugepages || return 0
    checked=$(launch "$@" --check) || status=$?
    ((status == 0)) || exit "$status"
    if [[ $checked == *'wants huge pages' ]]; then
        reserve_hugepages
        say_hugepages_stay
        hugepages_stay=yes
    fi
}

say_hugepages_stay() {
    if ((hugepages_added > 0)); then
        say "reserved $hugepages_added hugepages of 2 MiB, which stay unless the daemon fails; to give them back: sysctl -w vm.nr_hugepages=$(($(<"$HUGEPAGES_COUNT") - hugepages_added))"
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
