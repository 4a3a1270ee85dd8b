# shellcheck shell=bash
# Packages that rddp needs, by Debian's names: installs those that are missing, by apt or dnf, where permitted, or lists them.

# What the command that was typed lacks: what it cannot do without, and what it goes on without.
MISSING=()
MISSING_OPTIONAL=()

# need PACKAGE...: adds to what the command cannot do without.
need() {
    MISSING+=("$@")
}

# want PACKAGE...: adds to what the command goes on without.
want() {
    MISSING_OPTIONAL+=("$@")
}

# To build and run rddp: besides, a JDK.
need_to_run() {
    need_to_compile
    # Last: where this system has no package of a JDK, what is said has all the others.
    need_jdk
}

# Maven, a C compiler, and DPDK with its drivers (libdpdk-dev depends on every one of them).
need_to_compile() {
    has mvn || need maven
    has gcc || need gcc libc6-dev
    has make || need make
    has pkg-config || need pkg-config
    if [[ -z ${RDDP_NO_DPDK:-} ]]; then
        has_dpdk || need libdpdk-dev
        # Encryption by ESP without the ciphers of the JDK. There is none for other processors.
        [[ $(uname -m) != x86_64 || -f /usr/include/intel-ipsec-mb.h ]] || want libipsec-mb-dev
        # Filters of rddp capture. DPDK depends on it, too; without DPDK there is nothing to capture.
        has_library libpcap.so. || want libpcap0.8
    fi
}

# need_for_programs WORD: unmodified RDMA programs (rddp verbs), which the command needs or wants.
need_for_programs() {
    has_verbs_headers || "$1" libibverbs-dev librdmacm-dev
}

# Charts contain text, for which a JRE of Debian without a display lacks libraries.
readonly FONT_PACKAGES=(fontconfig fonts-dejavu-core libharfbuzz0b)

has_fonts() {
    has fc-list && has_library libharfbuzz.so.0
}

# For the test suite.
need_to_test() {
    need_for_programs want
    has ip || want iproute2
    has ethtool || want ethtool
    has tshark || want tshark
    has tcpdump || want tcpdump
    has python3 || want python3
    has radvd || want radvd
    has shellcheck || want shellcheck
    has cppcheck || want cppcheck
    has pkill || want procps
    has_fonts || want "${FONT_PACKAGES[@]}"
    has rping || want rdmacm-utils
    has ib_send_lat || want perftest
    has ibv_devinfo || want ibverbs-utils
}

# Unmodified RDMA programs that interop/verbs/run runs.
need_for_verbs() {
    { has ip && has ss; } || need iproute2
    has rping || need rdmacm-utils
    has ib_send_lat || need perftest
    has ibv_devinfo || need ibverbs-utils
    has fio || need fio
    has qperf || need qperf
    has fi_pingpong || need libfabric-bin
    { has mpirun && has mpicc; } || need openmpi-bin libopenmpi-dev
    has NPopenmpi || need netpipe-openmpi
    has ucx_perftest || need ucx-utils
    { has g++ && [[ -d /usr/include/gloo/transport/ibverbs ]]; } || need g++ libgloo-dev
}

# Unmodified programs with sockets that interop/sockets/run runs.
need_for_sockets() {
    { has ip && has ss; } || need iproute2
    has nc.openbsd || need netcat-openbsd
    has socat || need socat
    has iperf3 || need iperf3
    has redis-server || need redis-server
    has redis-benchmark || need redis-tools
    has memcached || need memcached
    has lighttpd || need lighttpd
    has nginx || need nginx-light
    has curl || need curl
    has python3 || need python3
}

# To make the tarball and the Debian package.
need_to_package() {
    has asciidoctor || need asciidoctor
    has dpkg-shlibdeps || has rpmbuild || need dpkg-dev
    has strip || need binutils
    need_for_programs need
}

# To check what was made: service, manual pages, completion, installation as another user.
need_to_check_package() {
    has systemd-analyze || want systemd
    has man || want man-db
    has zsh || want zsh
    has setpriv || want util-linux
    has rping || want rdmacm-utils
    has rpmbuild || want rpm
    has rpmlint || want rpmlint
}

# To make a new Debian system.
need_to_try_package() {
    has debootstrap || need debootstrap
}

# To build and run the virtual machines: that with Linux's siw, and that with emulated cards; and the programs in them.
need_for_siw() {
    has qemu-system-x86_64 || need qemu-system-x86
    { has busybox && ! ldd "$(command -v busybox)" >/dev/null 2>&1; } || need busybox-static
    has rping || need rdmacm-utils
    has ib_send_lat || need perftest
    has ibv_devinfo || need ibverbs-utils
    has_library libibverbs/libsiw- || need ibverbs-providers
    has rdma || need iproute2
    has depmod || need kmod
    has cpio || need cpio
    has xz || need xz-utils
}

# need_to_bench [NAME]: the systems that a benchmark, or any of them, compares rddp with.
need_to_bench() {
    if benchmarks_devices "$1"; then
        has ip || want iproute2
        has ethtool || want ethtool
        has nsenter || want util-linux
        has sysctl || want procps
    fi
    if [[ $1 == verbs || -z $1 || $1 == --* ]] && ! has ib_write_lat; then
        want perftest
    fi
    if [[ $1 == sockets || -z $1 || $1 == --* ]] &&
        ! { has redis-server && has redis-benchmark && has iperf3 && has pgbench && has nginx && has wrk; }; then
        want redis-server redis-tools iperf3 postgresql nginx-light wrk
    fi
    has_fonts || want "${FONT_PACKAGES[@]}"
}

# benchmarks_devices [NAME]: whether a benchmark, or any of them, uses DPDK's devices and the kernel's.
benchmarks_devices() {
    [[ ' analysis jmh ' != *" ${1:-all} "* ]]
}

# has_library BEGINNING: whether a file of that beginning is among the libraries of Debian or Fedora.
has_library() {
    compgen -G "/usr/lib/*/$1*" >/dev/null || compgen -G "/usr/lib64/$1*" >/dev/null
}

has_dpdk() {
    has pkg-config && pkg-config --exists libdpdk 2>/dev/null
}

has_verbs_headers() {
    has pkg-config && pkg-config --exists libibverbs librdmacm 2>/dev/null
}

# Prints the release of rdma-core, such as 44 from 1.14.44.0, the version of its libibverbs.
rdma_core_version() {
    pkg-config --modversion libibverbs | cut -d . -f 3
}

dpdk_version() {
    has_dpdk && pkg-config --modversion libdpdk
}

dpdk_description() {
    if has_dpdk; then
        echo "DPDK $(dpdk_version)"
    else
        echo 'no DPDK (simulation only)'
    fi
}

# Makes sure of all that was missing for the command, at once and before anything is built: root installs it, others are asked
# where sudo is there; or exits with the one line to type.
install_missing() {
    local needed wanted line
    mapfile -t needed < <(each_once "${MISSING[@]}")
    mapfile -t wanted < <(known_packages "${MISSING_OPTIONAL[@]}" | grep -vxF -f <(each_once "${MISSING[@]}"))
    MISSING=() MISSING_OPTIONAL=()
    ((${#needed[@]} + ${#wanted[@]} > 0)) || return 0
    if can_install; then
        if install_packages "${needed[@]}" "${wanted[@]}"; then return; fi
        ((${#wanted[@]} > 0)) && say "going on without: ${wanted[*]}"
        ((${#needed[@]} == 0)) || install_packages "${needed[@]}" ||
            fail "could not install: ${needed[*]}" "To see why, run: $(install_command "${needed[@]}")"
        return
    fi
    line=$(install_command "${needed[@]}" "${wanted[@]}")
    if ((${#needed[@]} == 0)); then
        say "going on without: ${wanted[*]}. To install: $line"
        return
    fi
    say "missing: ${needed[*]}${wanted[*]:+; and, not needed for everything: ${wanted[*]}}. To install, as root:"
    printf '%s\n' "$line" >&2
    if may_ask && ask 'Run this now?'; then
        SUDO=sudo install_packages "${needed[@]}" "${wanted[@]}" || fail 'that did not succeed'
        return
    fi
    fail 'stopped before building anything' 'Type that line, and then this command again.'
}

# each_once WORD...
each_once() {
    (($# == 0)) || printf '%s\n' "$@" | awk '!seen[$0]++'
}

# known_packages PACKAGE...: prints those that this system has, as far as it knows.
known_packages() {
    local package
    each_once "$@" | while read -r package; do
        if has_package_lists && [[ -z $(apt-cache show "$package" 2>/dev/null) ]]; then continue; fi
        printf '%s\n' "$package"
    done
}

APT_LISTS=/var/lib/apt/lists

# Whether apt has lists of packages: a new system may have none.
has_package_lists() {
    has apt-cache && compgen -G "$APT_LISTS/*_Packages*" >/dev/null
}

# Whether a person is there to answer, who may be permitted to install.
may_ask() {
    [[ -t 0 && -t 2 && -z ${CI:-} ]] && has sudo && { has apt-get || has dnf; }
}

# ask QUESTION: whether the answer is yes.
ask() {
    local answer=''
    read -rp "$1 [y/N] " answer || true
    [[ $answer == [yY] || $answer == [yY][eE][sS] ]]
}

can_install() {
    is_root && { has apt-get || has dnf; }
}

# install_command PACKAGE...: prints what to type on this system, in one line.
install_command() {
    local sudo=''
    if ! is_root && has sudo; then sudo='sudo '; fi
    if has dnf && ! has apt-get; then
        echo "${sudo}dnf install -y $(fedora_names "$@")"
    elif has apt-cache && ! has_package_lists; then
        echo "${sudo}apt-get update && ${sudo}apt-get install -y --no-install-recommends $*"
    else
        echo "${sudo}apt-get install -y --no-install-recommends $*"
    fi
}

# fedora_names PACKAGE...
fedora_names() {
    local package
    for package in "$@"; do
        awk -v package="$package" '$1 == package { name = $2 } END { print name ? name : package }' "$ROOT/bin/setup/fedora.txt"
    done | grep -vx -e - | sort -u | paste -sd ' '
}

# The program that makes a user root, if one does.
SUDO=''

# install_packages PACKAGE...: with apt, fetches the package lists only when they lack a package, or the installation fails.
install_packages() {
    local names
    say "installing $*"
    if ! has apt-get; then
        read -ra names <<<"$(fedora_names "$@")"
        ((${#names[@]} > 0)) || return 0
        ${SUDO:+"$SUDO"} dnf -q install -y "${names[@]}" >&2
        return
    fi
    if apt-cache show "$@" >/dev/null 2>&1 && apt_get install -y --no-install-recommends "$@"; then
        return
    fi
    apt_get update && apt_get install -y --no-install-recommends "$@"
}

# One at a time: steps of the test suite run side by side. For programs besides, apt waits ten minutes.
apt_get() (
    exec 9<"$ROOT"
    flock 9
    # Services that packages start must not inherit the lock.
    DEBIAN_FRONTEND=noninteractive ${SUDO:+"$SUDO"} \
        apt-get -q -o Dpkg::Use-Pty=0 -o DPkg::Lock::Timeout=600 "$@" 9<&- >&2
)
