# shellcheck shell=bash
# The checks of the doctor, part by part.

doctor_machine() {
    echo 'Machine'
    ok kernel "$(uname -sr), $(uname -m)"
    doctor_cores
    doctor_cpu_features
    ok NUMA "$(count /sys/devices/system/node/node[0-9]*) node(s)"
    doctor_sysfs
}

doctor_sysfs() {
    [[ -d $SYSFS/module ]] ||
        missing sysfs "there is no folder $SYSFS/module, without which DPDK does not start" "mount -t sysfs sysfs $SYSFS (as root)"
}

doctor_cores() {
    local cores
    cores=$(nproc)
    if ((cores >= 4)); then
        ok cores "$cores"
    else
        note cores "$cores" \
            'two engines and two programs are four busy threads: with fewer cores the demo measures round trips on two'
    fi
}

doctor_cpu_features() {
    local flags has=() lacks=() feature
    flags=" $(sed -n 's/^flags[^:]*: //p;T;q' /proc/cpuinfo) "
    for feature in sse4_2 pclmulqdq avx2 avx512f avx512bw avx512vl vpclmulqdq; do
        if [[ $flags == *" $feature "* ]]; then
            has+=("$feature")
        else
            lacks+=("$feature")
        fi
    done
    if ((${#lacks[@]} == 0)); then
        ok 'CPU features' "${has[*]}"
    else
        note 'CPU features' "${has[*]:-none of those checked}; not: ${lacks[*]}" 'CRC32c is slower without them'
    fi
}

doctor_tools() {
    echo 'Build'
    doctor_jdk
    doctor_command mvn 'builds rddp' maven
    doctor_command gcc 'compiles the shim' 'gcc libc6-dev'
    doctor_command make 'compiles the shim' make
    doctor_command pkg-config 'finds DPDK' pkg-config
}

doctor_jdk() {
    local home=${JAVA_HOME:-} package
    if [[ -z $home ]] || ! is_usable_jdk "$home"; then
        home=$(best_jdk)
    fi
    if [[ -n $home ]]; then
        ok JDK "$(java_version "$home"), $home"
    else
        package=$(jdk_package)
        if is_installed; then package=${package/-jdk-/-jre-}; fi
        missing JDK "none of $OLDEST_JDK or later, in JAVA_HOME or elsewhere" \
            "$(if [[ -n $package ]]; then install_command "$package"; else jdk_advice; fi)"
    fi
}

doctor_command() {
    if has "$1"; then
        ok "$1" "$(command -v "$1")"
    else
        missing "$1" "not found: $2" "$(install_command "$3")"
    fi
}

doctor_dpdk() {
    echo 'DPDK'
    if ! has_dpdk; then
        missing libdpdk 'not found: only the simulation runs without it' "$(install_command libdpdk-dev)"
        return
    fi
    local version tested
    version=$(dpdk_version)
    mapfile -t tested < <(awk '!/^#/ { print $3 }' "$ROOT/bin/setup/systems.txt")
    if [[ " ${tested[*]} " == *" ${version%.*} "* ]]; then
        ok libdpdk "$version"
    else
        note libdpdk "$version" "tested with ${tested[*]}"
    fi
    doctor_drivers "$(pkg-config --variable=libdir libdpdk)"
    doctor_shim
    doctor_esp
    doctor_ike
}

# Checks what an installed copy needs: a runtime, and DPDK's libraries where the dynamic linker finds them.
doctor_installed() {
    echo 'Installed'
    doctor_jdk
    local linked lacking
    linked=$(ldd "$SHIM")
    lacking=$(sed -n 's/^[[:space:]]*\([^ ]*\) => not found$/\1/p' <<<"$linked" | paste -sd ' ')
    if [[ -n $lacking ]]; then
        missing DPDK "libraries not found: $lacking" 'install the libraries of the DPDK that rddp was built with'
        return
    fi
    local eal
    eal=$(sed -n 's/.*=> \(.*librte_eal\.so[^ ]*\) .*/\1/p' <<<"$linked")
    ok DPDK "$(readlink -f -- "$eal")"
    doctor_drivers "$(dirname -- "$eal")"
    doctor_esp
    doctor_ike
}

# What computes AES-GCM of ESP: libipsec-mb, which the shim loads if it is there, or the JDK.
doctor_esp() {
    [[ $(uname -m) == x86_64 && -f $SHIM ]] || return 0
    local library
    library=$(grep -aom1 'libIPSec_MB\.so\.[0-9]*' "$SHIM")
    if [[ -z $library ]]; then
        note ESP 'AES-GCM by the JDK: the shim was built without libipsec-mb' "$(install_command libipsec-mb-dev), then rddp setup"
    elif ! has_library "$library"; then
        note ESP "AES-GCM by the JDK: $library is not found" "$(install_command libipsec-mb-dev)"
    elif ! grep -qw aes /proc/cpuinfo; then
        note ESP 'AES-GCM by the JDK: the processor has no AES instructions' 'none; it only takes longer'
    else
        ok ESP "AES-GCM by $library"
    fi
}

# The kernel's files of its lockdown; tests name others.
LOCKDOWN=/sys/kernel/security/lockdown

# Whether strongSwan can put associations into the kernel, for "rddp ipsec mirror" (IKE). Asks it in a network namespace that ends
# with the question.
doctor_ike() {
    local said state=(ip xfrm state add src 192.0.2.1 dst 192.0.2.2 proto esp spi 0x1000 mode transport
        aead 'rfc4106(gcm(aes))' 0x0000000000000000000000000000000000000001 128)
    if ! is_root || ! has ip; then return; fi
    if [[ -r $LOCKDOWN && $(<"$LOCKDOWN") == *'[confidentiality]'* ]]; then
        note IKE 'the kernel is locked down for confidentiality, and hides the keys that IKE gives it' \
            'lockdown=integrity on its command line; only for keys from IKE (rddp ipsec mirror)'
    elif said=$(unshare --net "${state[@]}" 2>&1); then
        ok IKE 'the kernel has ESP with AES-GCM, which strongSwan and "rddp ipsec mirror" need'
    else
        note IKE "no ESP with AES-GCM in the kernel: ${said%%$'\n'*}" \
            'a kernel with esp4, esp6 and gcm; only for keys from IKE (rddp ipsec mirror)'
    fi
}

# doctor_drivers FOLDER: looks for the drivers among DPDK's libraries in the folder, and where Debian or Fedora has drivers.
doctor_drivers() {
    local libraries=$1 driver found=() lacking=()
    for driver in net_vhost net_virtio net_memif net_ring net_af_packet net_tap; do
        if compgen -G "$libraries/librte_$driver.so*" >/dev/null ||
            compgen -G "$libraries/dpdk/pmds-*/librte_$driver.so*" >/dev/null ||
            compgen -G "$libraries/dpdk-pmds/librte_$driver.so*" >/dev/null; then
            found+=("$driver")
        else
            lacking+=("$driver")
        fi
    done
    if ((${#lacking[@]} == 0)); then
        ok drivers "${found[*]}"
    elif [[ -d $libraries/dpdk-pmds && $(printf '%s\n' "${lacking[@]}" | grep -vxc -e net_memif -e net_af_packet) == 0 ]]; then
        # Fedora builds neither of them.
        note drivers "${found[*]}; not: ${lacking[*]}" "$(install_command librte-meta-allpmds), if it has them"
    else
        missing drivers "not found: ${lacking[*]} (found: ${found[*]:-none})" "$(install_command librte-meta-allpmds)"
    fi
}

doctor_shim() {
    if [[ -f $SHIM ]]; then
        ok shim "$SHIM"
    else
        note shim 'not built yet' "bin/rddp setup"
    fi
}

doctor_memory() {
    echo 'Memory'
    local free total
    ok memory "$(($(memory_field MemAvailable) / 1024)) MiB available of $(($(memory_field MemTotal) / 1024))"
    free=$(memory_field HugePages_Free)
    total=$(memory_field HugePages_Total)
    if ((free >= HUGEPAGES_LEAST)); then
        ok hugepages "$free free of $total, $(memory_field Hugepagesize) kB each"
        doctor_nodes
    elif [[ -w $HUGEPAGES_COUNT ]]; then
        ok hugepages "$free free of $total; bin/rddp can reserve the $HUGEPAGES_WANTED that it needs"
    else
        note hugepages "$free free of $total, and no more can be reserved: DPDK uses ordinary memory" \
            "sysctl -w vm.nr_hugepages=$((total + HUGEPAGES_WANTED)) (as root)"
    fi
    doctor_shared_huge_pages
}

SHMEM_ENABLED=/sys/kernel/mm/transparent_hugepage/shmem_enabled

# Only "deny" forbids MADV_COLLAPSE: see docs/ipc.md, Trust.
doctor_shared_huge_pages() {
    if [[ ! -r $SHMEM_ENABLED ]]; then
        return
    fi
    if [[ $(<"$SHMEM_ENABLED") == *'[deny]'* ]]; then
        ok 'shared memory' 'huge pages: deny, so no program can make an engine wait by MADV_COLLAPSE'
    else
        note 'shared memory' 'huge pages: not deny, so programs can make an engine wait by MADV_COLLAPSE' \
            "if programs are hostile: echo deny > $SHMEM_ENABLED (as root)"
    fi
}

# Lists free huge pages by NUMA node, if there are several: a card's packet buffers are best on its own node.
doctor_nodes() {
    local node pages free
    if (($(count "$SYSFS"/devices/system/node/node[0-9]*) < 2)); then return; fi
    for node in "$SYSFS"/devices/system/node/node[0-9]*; do
        pages=$node/hugepages/hugepages-2048kB
        [[ -r $pages/free_hugepages ]] || continue
        free=$(<"$pages/free_hugepages")
        if ((free > 0)); then
            ok "${node##*/}" "$free huge pages free"
        else
            note "${node##*/}" 'no huge pages free: cards of this node use memory of another one, which is slower' \
                "echo $HUGEPAGES_WANTED > $pages/nr_hugepages (as root)"
        fi
    done
}

doctor_permissions() {
    echo 'Permissions'
    doctor_network
    doctor_tun
    doctor_locked_memory
    doctor_memfd
    doctor_immutable
    doctor_replacement
}

doctor_network() {
    if has_capability 13; then
        ok CAP_NET_RAW 'linux: interfaces'
    else
        note CAP_NET_RAW 'missing: no linux: and xdp: interfaces' 'run as root'
    fi
    if has_capability 12; then
        ok CAP_NET_ADMIN 'large buffers of linux: interfaces, xdp:, net_tap'
    else
        note CAP_NET_ADMIN 'missing: small buffers of linux: interfaces, no xdp: and net_tap, kernel TCP measured over loopback' \
            'run as root'
    fi
}

doctor_tun() {
    if [[ -w /dev/net/tun ]]; then
        ok /dev/net/tun 'usable'
    else
        note /dev/net/tun 'not usable: no net_tap' 'modprobe tun (as root)'
    fi
}

doctor_locked_memory() {
    local limit
    limit=$(ulimit -l)
    if [[ $limit == unlimited ]]; then
        ok 'locked memory' "$limit"
    elif ((limit >= 64 * 1024)); then
        ok 'locked memory' "$limit kB"
    elif has_capability 14; then
        ok 'locked memory' "$limit kB, which CAP_IPC_LOCK overrides"
    else
        note 'locked memory' "$limit kB" \
            "echo '$(id -un) - memlock unlimited' > /etc/security/limits.d/rddp.conf (as root, from the next login on), or run as root"
    fi
}

# Sealed memfds carry all data between programs and the daemon; the kernel has them since 3.17, vm.memfd_noexec since 6.3.
doctor_memfd() {
    local setting=/proc/sys/vm/memfd_noexec
    if [[ -r $setting ]]; then
        ok memfd "sealed, vm.memfd_noexec=$(<"$setting")"
    else
        ok memfd 'sealed (a kernel before 6.3: without MFD_NOEXEC_SEAL)'
    fi
}

# Memory that a daemon makes immutable can be mapped by the next one: docs/ipc.md, Trust. The kernel has it since 6.0.
USER_NAMESPACE=/proc/self/uid_map
can_be_immutable() {
    local first outside length
    read -r first outside length <"$USER_NAMESPACE"
    has_capability 9 && [[ "$first $outside $length" == '0 0 4294967295' && ! $(uname -r) =~ ^[345]\. ]]
}

doctor_immutable() {
    if can_be_immutable; then
        ok 'immutable memory' 'CAP_LINUX_IMMUTABLE: a daemon can be replaced while programs run; they keep their memory when it has ended'
    else
        note 'immutable memory' 'not with these rights: a daemon cannot be replaced while programs run; they copy their memory when it has ended' \
            'run the daemon by its service or as root, outside of a user namespace, on Linux 6.0 or later'
    fi
}

# Whether the service's daemon can be replaced while programs run: docs/operations.md.
CONFIGURATION=/etc/rddp/rddpd.toml
REPLACEABLE='^(linux|xdp|ring|pci):|^([0-9a-f]{4}:)?[0-9a-f]{2}:[0-9a-f]{2}\.[0-7]|^net_af_packet|^net_tap[^,]*,(.*,)?iface=|^(net_)?virtio_user'
IRREPLACEABLE='^net_tap.*,remote=|^(net_)?virtio_user.*,server=1(,|$)'
doctor_replacement() {
    local others each
    if [[ ! -r $CONFIGURATION ]]; then return; fi
    others=$(sed -nE 's/^[[:space:]]*device[[:space:]]*=[[:space:]]*"([^"]*)".*/\1/p' "$CONFIGURATION" |
        while read -r each; do [[ $each =~ $REPLACEABLE && ! $each =~ $IRREPLACEABLE ]] || echo "$each"; done | paste -sd ' ')
    if [[ -n $others ]]; then
        note 'rddp daemon --replace' "not by $CONFIGURATION: another process cannot have $others" \
            'only the devices that docs/operations.md lists, if you want it'
    elif ! can_be_immutable; then
        note 'rddp daemon --replace' 'not with these rights: no other process can map the memory of programs' \
            'run the daemon by its service or as root, outside of a user namespace, on Linux 6.0 or later'
    else
        ok 'rddp daemon --replace' 'all devices can go over, and memory can be immutable'
    fi
}

# has_capability BIT: whether this process has it (capabilities(7)).
has_capability() {
    local name value
    while read -r name value; do
        if [[ $name == CapEff: ]]; then
            (((16#$value >> $1 & 1) == 1))
            return
        fi
    done </proc/self/status
    return 1
}

doctor_tests() {
    echo 'Tests only'
    local tool package
    while read -r tool package; do
        if has "$tool"; then
            ok "$tool" "$(command -v "$tool")"
        else
            note "$tool" 'not found' "$(install_command "$package")"
        fi
    done <<<'ip iproute2
ethtool ethtool
tshark tshark
tcpdump tcpdump
python3 python3
shellcheck shellcheck
cppcheck cppcheck'
}

# The ways into rddp that README has.
doctor_doors() {
    echo 'Ways in'
    local door lacks
    for door in "${DOORS[@]}"; do
        lacks=$(door_lacks "$door")
        if [[ -z $lacks ]]; then ok "$door" 'can be used'; else note "$door" 'not yet' "$lacks"; fi
    done
}

# count PATH...: how many of them exist.
count() {
    local number=0 path
    for path in "$@"; do
        if [[ -e $path ]]; then
            number=$((number + 1))
        fi
    done
    echo "$number"
}
