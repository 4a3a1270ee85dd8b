# shellcheck shell=bash
# Virtual machines for tests: what they are made of, their start and their end.
#
# Kernels are Debian's, unpacked and installed nowhere. A machine has ports, which run commands (guest-ports).

# Where this file lies.
readonly VM_SCRIPTS=$ROOT/interop/vm
# What guests are made of is kept for every tree of this user.
# shellcheck disable=SC2034 # vm.sh of each guest has it
readonly GUESTS=${XDG_CACHE_HOME:-${HOME:-/root}/.cache}/rddp

# The command of QEMU.
QEMU=(qemu-system-x86_64)

vm=''

# is_vm_made FOLDER FILE...: whether what is in the folder was made by these files.
is_vm_made() {
    [[ -f $1/made && $(<"$1/made") == "$(fingerprint_of_vm "${@:2}")" ]]
}

# fingerprint_of_vm FILE...: a word that changes with the files, and with those here.
fingerprint_of_vm() {
    cat "$VM_SCRIPTS/machine.sh" "$VM_SCRIPTS/guest-ports" "$@" | cksum | tr ' ' -
}

# kernel_release: prints that of Debian's newest kernel.
kernel_release() {
    local found
    found=$(named_kernel)
    if [[ -z $found ]]; then
        apt_get update
        found=$(named_kernel)
    fi
    echo "$found"
}

named_kernel() {
    apt-cache depends linux-image-amd64 2>/dev/null | sed -n 's/.*Depends: linux-image-//p' | head -n 1
}

# unpack_packages FOLDER PACKAGE...: Debian packages, unpacked into FOLDER/unpacked.
unpack_packages() {
    local folder=$1 deb
    mkdir -p "$folder/debs" || return
    (cd "$folder/debs" && download "${@:2}") || return
    for deb in "$folder"/debs/*.deb; do
        dpkg-deb -x "$deb" "$folder/unpacked" || return
    done
    rm -rf "$folder/debs"
}

# Package lists that are old name files that are gone.
download() {
    apt_get download "$@" 2>/dev/null || { apt_get update && apt_get download "$@"; }
}

# copy_busybox GUEST: a static one, with all its commands.
copy_busybox() {
    local applet
    cp "$(command -v busybox)" "$1/bin/busybox"
    for applet in $("$1/bin/busybox" --list | grep -v -x busybox); do
        ln -sf /bin/busybox "$1/bin/$applet"
    done
}

# copy_modules UNPACKED GUEST KERNEL MODULE...: the kernel's modules that are wanted, and those that they need.
copy_modules() {
    local unpacked=$1 guest=$2 kernel=$3 module path
    shift 3
    depmod -b "$unpacked" "$kernel"
    for module in "$@"; do
        modprobe -d "$unpacked" -S "$kernel" --show-depends "$module" 2>/dev/null || true
    done | sed -n 's/^insmod \([^ ]*\).*/\1/p' | sort -u | while read -r path; do
        mkdir -p "$guest$(dirname "${path#"$unpacked"}")"
        cp "$path" "$guest${path#"$unpacked"}"
    done
    cp "$unpacked/lib/modules/$kernel/"modules.{builtin,order,builtin.modinfo} "$guest/lib/modules/$kernel/"
    depmod -b "$guest" "$kernel"
}

# unpack_vmlinux FROM TO: the kernel out of the image that would unpack itself, which takes an emulated CPU seconds.
unpack_vmlinux() {
    python3 - "$1" "$2" <<'PYTHON'
import lzma, struct, sys

image = open(sys.argv[1], "rb").read()
setup_sectors = image[0x1F1] or 4
offset, length = struct.unpack_from("<II", image, 0x248)
start = (setup_sectors + 1) * 512 + offset
open(sys.argv[2], "wb").write(lzma.LZMADecompressor().decompress(image[start : start + length]))
PYTHON
}

# pack_initramfs GUEST FILE
pack_initramfs() {
    cp "$VM_SCRIPTS/guest-ports" "$1/guest-ports"
    (cd "$1" && find . -print0 | cpio --null -o -H newc --quiet | gzip -1) >"$2"
}

# boot_vm NAMESPACE FOLDER READY SECONDS VMLINUX INITRAMFS WORDS OPTION...: boots a guest by these further options of QEMU, and
# waits until it prints the word READY to its console. WORDS are for the kernel's command line. FOLDER holds its console, and
# its ports, the sockets port0 to port3.
boot_vm() {
    local namespace=$1 folder=$2 ready=$3 longest=$4 kernel=$5 initramfs=$6 words=$7 number name ports=() began=$SECONDS
    shift 7
    for number in 0 1 2 3; do
        name=port$number
        ports+=(-chardev "socket,id=$name,path=$folder/$name,server=on,wait=off" -device "virtserialport,chardev=$name,name=$name")
    done
    # An emulated CPU that has to wait for a real one fails the check of its timer.
    ip netns exec "$namespace" "${QEMU[@]}" "$@" \
        -display none -vga none -nodefaults -no-reboot -kernel "$kernel" -initrd "$initramfs" \
        -append "console=ttyS0 quiet panic=-1 no_timer_check mitigations=off random.trust_cpu=on tsc=reliable $words" \
        -serial "file:$folder/console" -object rng-random,id=random,filename=/dev/urandom \
        -device virtio-rng-pci,rng=random -device virtio-serial-pci "${ports[@]}" \
        </dev/null >"$folder/qemu.log" 2>&1 &
    vm=$!
    while ! grep -q "$ready" "$folder/console" 2>/dev/null; do
        if ! kill -0 "$vm" 2>/dev/null || ((SECONDS - began > longest)); then
            tail -n 20 "$folder/qemu.log" "$folder/console" >&2
            return 1
        fi
        sleep 0.1
    done
    say "$(grep -a -o "$ready.*" "$folder/console" | tr -d '\r') after $((SECONDS - began)) s"
}

# Ends the guest that was started here.
stop_vm() {
    if [[ -n $vm ]]; then
        kill "$vm" 2>/dev/null
        wait "$vm" 2>/dev/null
        vm=''
    fi
}

in_namespace() {
    ip netns exec "$@"
}
