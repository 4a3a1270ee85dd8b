# shellcheck shell=bash
# Names of packages, and how they are installed, on systems other than Debian.

# on PROGRAMS COMMAND...: with packages.sh, on a system that has these programs (a pattern of names) and no others.
on() (
    # shellcheck source=bin/setup/say.sh
    source "$ROOT/bin/setup/say.sh"
    # shellcheck source=bin/setup/packages.sh
    source "$ROOT/bin/setup/packages.sh"
    programs=$1
    # shellcheck disable=SC2254
    has() { case $1 in $programs) ;; *) return 1 ;; esac; }
    is_root() { true; }
    dnf() { echo "dnf $*"; }
    apt-cache() { true; }
    apt-get() { flock -n "$ROOT" true || echo "alone: $*"; }
    "${@:2}" 2>&1
)

check_fedora() {
    equal 'dnf install -y dpdk-devel gcc glibc-devel' "$(on dnf install_command gcc libc6-dev libdpdk-dev)" &&
        equal 'dnf install -y rdma-core-devel' "$(on dnf install_command libibverbs-dev librdmacm-dev netpipe-openmpi)" &&
        [[ $(on dnf install_required why libdpdk-dev) == *'dnf -q install -y dpdk-devel' ]]
}

check_debian() {
    equal 'apt-get install -y --no-install-recommends gcc' "$(on apt-get install_command gcc)" &&
        equal 'apt-get install -y --no-install-recommends gcc' "$(on none install_command gcc)" &&
        [[ $(on none install_optional why gcc) == *'missing: gcc (why); going on without.'* ]] &&
        [[ $(on apt-get install_required why gcc) == *'alone: '*' install -y --no-install-recommends gcc' ]]
}

check 'packages: dnf gets the names of Fedora' check_fedora
check 'packages: Debian'"'"'s names where there is no dnf, and one apt at a time' check_debian
