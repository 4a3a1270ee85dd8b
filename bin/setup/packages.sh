# shellcheck shell=bash
# Packages that rddp needs, by Debian's names: installs those that are missing, by apt or dnf, where permitted, or lists them.

# To build and run rddp: Maven, a C compiler, and DPDK with its drivers (libdpdk-dev depends on every one of them).
install_packages_to_run() {
    local missing=()
    has mvn || missing+=(maven)
    if ((${#missing[@]} > 0)); then
        install_required 'rddp is built by Maven' "${missing[@]}"
    fi
    missing=()
    has gcc || missing+=(gcc libc6-dev)
    has make || missing+=(make)
    has pkg-config || missing+=(pkg-config)
    if [[ -z ${RDDP_NO_DPDK:-} ]] && ! has_dpdk; then
        missing+=(libdpdk-dev)
    fi
    if ((${#missing[@]} > 0)); then
        install_optional "DPDK, and a C compiler for the shim over it" "${missing[@]}"
    fi
    if ! has_verbs_headers; then
        install_optional 'unmodified RDMA programs over rddp (rddp verbs)' libibverbs-dev librdmacm-dev
    fi
    # There is none for other processors.
    if [[ -z ${RDDP_NO_DPDK:-} && $(uname -m) == x86_64 && ! -f /usr/include/intel-ipsec-mb.h ]]; then
        install_optional 'encryption by ESP without the ciphers of the JDK' libipsec-mb-dev
    fi
    # DPDK depends on it, too; without DPDK there is nothing to capture.
    if [[ -z ${RDDP_NO_DPDK:-} ]] && ! has_library libpcap.so.; then
        install_optional 'filters of rddp capture' libpcap0.8
    fi
}

# Charts contain text, for which a JRE of Debian without a display lacks libraries.
readonly FONT_PACKAGES=(fontconfig fonts-dejavu-core libharfbuzz0b)

has_fonts() {
    has fc-list && has_library libharfbuzz.so.0
}

# For the test suite.
install_packages_to_test() {
    local missing=()
    has ip || missing+=(iproute2)
    has ethtool || missing+=(ethtool)
    has tshark || missing+=(tshark)
    has tcpdump || missing+=(tcpdump)
    has python3 || missing+=(python3)
    has radvd || missing+=(radvd)
    has shellcheck || missing+=(shellcheck)
    has cppcheck || missing+=(cppcheck)
    has pkill || missing+=(procps)
    has_fonts || missing+=("${FONT_PACKAGES[@]}")
    if ((${#missing[@]} > 0)); then
        install_optional 'tests against Linux TCP and Wireshark, and of charts' "${missing[@]}"
    fi
    missing=()
    has rping || missing+=(rdmacm-utils)
    has ib_send_lat || missing+=(perftest)
    has ibv_devinfo || missing+=(ibverbs-utils)
    if ((${#missing[@]} > 0)); then
        install_optional 'tests of unmodified RDMA programs' "${missing[@]}"
    fi
}

# Unmodified RDMA programs that interop/verbs/run runs.
install_packages_for_verbs() {
    local missing=()
    has ip && has ss || missing+=(iproute2)
    has rping || missing+=(rdmacm-utils)
    has ib_send_lat || missing+=(perftest)
    has ibv_devinfo || missing+=(ibverbs-utils)
    has fio || missing+=(fio)
    has qperf || missing+=(qperf)
    has fi_pingpong || missing+=(libfabric-bin)
    has mpirun && has mpicc || missing+=(openmpi-bin libopenmpi-dev)
    has NPopenmpi || missing+=(netpipe-openmpi)
    has ucx_perftest || missing+=(ucx-utils)
    has g++ && [[ -d /usr/include/gloo/transport/ibverbs ]] || missing+=(g++ libgloo-dev)
    if ((${#missing[@]} > 0)); then
        install_required 'unmodified RDMA programs' "${missing[@]}"
    fi
}

# Unmodified programs with sockets that interop/sockets/run runs.
install_packages_for_sockets() {
    local missing=()
    has ip && has ss || missing+=(iproute2)
    has nc.openbsd || missing+=(netcat-openbsd)
    has socat || missing+=(socat)
    has iperf3 || missing+=(iperf3)
    has redis-server || missing+=(redis-server)
    has redis-benchmark || missing+=(redis-tools)
    has memcached || missing+=(memcached)
    has lighttpd || missing+=(lighttpd)
    has nginx || missing+=(nginx-light)
    has curl || missing+=(curl)
    has python3 || missing+=(python3)
    if ((${#missing[@]} > 0)); then
        install_required 'unmodified programs with sockets' "${missing[@]}"
    fi
}

# To make the tarball and the Debian package.
install_packages_to_package() {
    local missing=()
    has asciidoctor || missing+=(asciidoctor)
    has dpkg-shlibdeps || has rpmbuild || missing+=(dpkg-dev)
    has strip || missing+=(binutils)
    has_verbs_headers || missing+=(libibverbs-dev librdmacm-dev)
    if ((${#missing[@]} > 0)); then
        install_required 'manual pages, and the dependencies of a Debian package' "${missing[@]}"
    fi
}

# To check what was made: service, manual pages, completion, installation as another user.
install_packages_to_check_package() {
    local missing=()
    has systemd-analyze || missing+=(systemd)
    has man || missing+=(man-db)
    has zsh || missing+=(zsh)
    has setpriv || missing+=(util-linux)
    has rping || missing+=(rdmacm-utils)
    has rpmbuild || missing+=(rpm)
    has rpmlint || missing+=(rpmlint)
    if ((${#missing[@]} > 0)); then
        install_optional 'checks of the packages' "${missing[@]}"
    fi
}

# To make a new Debian system.
install_packages_to_try_package() {
    has debootstrap || install_required 'a new Debian system to install the package in' debootstrap
}

# To build and run the virtual machines: that with Linux's siw, and that with emulated cards; and the programs in them.
install_packages_for_siw() {
    local missing=()
    has qemu-system-x86_64 || missing+=(qemu-system-x86)
    has busybox && ! ldd "$(command -v busybox)" >/dev/null 2>&1 || missing+=(busybox-static)
    has rping || missing+=(rdmacm-utils)
    has ib_send_lat || missing+=(perftest)
    has ibv_devinfo || missing+=(ibverbs-utils)
    has_library libibverbs/libsiw- || missing+=(ibverbs-providers)
    has rdma || missing+=(iproute2)
    has depmod || missing+=(kmod)
    has cpio || missing+=(cpio)
    has xz || missing+=(xz-utils)
    if ((${#missing[@]} > 0)); then
        install_required "Linux's siw in a virtual machine" "${missing[@]}"
    fi
}

# install_packages_to_bench [NAME]: the systems that a benchmark, or any of them, compares rddp with.
install_packages_to_bench() {
    local missing=()
    if benchmarks_devices "$1"; then
        has ip || missing+=(iproute2)
        has ethtool || missing+=(ethtool)
        has nsenter || missing+=(util-linux)
        has sysctl || missing+=(procps)
    fi
    if [[ $1 == verbs || -z $1 || $1 == --* ]] && ! has ib_write_lat; then
        install_optional 'unmodified RDMA programs to measure' perftest
    fi
    if [[ $1 == sockets || -z $1 || $1 == --* ]] &&
        ! { has redis-server && has redis-benchmark && has iperf3 && has pgbench && has nginx && has wrk; }; then
        install_optional 'unmodified programs with sockets to measure' redis-server redis-tools iperf3 postgresql nginx-light wrk
    fi
    has_fonts || missing+=("${FONT_PACKAGES[@]}")
    if ((${#missing[@]} > 0)); then
        install_optional "kernel TCP over veth to compare with, and charts" "${missing[@]}"
    fi
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

# install_optional WHY PACKAGE...: installs them, or prints that rddp goes on without them.
install_optional() {
    local why=$1
    shift
    if can_install; then
        install_packages "$why" "$@" || say "going on without: $*"
    else
        say "missing: $* ($why); going on without. To install: $(install_command "$@")"
    fi
}

# install_required WHY PACKAGE...: installs them, or exits.
install_required() {
    local why=$1
    shift
    if ! can_install; then
        fail "missing: $* ($why)" "To install, as root: $(install_command "$@")"
    fi
    install_packages "$why" "$@" || fail "could not install: $*" "To see why, run: $(install_command "$@")"
}

can_install() {
    is_root && { has apt-get || has dnf; }
}

# install_command PACKAGE...: prints what to type on this system.
install_command() {
    if has apt-get || ! has dnf; then
        echo "apt-get install -y --no-install-recommends $*"
    else
        echo "dnf install -y $(fedora_names "$@")"
    fi
}

# fedora_names PACKAGE...
fedora_names() {
    local package
    for package in "$@"; do
        awk -v package="$package" '$1 == package { name = $2 } END { print name ? name : package }' "$ROOT/bin/setup/fedora.txt"
    done | grep -vx -e - | sort -u | paste -sd ' '
}

# install_packages WHY PACKAGE...: with apt, fetches the package lists only when they lack a package, or the installation fails.
install_packages() {
    local why=$1 names
    shift
    say "installing $* ($why)"
    if ! has apt-get; then
        read -ra names <<<"$(fedora_names "$@")"
        ((${#names[@]} > 0)) || return 0
        dnf -q install -y "${names[@]}" >&2
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
    DEBIAN_FRONTEND=noninteractive apt-get -q -o Dpkg::Use-Pty=0 -o DPkg::Lock::Timeout=600 "$@" 9<&- >&2
)
