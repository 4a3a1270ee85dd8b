# shellcheck shell=bash
# rddp package: makes the tarball, the package and the image for containers, and tests them.

package_usage() {
    cat <<'END'
Usage: rddp package [--image] [FOLDER]
       rddp package --check
       rddp package --try

Builds a tarball, which runs from any folder, and a Debian package into FOLDER (default: target/package). Without dpkg, as on
Fedora, an rpm.

      --image  Build an image for containers instead, an OCI archive ("podman load -i"), of packages that apt downloads.
               packaging/containers tests it.
      --check  Build them into a temporary folder, unpack, install, run and remove them there, and check every part. Less than
               two minutes; 'rddp test' does it, too.
      --try    Build the package, and install, run and remove it in a new Debian system made by debootstrap. Needs root, the
               network, and some minutes.
  -h, --help   Show this.
END
}

package() {
    case ${1:-} in
        -h | --help)
            package_usage
            return
            ;;
        --check | --try) (($# == 1)) || package_refused ;;
        --image) (($# <= 2)) || package_refused ;;
        -*) package_refused ;;
        *) (($# <= 1)) || package_refused ;;
    esac
    # A daemon is started for the list of its classes, when all is built.
    [[ -d /sys/module ]] || fail "there is no folder /sys/module, without which DPDK does not start" 'As root: mount -t sysfs sysfs /sys'
    need_to_run
    need_to_package
    install_missing
    find_jdk
    case ${1:-} in
        --check) "$ROOT/packaging/check" ;;
        --try) "$ROOT/packaging/try" ;;
        --image) "$ROOT/packaging/build" --image "${2:-$ROOT/target/package}" ;;
        *) "$ROOT/packaging/build" "${1:-$ROOT/target/package}" && say_how_to_install "${1:-$ROOT/target/package}" ;;
    esac
}

# say_how_to_install FOLDER: says what to type next. rping comes with it, for the first try.
say_how_to_install() {
    local packages package line
    mapfile -t packages < <(ls -t -- "$1"/rddp[_-]*."$(has dpkg && echo deb || echo rpm)")
    package=$(realpath --relative-base=. -- "${packages[0]}")
    [[ $package == /* ]] || package=./$package
    line="$(has apt-get && echo apt-get || echo dnf) install $package"
    has rping || line+=" $(has apt-get && echo rdmacm-utils || fedora_names rdmacm-utils)"
    if ! is_root; then line="sudo $line"; fi
    say "next, here or on another machine with this system: $line"
    if has apt-get && ! others_may_read "$package"; then
        say "(apt-get may end with a note that its user '_apt' cannot read that file: no fault, the folder is private)"
    fi
    say 'then, in two terminals:'
    printf '      %s\n' 'rddp verbs --local=demo -- rping -s -C 10' 'rddp verbs --local=demo -- rping -c -a 10.0.0.1 -v -C 10' >&2
    say "the other ways in: README.md; what is missing: rddp doctor"
}

# others_may_read FILE: whether users who are neither its owner nor in its group may read it.
others_may_read() {
    local path
    path=$(realpath -- "$1")
    [[ $(stat -c %A -- "$path") == ???????r* ]] || return
    while [[ $path != / ]]; do
        path=$(dirname -- "$path")
        [[ $(stat -c %A -- "$path") == ?????????[xt] ]] || return
    done
}

package_refused() {
    package_usage >&2
    exit 2
}
