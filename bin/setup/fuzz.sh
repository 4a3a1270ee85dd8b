# shellcheck shell=bash
# rddp fuzz: runs a target of the module fuzz under Jazzer, starting with the inputs in the tree.

readonly FUZZ_TARGETS=(frames ipv6 esp xfrm connection startup mpa rdma)
readonly FUZZ_CORPUS=$ROOT/fuzz/src/test/resources/org/rddp/fuzz
readonly FUZZ_WORK=$STATE/fuzz

fuzz_usage() {
    cat <<'END'
Usage: rddp fuzz TARGET [--minutes N | --seconds N] [--keep]
       rddp fuzz TARGET --replay INPUT
       rddp fuzz TARGET --add FILE

Runs a coverage-guided fuzzer (Jazzer) against RDMAP, DDP, MPA, TCP, everything below, and the reader of keys from Linux's
kernel, starting with the inputs that are kept in fuzz/src/test/resources/org/rddp/fuzz/TARGET.zip. Ends with 1 when it finds
a fault; the input is then in .rddp/fuzz. When the fault is fixed, rename the input and add it: the tests run every input
that is kept.

TARGET is
  frames       any octets as Ethernet frames: ARP, IPv4, ICMP, TCP and its options
  ipv6         any octets as packets of IPv6: extension headers, fragments, ICMPv6, Neighbour Discovery, TCP
  esp          packets in ESP around any octets, replayed, spoilt, and in clear, where ESP is required
  xfrm         any octets as messages of Linux's kernel about security associations
  connection   connections in any state: segments of a peer, calls of users, time
  startup      MPA's Startup Phase: any frame, in any segmentation, to Initiator and Responder in every configuration
  mpa          MPA's receiver: correct and wrong FPDUs, and any octets, in any segmentation and order
  rdma         a peer with correct MPA and anything above it: every field of DDP's and RDMAP's headers

      --minutes N, --seconds N   Duration; default: one minute.
      --keep                     Keep the fewest inputs that reach the same code, and those that have been named.
      --replay INPUT             Run one input once: a file, or the name of one that is kept.
      --add FILE                 Keep an input under the file's name.
  -h, --help                     Show this.
END
}

fuzz() {
    local target='' seconds=60 keep=false replay='' add=''
    while (($# > 0)); do
        case $1 in
            --minutes | --seconds)
                # Jazzer reads text that is no number as 0, which means without end.
                [[ ${2:-} =~ ^[1-9][0-9]{0,5}$ ]] || fuzz_usage_error "$1 takes a whole number from 1 to 999999, not '${2:-}'" || return
                seconds=$2
                [[ $1 == --seconds ]] || seconds=$(($2 * 60))
                shift
                ;;
            --replay)
                [[ -n ${2:-} ]] || fuzz_usage_error "--replay takes a file or the name of an input that is kept" || return
                replay=$2
                shift
                ;;
            --add)
                [[ -f ${2:-} && -r $2 ]] || fuzz_usage_error "--add takes a file that can be read, not '${2:-}'" || return
                add=$2
                shift
                ;;
            --keep) keep=true ;;
            -h | --help) fuzz_usage && return ;;
            *)
                [[ $1 != -* ]] || fuzz_usage_error "'$1' is not an option" || return
                [[ -z $target ]] || fuzz_usage_error "one TARGET at a time, not also '$1'" || return
                [[ " ${FUZZ_TARGETS[*]} " == *" $1 "* ]] ||
                    fuzz_usage_error "'$1' is neither an option nor a target: ${FUZZ_TARGETS[*]}" || return
                target=$1
                ;;
        esac
        shift
    done
    [[ -n $target ]] || fuzz_usage_error "which TARGET? ${FUZZ_TARGETS[*]}" || return
    set_up_to_fuzz
    if [[ -n $add ]]; then
        seed_archive add "$target" "$add"
        return
    elif [[ -n $replay ]]; then
        replay_input "$target" "$replay"
        return
    fi
    fuzz_for "$target" "$seconds" || return
    if $keep; then
        keep_inputs "$target"
    fi
}

# fuzz_usage_error MESSAGE: prints what is wrong with the arguments; returns 2.
fuzz_usage_error() {
    printf '%s\n' "rddp: $1" "Try 'rddp fuzz --help' for what is allowed." >&2
    return 2
}

set_up_to_fuzz() {
    need_to_run
    install_missing
    find_jdk
    build_if_changed fuzz
    # Written before fuzzers run side by side.
    classpath fuzz >/dev/null
}

# replay_input TARGET INPUT: runs one input, a file or the name of an input in the archive.
replay_input() {
    local input=$2
    if [[ ! -f $input ]]; then
        unpack_seeds "$1"
        input=$FUZZ_WORK/seeds/$1/$2
        [[ -f $input ]] || fuzz_usage_error "'$2' is neither a file nor an input that is kept for $1" || return
    fi
    jazzer "$1" "$input"
}

# unpack_seeds TARGET: the inputs that are kept, as Jazzer reads them, in a folder.
unpack_seeds() {
    rm -rf "$FUZZ_WORK/seeds/$1"
    seed_archive unpack "$1" "$FUZZ_WORK/seeds/$1"
}

# seed_archive ACTION TARGET PATH: reads or writes the archive of a target's inputs.
seed_archive() {
    "$JAVA_HOME/bin/java" -cp "$ROOT/fuzz/target/run/classes" org.rddp.fuzz.SeedArchive "$1" "$FUZZ_CORPUS/$2.zip" "$3"
}

# fuzz_for TARGET SECONDS: new inputs go to the state folder; prints a line "ok ..." or "not ok ...".
fuzz_for() {
    local log=$FUZZ_WORK/$1.log status=0 words=()
    if [[ -f $FUZZ_CORPUS/$1.dict ]]; then
        words=(-dict="$FUZZ_CORPUS/$1.dict")
    fi
    mkdir -p "$FUZZ_WORK/$1"
    unpack_seeds "$1"
    : >"$FUZZ_WORK/$1.began"
    (
        trap 'discard_interrupted "$1" 130' INT
        trap 'discard_interrupted "$1" 143' TERM HUP
        jazzer "$1" -max_total_time="$2" -max_len=4096 -timeout=20 -print_final_stats=1 \
            "${words[@]}" "$FUZZ_WORK/$1" "$FUZZ_WORK/seeds/$1" >"$log" 2>&1
    ) || status=$?
    if ((status == 130 || status == 143)); then
        return "$status"
    fi
    if ((status == 0)); then
        echo "ok fuzzing $1 for $2 s: $(sed -n 's/^stat::number_of_executed_units: *//p' "$log") inputs, nothing found"
        return
    fi
    echo "not ok fuzzing $1"
    grep -v -E '^(#|INFO|WARNING)' "$log" | tail -n 40 | sed 's/^/    /'
    return 1
}

# discard_interrupted TARGET STATUS: removes the input that Jazzer writes as a finding when a signal ends it.
discard_interrupted() {
    find "$FUZZ_WORK" -maxdepth 1 -name "$1-crash-*" -newer "$FUZZ_WORK/$1.began" -delete
    exit "$2"
}

# keep_inputs TARGET: keeps the fewest and smallest of the old and new inputs that reach the same code. Findings, which have
# names of their own, stay.
keep_inputs() {
    local merged=$FUZZ_WORK/merged
    rm -rf "$merged"
    mkdir -p "$merged"
    jazzer "$1" -merge=1 -max_len=4096 "$merged" "$FUZZ_WORK/seeds/$1" "$FUZZ_WORK/$1" >"$FUZZ_WORK/$1.log" 2>&1 || return
    seed_archive replace "$1" "$merged" || return
    rm -rf "$merged" "${FUZZ_WORK:?}/$1"
    unpack_seeds "$1"
    echo "$(find "$FUZZ_WORK/seeds/$1" -type f | wc -l) inputs are kept, $(du -sb "$FUZZ_CORPUS/$1.zip" | cut -f1) octets"
}

# jazzer TARGET ARGUMENT...: without Jazzer's own hooks, since no code here runs commands or opens files.
jazzer() {
    jvm_arguments
    local class target=$1
    case $target in
        frames) class=FrameFuzz ;;
        ipv6) class=Ipv6Fuzz ;;
        esp) class=EspFuzz ;;
        xfrm) class=XfrmFuzz ;;
        connection) class=ConnectionFuzz ;;
        startup) class=StartupFuzz ;;
        mpa) class=MpaFuzz ;;
        rdma) class=RdmaFuzz ;;
    esac
    shift
    "$JAVA_HOME/bin/java" -Xmx1g "${JVM_ARGUMENTS[@]}" -cp "$(classpath fuzz)" com.code_intelligence.jazzer.Jazzer \
        --target_class="org.rddp.fuzz.$class" --instrumentation_includes='org.rddp.**' \
        --instrumentation_excludes=org.rddp.fuzz.FpduStream:org.rddp.fuzz.SentMessages \
        --disabled_hooks='com.code_intelligence.jazzer.sanitizers.**' --reproducer_path="$FUZZ_WORK" \
        -artifact_prefix="$FUZZ_WORK/$target-" -rss_limit_mb=4096 "$@"
}
