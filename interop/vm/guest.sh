# shellcheck shell=bash
# Guests that several scripts use: made by one at a time, and commands in them.

# alone COMMAND...: runs it while no other process of this user makes a guest.
alone() {
    local lock
    mkdir -p "$GUESTS"
    exec {lock}>"$GUESTS/lock"
    flock "$lock"
    "$@"
    exec {lock}>&-
}

# in_guest COMMAND PORT: runs it in the guest of the folder $work, and prints what it prints and "status N".
# shellcheck disable=SC2154 # the script that sources this has work
in_guest() {
    python3 - "$work/port$2" "$1" <<'PYTHON'
import socket, sys

port = socket.socket(socket.AF_UNIX)
port.connect(sys.argv[1])
port.sendall(sys.argv[2].encode() + b"\n")
said = b""
while b"__END__ " not in said or not said.endswith(b"\n"):
    octets = port.recv(65536)
    if not octets:
        break
    said += octets
print(said.decode(errors="replace").replace("__END__ ", "status "))
PYTHON
}

# kernel_of_guest: prints the release of the kernel of the guest with siw.
kernel_of_guest() {
    gzip -dc "$SIW/initramfs.gz" | cpio -t --quiet | sed -n 's#^lib/modules/\([^/]*\)$#\1#p'
}
