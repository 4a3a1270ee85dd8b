# shellcheck shell=bash
# New Debian systems to run rddp in: made by debootstrap, kept, copied, entered, removed. Source say.sh first.

# Roots as debootstrap has made them, and packages and libraries that were downloaded, are kept for every tree of this user.
readonly SYSTEMS=${XDG_CACHE_HOME:-${HOME:-/root}/.cache}/rddp/systems

# The folder of the system that `inside` enters.
SYSTEM=''

# system_names: prints those in systems.txt.
system_names() {
    sed 's/#.*//; s/ .*//; /^$/d' "$ROOT/bin/setup/systems.txt"
}

# release_of NAME: prints the name of that system on Debian's mirrors.
release_of() {
    awk -v name="$1" '$1 == name { print $2 }' "$ROOT/bin/setup/systems.txt"
}

# this_system: prints the name of this machine's system.
this_system() (
    VERSION_CODENAME=''
    # shellcheck source=/dev/null
    source /etc/os-release
    awk -v release="$VERSION_CODENAME" '$2 == release { print $1 }' "$ROOT/bin/setup/systems.txt"
)

# alone COMMAND...: runs it (this script) with a new folder named in RDDP_WORK, in mount and process namespaces of its own, and
# exits. When it ends, or this process is told to, its processes and mounts vanish and the folder is removed. Within that
# command, returns with the folder in WORK.
alone() {
    local old lock all
    if [[ -n ${RDDP_WORK:-} ]]; then
        readonly WORK=$RDDP_WORK
        unset RDDP_WORK
        return
    fi
    mkdir -p "$SYSTEMS"
    exec {all}<"$SYSTEMS"
    flock "$all"
    # Left by killed runs: no process has a lock on them.
    for old in "$SYSTEMS"/work.*; do
        [[ ! -d $old ]] || flock -n "$old" rm -rf --one-file-system -- "$old"
    done
    WORK=$(mktemp -d "$SYSTEMS/work.XXXXXX") || exit
    readonly WORK
    exec {lock}<"$WORK"
    flock "$lock"
    exec {all}<&-
    chmod 755 "$WORK"
    inner=''
    trap end_alone EXIT
    trap 'exit 130' INT
    trap 'exit 143' TERM HUP
    RDDP_WORK=$WORK unshare --mount --propagation private --pid --fork --kill-child --mount-proc "$@" {lock}<&- &
    inner=$!
    wait "$inner"
    exit
}

end_alone() {
    # The first process of the namespace, which unshare waits for: it ends with all others.
    pkill -KILL -P "$inner" 2>/dev/null
    wait
    rm -rf --one-file-system -- "$WORK"
}

# make_system NAME FOLDER: makes a minimal Debian from this machine's mirror, mounted, with package lists.
make_system() {
    local release kept made all
    SYSTEM=$2
    release=$(release_of "$1")
    exec {all}<"$SYSTEMS"
    flock "$all"
    # Remade once a month.
    kept=$SYSTEMS/$release-$(date +%Y-%m)
    if [[ ! -d $kept ]]; then
        say "making a Debian $release by debootstrap"
        rm -rf --one-file-system -- "$SYSTEMS/$release"[-.]*
        made=$(mktemp -d "$SYSTEMS/$release.XXXXXX")
        debootstrap_to "$release" "$made" && mv -T "$made" "$kept" || return
    fi
    exec {all}<&-
    cp -a "$kept" "$SYSTEM" || return
    cp -al "$SYSTEMS/packages/." "$SYSTEM/var/cache/apt/archives/" 2>/dev/null
    mount_system
    cp /etc/resolv.conf "$SYSTEM/etc/"
    # Debian's installer writes this. libfabric asks for the host's own address.
    printf '127.0.0.1 localhost\n127.0.1.1 %s\n' "$(uname -n)" >"$SYSTEM/etc/hosts"
    # A package's start of a service would fail here.
    printf '#!/bin/sh\nexit 101\n' >"$SYSTEM/usr/sbin/policy-rc.d"
    chmod +x "$SYSTEM/usr/sbin/policy-rc.d"
    inside apt-get -q update
}

# debootstrap_to RELEASE FOLDER: runs debootstrap, also if it is older than the release, and so has no script for it.
debootstrap_to() {
    local scripts=/usr/share/debootstrap/scripts script='' security
    [[ -e $scripts/$1 ]] || script=$scripts/sid
    # shellcheck disable=SC2086
    debootstrap --variant=minbase "$1" "$2" "$(mirror Debian)" $script >"$2.log" 2>&1 || {
        tail -n 3 "$2.log" >&2
        return 1
    }
    security=$(mirror Debian-Security)
    chmod 755 "$2"
    rm "$2.log"
    # A mirror may be out of date.
    echo 'Acquire::Check-Valid-Until "false";' >"$2/etc/apt/apt.conf.d/90mirror"
    # An unreleased system has no security support.
    if [[ -n $security ]] && grep -q '^VERSION_ID=' "$2/etc/os-release"; then
        echo "deb $security $1-security main" >>"$2/etc/apt/sources.list"
    fi
}

# mirror LABEL: prints the mirror from which this machine has Debian's packages.
mirror() {
    apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' "Label: $1" 'Component: main' | sed -n 1p
}

mount_system() {
    # Programs there that make a mount namespace need a root that is a mount itself.
    mount --bind "$SYSTEM" "$SYSTEM"
    mount -t proc proc "$SYSTEM/proc"
    mount --rbind --make-rslave /sys "$SYSTEM/sys"
    mount --rbind --make-rslave /dev "$SYSTEM/dev"
}

# keep_packages: keeps the packages that apt has downloaded, for the next system.
keep_packages() {
    mkdir -p "$SYSTEMS/packages"
    find "$SYSTEM/var/cache/apt/archives" -maxdepth 1 -name '*.deb' -exec cp -an -t "$SYSTEMS/packages" {} +
}

# mount_jdk: mounts the JDK of this machine, for a system that has none.
mount_jdk() {
    mkdir -p "$SYSTEM/usr/lib/jvm/jdk"
    mount --bind -o ro "$JAVA_HOME" "$SYSTEM/usr/lib/jvm/jdk"
}

unmount_jdk() {
    umount "$SYSTEM/usr/lib/jvm/jdk" && rmdir -p --ignore-fail-on-non-empty "$SYSTEM/usr/lib/jvm/jdk"
}

# inside COMMAND...: runs it as root in the new system, which is the root of a mount namespace: in a chroot the kernel makes no
# user namespaces.
inside() {
    # shellcheck disable=SC2016 # expanded there
    env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C.UTF-8 HOME=/root DEBIAN_FRONTEND=noninteractive unshare --mount \
        sh -c 'cd "$0" && pivot_root . mnt && umount -l /mnt && exec "$@"' "$SYSTEM" "$@"
}

# inside_as USER COMMAND...: replaces the shell by the command, run by a user of the new system.
inside_as() {
    exec env -i PATH=/usr/bin:/bin LC_ALL=C.UTF-8 HOME=/nonexistent /usr/sbin/chroot "$SYSTEM" \
        setpriv --reuid="$1" --regid="$(inside id -g "$1")" --init-groups "${@:2}"
}
