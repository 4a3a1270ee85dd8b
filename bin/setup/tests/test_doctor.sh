# shellcheck shell=bash
# The doctor's rows about the machine.

# shared_huge_pages SETTING: the doctor's row on a machine whose kernel has that setting; none if it is empty.
shared_huge_pages() (
    # shellcheck source=/dev/null
    source "$ROOT/bin/setup/doctor.sh"
    SHMEM_ENABLED=$WORK/shmem_enabled
    rm -f "$SHMEM_ENABLED"
    if [[ -n $1 ]]; then
        echo "$1" >"$SHMEM_ENABLED"
    fi
    doctor_shared_huge_pages
)

check_shared_huge_pages() {
    [[ $(shared_huge_pages 'always within_size advise [never] deny force') == *note*'MADV_COLLAPSE'*'echo deny >'* ]] &&
        [[ $(shared_huge_pages 'always within_size advise never [deny] force') == *ok*'deny'* ]] &&
        [[ -z $(shared_huge_pages '') ]]
}

check 'doctor: says when programs can make an engine wait by MADV_COLLAPSE' check_shared_huge_pages

# immutable CAPABLE MAPPING: the doctor's row on immutable memory, with CAP_LINUX_IMMUTABLE or without, in that user namespace.
# shellcheck disable=SC2317 # The doctor calls these.
immutable() (
    # shellcheck source=/dev/null
    source "$ROOT/bin/setup/doctor.sh"
    USER_NAMESPACE=$WORK/uid_map
    echo "$2" >"$USER_NAMESPACE"
    capable=$1
    has_capability() { [[ $1 == 9 && $capable == yes ]]; }
    uname() { echo 6.1.0; }
    doctor_immutable
)

check_immutable() {
    [[ $(immutable yes '         0          0 4294967295') == *ok*'can be replaced'*'keep their memory'* ]] &&
        [[ $(immutable no '         0          0 4294967295') == *note*'cannot be replaced'*'copy their memory'* ]] &&
        [[ $(immutable yes '         0     100000      65536') == *note*'cannot be replaced'*'copy their memory'* ]]
}

check 'doctor: says whether a daemon can be replaced while programs run' check_immutable

# network BIT...: the doctor's row on devices that need rights, with those capabilities.
# shellcheck disable=SC2317 # The doctor calls these.
network() (
    # shellcheck source=/dev/null
    source "$ROOT/bin/setup/doctor.sh"
    local capabilities=" $* "
    has_capability() { [[ $capabilities == *" $1 "* ]]; }
    doctor_network
)

check_network() {
    [[ $(network) == *note*'no linux: and xdp:'*note*'no xdp: and net_tap'* ]] &&
        [[ $(network 12) == *note*'no linux: and xdp:'*ok*CAP_NET_ADMIN* ]] &&
        [[ $(network 13) == *ok*CAP_NET_RAW*note*'no xdp: and net_tap'* ]]
}

check 'doctor: says which devices need other rights' check_network

# replacement CAPABLE DEVICES: the doctor's row on a replacement, with CAP_LINUX_IMMUTABLE or without.
# shellcheck disable=SC2317 # The doctor calls these.
replacement() (
    # shellcheck source=/dev/null
    source "$ROOT/bin/setup/doctor.sh"
    local capable=$1
    CONFIGURATION=$WORK/replaced.toml
    printf '%s\n' '# device = "0000:01:00.0"' "$2" >"$CONFIGURATION"
    can_be_immutable() { [[ $capable == yes ]]; }
    doctor_replacement
)

check_replacement() {
    [[ $(replacement yes $'  device="linux:eth0"  # the first\ndevice = "ring:a"') == *ok*--replace* ]] &&
        [[ $(replacement no 'device = "linux:eth0"') == *note*'not with these rights'* ]] &&
        [[ $(replacement yes $'device = "linux:eth0"\ndevice = "net_null0"') == *note*'cannot have net_null0'* ]]
}

# Every device of the daemon's own test: both lists have to agree.
check_replaceable_devices() {
    local device why
    while IFS='|' read -r device why; do
        device=${device% }
        if [[ $device == '#'* ]]; then continue; fi
        if [[ -z $why ]]; then
            [[ $(replacement yes "device = \"$device\"") == *ok*--replace* ]] || return
        else
            [[ $(replacement yes "device = \"$device\"") == *note*"cannot have $device"* ]] || return
        fi
    done <"$ROOT/daemon/src/test/resources/org/rddp/daemon/configuration/replaceable.txt"
}

check 'doctor: says whether the daemon can be replaced' check_replacement
check 'doctor: lets the devices go over that the daemon does' check_replaceable_devices

# ike LOCKDOWN STATUS: the doctor's row on IKE for root, where the kernel answers with that status.
# shellcheck disable=SC2317 # The doctor calls these.
ike() (
    # shellcheck source=/dev/null
    source "$ROOT/bin/setup/doctor.sh"
    LOCKDOWN=$WORK/lockdown
    echo "$1" >"$LOCKDOWN"
    is_root() { true; }
    has() { true; }
    local status=$2
    unshare() {
        if ((status != 0)); then echo 'Error: Requested AEAD algorithm not found.'; fi
        return "$status"
    }
    doctor_ike
)

check_ike() {
    [[ $(ike '[none] integrity confidentiality' 0) == *ok*IKE*'AES-GCM'* ]] &&
        [[ $(ike '[none] integrity confidentiality' 2) == *note*IKE*'AEAD algorithm not found'*'esp4'* ]] &&
        [[ $(ike 'none integrity [confidentiality]' 0) == *note*IKE*'locked down'*'lockdown=integrity'* ]]
}

check 'doctor: says whether the kernel has what IKE needs' check_ike

# locked LIMIT PRIVILEGED: what the doctor says where that much memory may be locked, by a process with CAP_IPC_LOCK or without.
# shellcheck disable=SC2317,SC2034
locked() (
    # shellcheck source=/dev/null
    source "$ROOT/bin/setup/doctor.sh"
    allowed=$1
    eval "has_capability() { $2; }"
    ulimit() { echo "$allowed"; }
    doctor_locked_memory
)

# An ordinary user may not raise the limit by ulimit.
check_locked() {
    [[ $(locked unlimited false) == *ok*unlimited ]] &&
        [[ $(locked 65536 false) == *ok*'65536 kB' ]] &&
        [[ $(locked 8192 true) == *ok*'8192 kB'* ]] &&
        [[ $(locked 8192 false) == *note*'8192 kB'*"$(id -un) - memlock unlimited"*/etc/security/limits.d/*'as root'* ]]
}

check 'doctor: says how much memory may be locked, and who can change that' check_locked

# cards_doctor FUNCTION [ARGUMENT]...: what one of the doctor's functions says of the machine in $WORK/sys and $WORK/vfio.
cards_doctor() (
    # shellcheck source=/dev/null
    source "$ROOT/bin/setup/doctor.sh"
    # shellcheck disable=SC2034 # The doctor's files read them.
    SYSFS=$WORK/sys VFIO=$WORK/vfio HUGEPAGES_WANTED=8
    "$@"
)

# a_card ADDRESS DRIVER GROUP: adds a network card to that machine; DRIVER and GROUP may be empty.
a_card() {
    local device=$WORK/sys/bus/pci/devices/$1
    mkdir -p "$device" "$WORK/vfio"
    echo 0x020000 >"$device/class"
    echo 1 >"$device/numa_node"
    if [[ -n $2 ]]; then ln -sfn "../../drivers/$2" "$device/driver"; fi
    if [[ -n $3 ]]; then
        mkdir -p "$WORK/sys/kernel/iommu_groups/$3/devices"
        ln -sfn "$WORK/sys/kernel/iommu_groups/$3" "$device/iommu_group"
        ln -sfn "$device" "$WORK/sys/kernel/iommu_groups/$3/devices/$1"
    fi
}

# no_machine: starts with an empty machine.
no_machine() {
    rm -rf "$WORK/sys" "$WORK/vfio"
    mkdir -p "$WORK/sys" "$WORK/vfio"
}

check_iommu() {
    no_machine
    [[ $(cards_doctor doctor_cards) == *note*IOMMU*none*'intel_iommu=on'* ]] || return
    mkdir -p "$WORK/sys/module/vfio/parameters"
    echo Y >"$WORK/sys/module/vfio/parameters/enable_unsafe_noiommu_mode"
    [[ $(cards_doctor doctor_cards) == *note*IOMMU*'vfio is allowed without'* ]] || return
    a_card 0000:01:00.0 '' 5
    [[ $(cards_doctor doctor_cards) == *ok*IOMMU*'1 groups'* ]]
}

check_group_without_iommu() {
    no_machine
    a_card 0000:02:00.0 vfio-pci 0
    echo vfio-noiommu >"$WORK/sys/kernel/iommu_groups/0/name"
    mkdir -p "$WORK/sys/module/vfio/parameters"
    echo Y >"$WORK/sys/module/vfio/parameters/enable_unsafe_noiommu_mode"
    touch "$WORK/vfio/noiommu-0"
    [[ $(cards_doctor doctor_cards) == *note*IOMMU*'vfio is allowed without'*note*0000:02:00.0*'without an IOMMU'*'needs root'* ]]
}

# a_node NUMBER FREE: adds a NUMA node with that many free huge pages.
a_node() {
    local pages=$WORK/sys/devices/system/node/node$1/hugepages/hugepages-2048kB
    mkdir -p "$pages"
    echo "$2" >"$pages/free_hugepages"
}

check_nodes() {
    no_machine
    a_node 0 12
    [[ -z $(cards_doctor doctor_nodes) ]] || return
    a_node 1 0
    [[ $(cards_doctor doctor_nodes) == *ok*node0*'12 huge pages free'*note*node1*'no huge pages free'*'echo 8 > '*'node1/hugepages/hugepages-2048kB/nr_hugepages (as root)'* ]]
}

check_cards() {
    no_machine
    a_card 0000:01:00.0 e1000e 1
    a_card 0000:02:00.0 vfio-pci 2
    a_card 0000:03:00.0 uio_pci_generic ''
    local said
    touch "$WORK/vfio/2"
    said=$(cards_doctor doctor_cards)
    [[ $said == *ok*0000:01:00.0*'e1000e; IOMMU group 1, NUMA node 1; rddp can use it once it is bound to vfio-pci'* ]] &&
        [[ $said == *ok*0000:02:00.0*'vfio-pci, and this user may use it'* ]] &&
        [[ $said == *note*0000:03:00.0*'no IOMMU is used'* ]]
}

check_card_permissions() {
    no_machine
    a_card 0000:02:00.0 vfio-pci 2
    [[ $(cards_doctor doctor_cards) == *note*0000:02:00.0*"may not use"*"chown $(id -un)"*'udev rule'* ]]
}

check_shared_group() {
    no_machine
    a_card 0000:02:00.0 vfio-pci 2
    a_card 0000:02:00.1 e1000e 2
    touch "$WORK/vfio/2"
    [[ $(cards_doctor doctor_cards) == *note*0000:02:00.0*'has other devices: 0000:02:00.1 (e1000e)'* ]]
}

check_polling() {
    no_machine
    local processors=$WORK/sys/devices/system/cpu said
    mkdir -p "$processors/cpu0/cpufreq" "$processors/cpu1/cpufreq"
    [[ $(cards_doctor doctor_polling) == *note*isolated*none*ok*governor*'does not set'* ]] || return
    echo 2-3 >"$processors/isolated"
    echo performance | tee "$processors/cpu0/cpufreq/scaling_governor" >"$processors/cpu1/cpufreq/scaling_governor"
    [[ $(cards_doctor doctor_polling) == *ok*isolated*2-3*ok*governor*performance* ]] || return
    echo powersave >"$processors/cpu1/cpufreq/scaling_governor"
    [[ $(cards_doctor doctor_polling) == *note*governor*'powersave on 1 of 2'* ]]
}

check 'doctor: says whether there is an IOMMU, and what to do without' check_iommu
check 'doctor: does not take the groups of vfio without an IOMMU for an IOMMU' check_group_without_iommu
check 'doctor: says which NUMA node has no huge pages' check_nodes
check 'doctor: says who has each network card' check_cards
check 'doctor: says when the user may not use a card' check_card_permissions
check 'doctor: says what keeps vfio from a card'"'"'s group' check_shared_group
check 'doctor: says which processors are isolated, and how they are clocked' check_polling

# doors_where PACKAGE...: the doctor's rows of the ways into rddp in a built tree where these packages are missing.
# shellcheck disable=SC2317 # The doctor calls these.
doors_where() (
    # shellcheck source=/dev/null
    source "$ROOT/bin/setup/doctor.sh"
    missing_packages=" $* "
    install_command() { echo "install $*"; }
    each_once() { printf '%s\n' "$@" | sort -u; }
    need() { MISSING+=("$@"); }
    need_to_compile() { [[ $missing_packages != *' make '* ]] || need make; }
    need_for_programs() { [[ $missing_packages != *' libibverbs-dev '* ]] || need libibverbs-dev; }
    has_jdk() { [[ $missing_packages != *' jdk '* ]]; }
    jdk_package() { echo jdk; }
    is_installed() { false; }
    was_built() { true; }
    find_library() { [[ $missing_packages != *" $1 "* ]]; }
    lacking_libraries() { :; }
    # shellcheck disable=SC2030
    ROOT=$WORK/doors
    mkdir -p "$ROOT/client/target/run/classes"
    doctor_doors
)

check_doors() {
    [[ $(doors_where) == *ok\ *verbs*ok\ *sockets*ok\ *Java*ok\ *' C '*ok\ *daemon* && $(doors_where) != *'not yet'* ]] &&
        [[ $(doors_where jdk libibverbs-dev make) == *verbs*'-> install jdk libibverbs-dev make'*sockets*'-> install jdk make'* ]] &&
        [[ $(doors_where libibverbs-dev) == *note*verbs*'-> install libibverbs-dev'*ok*sockets*ok*Java* ]] &&
        [[ $(doors_where librddp-sockets.so) == *ok*verbs*note*sockets*'-> bin/rddp setup'*ok*Java* ]]
}

check 'doctor: says of each way into rddp whether it is open, or what to type' check_doors

# next_of PROBLEMS INSTALLED ROOT PROGRAMS [LACKS]: what the doctor says at its end; INSTALLED, ROOT and PROGRAMS are commands (true,
# false); LACKS is what is typed before the way in by verbs is open.
next_of() (
    # shellcheck source=/dev/null
    source "$ROOT/bin/setup/doctor.sh"
    # shellcheck disable=SC2034
    doctor_problems=$1
    eval "is_installed() { $2; }; is_root() { $3; }; has() { $4; }; install_command() { echo apt-get install \$*; }"
    lacking=${5:-}
    door_lacks() { printf "%s" "$lacking"; }
    doctor_next
)

check_next() {
    [[ $(next_of 0 true false true) == 'rddp can run'*'  rddp demo '*'  rddp verbs --local=demo -- rping -s '*rping\ -c* ]] &&
        [[ $(next_of 0 false true false) == *'  bin/rddp demo '*'  apt-get install rdmacm-utils perftest '*'  bin/rddp verbs --local -- PROGRAM '* ]] &&
        [[ $(next_of 2 false true true) == '2 problem(s)'*'  bin/rddp setup '* ]] &&
        [[ $(next_of 2 false false true 'apt-get install x') == *'  apt-get install x     all of it, in one line'*'  bin/rddp doctor '* ]] &&
        [[ $(next_of 2 false false true 'a JDK: see y') == *'  a JDK: see y'$'\n  bin/rddp doctor '* ]] &&
        [[ $(next_of 2 false false true) == *$'Next:\n  bin/rddp doctor '* ]] &&
        [[ $(next_of 1 true true true) == '1 problem(s)'*'  rddp doctor '* ]]
}

check 'doctor: ends with what to type next' check_next

# drivers_in FOLDER DRIVER...: what the doctor says where DPDK's libraries are in $WORK/dpdk and these drivers in its FOLDER.
drivers_in() (
    # shellcheck source=/dev/null
    source "$ROOT/bin/setup/doctor.sh"
    rm -rf "$WORK/dpdk"
    mkdir -p "$WORK/dpdk/$1"
    for driver in "${@:2}"; do touch "$WORK/dpdk/$1/librte_$driver.so.25"; done
    install_command() { echo "install $*"; }
    doctor_drivers "$WORK/dpdk"
    echo "$doctor_problems"
)

check_drivers() {
    local all=(net_vhost net_virtio net_memif net_ring net_af_packet net_tap)
    [[ $(drivers_in dpdk/pmds-23.0 "${all[@]}") == *ok*net_memif*0 ]] &&
        [[ $(drivers_in dpdk-pmds net_vhost net_virtio net_ring net_tap) == *note*'not: net_memif net_af_packet'*0 ]] &&
        [[ $(drivers_in . net_vhost) == *MISSING*'not found: net_virtio'*1 ]]
}

check 'doctor: finds the drivers of Debian and of Fedora, which lacks some' check_drivers

# jdk_row CODENAME: the doctor's row on the JDK, on a system of that name with apt, sudo and no JDK.
# shellcheck disable=SC2317 # The doctor calls these.
jdk_row() (
    for part in say jdk packages doctor; do
        # shellcheck source=/dev/null
        source <(sed 's/^readonly //' "$ROOT/bin/setup/$part.sh")
    done
    # shellcheck disable=SC2034
    APT_LISTS=$WORK/no-lists
    codename=$1
    has() { [[ $1 == @(apt-get|sudo) ]]; }
    is_root() { false; }
    best_jdk() { true; }
    system_codename() { echo "$codename"; }
    unset JAVA_HOME
    doctor_jdk
)

check_jdk_row() {
    [[ $(jdk_row trixie) == *MISSING*JDK*'-> sudo apt-get install '*' openjdk-25-jdk-headless'* ]] &&
        [[ $(jdk_row bookworm) == *MISSING*JDK*'-> '*'apt-get install '*'temurin-25-jdk'* ]]
}

check 'doctor: says what to type for a JDK' check_jdk_row

check_sysfs_row() {
    mkdir -p "$WORK/sys/module"
    equal '' "$(cards_doctor doctor_sysfs)" || return
    rm -r "$WORK/sys/module"
    [[ $(cards_doctor doctor_sysfs) == *MISSING*sysfs*"$WORK/sys/module"*'mount '* ]]
}

check 'doctor: says that DPDK needs all of sysfs' check_sysfs_row
