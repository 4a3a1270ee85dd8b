# shellcheck shell=bash
# The scripts of the Debian package.

# configure_upgrade POSTINST: runs it as in an upgrade, on a system where systemd can neither replace the daemon nor start it
# again.
configure_upgrade() {
    local bin=$WORK/debian
    mkdir -p "$bin"
    # shellcheck disable=SC2016
    printf '#!/bin/sh\ncase $1 in reload | try-restart) echo "$1" >>"%s"; exit 1 ;; esac\n' "$WORK/debian/tried" >"$bin/systemctl"
    printf '#!/bin/sh\n' | tee "$bin/udevadm" >"$bin/systemd-sysusers"
    chmod +x "$bin"/*
    sed "s:/usr/lib/rddp/bin/setup/upgrade:$ROOT/bin/setup/upgrade:" "$1" >"$WORK/debian/postinst"
    # shellcheck disable=SC2016
    unshare --user --map-root-user --mount sh -c \
        'mount -t tmpfs none /run && mkdir -p /run/systemd/system /run/rddp && PATH=$1:$PATH exec sh "$2" configure 0.0.1' \
        - "$bin" "$WORK/debian/postinst"
}

check_failed_restart() {
    local said
    said=$(configure_upgrade "$ROOT/packaging/debian/postinst" 2>&1) || return
    [[ $said == *'has not been started again'* ]] && equal $'reload\ntry-restart' "$(<"$WORK/debian/tried")"
}

if unshare --user --map-root-user --mount true 2>/dev/null; then
    check 'package: is configured although the daemon does not start again' check_failed_restart
fi
