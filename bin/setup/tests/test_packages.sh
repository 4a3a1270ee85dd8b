# shellcheck shell=bash
# Names of packages, and how they are installed, on systems other than Debian.

# on PROGRAMS COMMAND...: with packages.sh, on a system that has these programs (a pattern of names) and no others.
# shellcheck disable=SC2317 # What is called by its name.
on() (
    # shellcheck source=bin/setup/say.sh
    source "$ROOT/bin/setup/say.sh"
    # shellcheck source=bin/setup/packages.sh
    source "$ROOT/bin/setup/packages.sh"
    programs=$1
    # shellcheck disable=SC2053
    has() { [[ $1 == $programs ]]; }
    is_root() { true; }
    dnf() { echo "dnf $*"; }
    apt-cache() { true; }
    apt-get() { flock -n "$ROOT" true || echo "alone: $*"; }
    "${@:2}" 2>&1
)

# lacking NEEDED WANTED: what is done where these packages are missing.
lacking() {
    # shellcheck disable=SC2086
    need $1 && want $2 && install_missing </dev/null
}

# user_lacking PROGRAMS NEEDED WANTED: the same for an ordinary user, without a terminal.
# shellcheck disable=SC2317
user_lacking() {
    on "$1" eval "is_root() { false; }; lacking '$2' '$3'; echo went on"
}

check_user() {
    local said
    said=$(user_lacking '@(sudo|apt-get)' 'make gcc make' 'x gcc') && return 1
    [[ $said == *$'\nsudo apt-get install -y --no-install-recommends make gcc x\n'*'stopped before'* && $said != *'went on'* ]] || return
    said=$(user_lacking '@(sudo|dnf)' gcc '') && return 1
    [[ $said == *$'\nsudo dnf install -y gcc\n'* ]] || return
    said=$(user_lacking '@(sudo|apt-get)' '' x)
    [[ $said == *'going on without: x. To install: sudo apt-get install'*'went on' ]]
}

check_fedora() {
    equal 'dnf install -y dpdk-devel gcc glibc-devel' "$(on dnf install_command gcc libc6-dev libdpdk-dev)" &&
        equal 'dnf install -y rdma-core-devel' "$(on dnf install_command libibverbs-dev librdmacm-dev netpipe-openmpi)" &&
        [[ $(on dnf lacking libdpdk-dev '') == *'dnf -q install -y dpdk-devel' ]]
}

check_debian() {
    equal 'apt-get install -y --no-install-recommends gcc' "$(on apt-get install_command gcc)" &&
        equal 'apt-get install -y --no-install-recommends gcc' "$(on none install_command gcc)" &&
        [[ $(on none lacking '' gcc) == *'going on without: gcc. To install: apt-get install '* ]] &&
        [[ $(on apt-get lacking gcc '') == *'alone: '*' install -y --no-install-recommends gcc' ]]
}

check 'packages: dnf gets the names of Fedora' check_fedora
check 'packages: Debian'"'"'s names where there is no dnf, and one apt at a time' check_debian
check 'packages: an ordinary user gets one line with all, and nothing is built without them' check_user
