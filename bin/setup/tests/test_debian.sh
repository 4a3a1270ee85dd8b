# shellcheck shell=bash
# The scripts of the Debian package.

# configure_upgrade POSTINST: runs it as in an upgrade, on a system where systemd cannot start the daemon again.
configure_upgrade() {
    local bin=$WORK/debian
    mkdir -p "$bin"
    # shellcheck disable=SC2016
    printf '#!/bin/sh\n[ "$1" != try-restart ] || { echo tried >>"%s"; exit 1; }\n' "$WORK/debian/restarts" >"$bin/systemctl"
    printf '#!/bin/sh\n' | tee "$bin/udevadm" >"$bin/systemd-sysusers"
    chmod +x "$bin"/*
    # shellcheck disable=SC2016
    unshare --user --map-root-user --mount sh -c \
        'mount -t tmpfs none /run && mkdir -p /run/systemd/system && PATH=$1:$PATH exec sh "$2" configure 0.0.1' \
        - "$bin" "$1"
}

check_failed_restart() {
    local said
    said=$(configure_upgrade "$ROOT/packaging/debian/postinst" 2>&1) || return
    [[ $said == *'has not been started again'* ]] && equal tried "$(<"$WORK/debian/restarts")"
}

if unshare --user --map-root-user --mount true 2>/dev/null; then
    check 'package: is configured although the daemon does not start again' check_failed_restart
fi
