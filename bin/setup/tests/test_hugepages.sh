# shellcheck shell=bash
# Exactly as many hugepages are returned as were reserved, and never more reserved than memory allows.

# with_hugepages AVAILABLE_KB TOTAL FREE COMMAND...: runs it on a machine with that much memory and that many hugepages.
with_hugepages() (
    machine=("$1" "$2" "$3")
    HUGEPAGES_COUNT=$WORK/nr_hugepages
    echo "$2" >"$HUGEPAGES_COUNT"
    shift 3
    # shellcheck source=/dev/null
    source <(sed '/^readonly HUGEPAGES_COUNT=/d' "$ROOT/bin/setup/hugepages.sh")
    memory_field() {
        case $1 in
            MemAvailable) echo "${machine[0]}" ;;
            HugePages_Free) echo "${machine[2]}" ;;
            HugePages_Total) echo "${machine[1]}" ;;
            Hugepagesize) echo 2048 ;;
        esac
    }
    "$@"
)

reserved() {
    reserve_hugepages
    cat "$HUGEPAGES_COUNT"
}

# Another run adds 100 pages while this one holds its own.
restored_beside_another() {
    reserve_hugepages
    echo $(($(<"$HUGEPAGES_COUNT") + 100)) >"$HUGEPAGES_COUNT"
    restore_hugepages
    restore_hugepages
    cat "$HUGEPAGES_COUNT"
}

# started MESSAGE STATUS: the status and the pages after the start of a daemon whose check prints and returns these.
started() {
    local said=$1 ended=$2
    launch() (
        echo "$said"
        exit "$ended"
    )
    say() {
        :
    }
    (reserve_hugepages_for daemon)
    echo "$? $(<"$HUGEPAGES_COUNT")"
}

# checked_for ARGUMENT...: with which arguments a daemon's configuration is checked.
checked_for() {
    launch() {
        echo "$*" >"$WORK/arguments"
    }
    reserve_hugepages_for "$@"
    cat "$WORK/arguments"
}

# said_without_rights: what a user who may reserve no hugepages reads about them. Root may write any file, but none that is missing.
said_without_rights() {
    launch() {
        echo 'c: good, wants huge pages'
    }
    say() {
        echo "$*"
    }
    rm "$HUGEPAGES_COUNT"
    reserve_hugepages_for daemon
}

# run_daemon STATUS: the status and the pages after a daemon with reserved pages has ended with that status.
run_daemon() {
    # shellcheck source=/dev/null
    source "$ROOT/bin/setup/launch.sh"
    launch() {
        echo 'c: good, wants huge pages'
    }
    jvm_arguments() {
        # shellcheck disable=SC2034
        JVM_ARGUMENTS=()
    }
    classpath() {
        :
    }
    give_runtime_folder() {
        :
    }
    say() {
        :
    }
    JAVA_HOME=$WORK/jdk
    mkdir -p "$JAVA_HOME/bin"
    printf '#!/bin/sh\nexit %s\n' "$1" >"$JAVA_HOME/bin/java"
    chmod +x "$JAVA_HOME/bin/java"
    (
        reserve_hugepages_for daemon
        launch_daemon daemon
    )
    echo "$? $(<"$HUGEPAGES_COUNT")"
}

check 'reserves enough for two daemons' equal 640 "$(with_hugepages 24000000 0 0 reserved)"
check 'adds to pages that others use' equal 840 "$(with_hugepages 24000000 300 100 reserved)"
check 'reserves none where enough are free' equal 700 "$(with_hugepages 24000000 700 700 reserved)"
check 'reserves at most a quarter of the memory' equal 256 "$(with_hugepages 2097152 0 0 reserved)"
check 'reserves none with RDDP_NO_HUGEPAGES' equal 0 "$(RDDP_NO_HUGEPAGES=1 with_hugepages 24000000 0 0 reserved)"
check 'returns as many as it added' equal 107 "$(with_hugepages 24000000 7 7 restored_beside_another)"
check 'reserves hugepages for a configuration that wants them' equal '0 640' "$(with_hugepages 24000000 0 0 started 'c: good, wants huge pages' 0)"
check 'reserves none for a configuration that does not' equal '0 0' "$(with_hugepages 24000000 0 0 started 'c: good, in ordinary memory' 0)"
check 'reserves none for a configuration that cannot be used' equal '2 0' "$(with_hugepages 24000000 0 0 started '' 2)"
check 'does not try a replacement to learn whether it wants hugepages' equal 'daemon --config c.toml --check' "$(with_hugepages 24000000 0 0 checked_for daemon --config c.toml --replace)"
check 'does not check with --rehearse either' equal 'daemon --config c.toml --check' "$(with_hugepages 24000000 0 0 checked_for daemon --rehearse --config c.toml)"
check 'does not promise ordinary memory to a daemon that wants hugepages, of a user who can reserve none' equal '' "$(with_hugepages 24000000 0 0 said_without_rights)"
check 'keeps the hugepages of a daemon that ended with 0' equal '0 647' "$(with_hugepages 24000000 7 0 run_daemon 0)"
check 'returns the hugepages of a daemon that failed' equal '1 7' "$(with_hugepages 24000000 7 0 run_daemon 1)"
