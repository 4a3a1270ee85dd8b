# shellcheck shell=bash
# Linux's siw in a virtual machine: what it is made of, its start and its end.
#
# Debian's kernels are built without siw, so the module is compiled from Debian's own source. Kernel, headers and source are
# unpacked beside each other and installed nowhere; the programs in the guest are those of the machine's own packages.

# shellcheck source=interop/vm/machine.sh
source "$ROOT/interop/vm/machine.sh"

readonly SIW=$GUESTS/siw
readonly SIW_GUEST=$SIW/guest
# Where this file lies.
readonly SIW_SCRIPTS=$ROOT/interop/siw
readonly SIW_FILES=("$SIW_SCRIPTS/vm.sh" "$SIW_SCRIPTS/guest-init")
readonly SIW_PROGRAMS=(rping rstream ucmatose ib_{send,write,read}_{lat,bw} ibv_devinfo rdma ip ss)
readonly SIW_MODULES=(virtio_pci virtio_console virtio_rng virtio_net qemu_fw_cfg crc32c-intel crc32c_generic libcrc32c
    ib_core ib_uverbs iw_cm rdma_cm rdma_ucm)

# Everything that a guest needs, unless it is there from before.
prepare_vm() {
    local began=$SECONDS
    if is_vm_made "$SIW" "${SIW_FILES[@]}"; then
        return
    fi
    say "making the guest with Linux's siw (once; it is kept in $SIW)"
    rm -rf "$SIW"
    mkdir -p "$SIW"
    kernel=$(kernel_release)
    # Such as 6.1 of 6.1.0-50-amd64.
    series=$(grep -oE '^[0-9]+\.[0-9]+' <<<"$kernel")
    compiler=$(headers_need | grep -oE 'gcc-[0-9]+')
    unpack_kernel || fail "no kernel '$kernel' for the guest: this takes Debian's kernel for x86-64, with its headers and source"
    has "$compiler" || need "$compiler"
    install_missing
    compile_siw >"$SIW/compile.log" 2>&1 || fail "siw does not compile" "All of it: $SIW/compile.log"
    pack_guest >"$SIW/pack.log" 2>&1 || fail "the guest cannot be packed" "All of it: $SIW/pack.log"
    rm -rf "$SIW/unpacked" "$SIW/source" "$SIW_GUEST"
    fingerprint_of_vm "${SIW_FILES[@]}" >"$SIW/made"
    say "made in $((SECONDS - began)) s"
}

unpack_kernel() {
    local parts
    mapfile -t parts < <(headers_need | grep -E '^linux-(headers-.*-common|kbuild-.*)$')
    unpack_packages "$SIW" "linux-image-$kernel" "linux-headers-$kernel" "${parts[@]}" "linux-source-$series"
}

# What the kernel's headers depend on: their common part, tools, and the compiler.
headers_need() {
    apt-cache depends "linux-headers-$kernel" | sed -n 's/^ *Depends: //p'
}

compile_siw() {
    local sources=$SIW/unpacked/usr/src folder=linux-source-$series/drivers/infiniband/sw/siw
    local headers=$sources/linux-headers-$kernel
    mkdir -p "$SIW/source" && tar -C "$SIW/source" -xJf "$sources/linux-source-$series.tar.xz" "$folder" || return
    # Who opens may ask for the frame that lets the other side begin (RFC 6581); siw fixes that when it is compiled.
    sed -i 's/^const bool peer_to_peer;/bool peer_to_peer; module_param(peer_to_peer, bool, 0644);/' \
        "$SIW/source/$folder/siw_main.c"
    sed -i 's/^u_char mpa_version = .*/&\nmodule_param(mpa_version, byte, 0644);/' \
        "$SIW/source/$folder/siw_main.c"
    sed -i 's/^extern const bool peer_to_peer;/extern bool peer_to_peer;/' "$SIW/source/$folder/siw.h"
    ready_before_reply "$SIW/source/$folder/siw_cm.c" || return
    # The headers name each other where they would be installed.
    sed -i "s#^include .*/usr/src/#include $sources/#" "$headers/Makefile"
    nice make -s -C "$headers" "M=$SIW/source/$folder" CONFIG_RDMA_SIW=m modules || return
    strip -g -o "$SIW/siw.ko" "$SIW/source/$folder/siw.ko"
}

# ready_before_reply FILE: siw answers who opens, and only then puts in place what takes the first message; one that comes in
# between lies in the socket until the next comes, and where the guest's CPU has to wait there is time enough for that. siw's
# own comment says that it is in place before the answer, and so it is put there.
ready_before_reply() {
    sed -i -e '/^\trv = siw_send_mpareqrep(cep, params->private_data,$/i \
\tif (wait_for_peer_rts)\
\t\tsiw_sk_assign_rtr_upcalls(cep);\
\telse\
\t\tsiw_qp_socket_assoc(cep, qp);' \
        -e '/^\tif (wait_for_peer_rts) {$/,/^\t\tsiw_qp_socket_assoc(cep, qp);$/c \
\tif (!wait_for_peer_rts) {' "$1"
    # Once in siw_proc_mpareply, once in siw_rtr_data_ready, once here, and the function itself.
    [[ $(grep -c 'siw_qp_socket_assoc(' "$1") == 4 && $(grep -c '!wait_for_peer_rts' "$1") == 1 ]] || {
        echo 'siw_accept is not what it was'
        return 1
    }
}

pack_guest() {
    local directories=(bin sbin usr/bin usr/sbin proc sys dev tmp run etc/libibverbs.d root var/run)
    (
        set -e
        mkdir -p "${directories[@]/#/$SIW_GUEST/}"
        pack_programs
        copy_modules "$SIW/unpacked" "$SIW_GUEST" "$kernel" "${SIW_MODULES[@]}"
        cp "$SIW/siw.ko" "$SIW_GUEST/"
        cp "$SIW_SCRIPTS/guest-init" "$SIW_GUEST/init"
        unpack_vmlinux "$SIW/unpacked/boot/vmlinuz-$kernel" "$SIW/vmlinux"
        pack_initramfs "$SIW_GUEST" "$SIW/initramfs.gz"
    )
}

# Programs with the libraries that they need.
pack_programs() {
    local program provider path
    copy_busybox "$SIW_GUEST"
    provider=$(compgen -G '/usr/lib/*/libibverbs/libsiw-rdmav*.so' | head -n 1)
    for program in "${SIW_PROGRAMS[@]}"; do
        rm -f "$SIW_GUEST/bin/$program"
        cp -L "$(command -v "$program")" "$SIW_GUEST/usr/bin/"
    done
    {
        echo "$provider"
        for program in "$provider" "${SIW_PROGRAMS[@]/#/$SIW_GUEST/usr/bin/}"; do
            ldd "$program" | grep -o '/[^ ]*'
        done
        # Threads that are cancelled load it by its name.
        ldconfig -p | sed -n 's/.*libgcc_s\.so\.1.*x86-64.* => //p' | head -n 1
    } | sort -u | while read -r path; do
        mkdir -p "$SIW_GUEST$(dirname "$path")"
        cp -L "$path" "$SIW_GUEST$path"
    done
    echo 'driver siw' >"$SIW_GUEST/etc/libibverbs.d/siw.driver"
    echo 'root:x:0:0:root:/root:/bin/sh' >"$SIW_GUEST/etc/passwd"
    echo '127.0.0.1 localhost' >"$SIW_GUEST/etc/hosts"
    echo 'hosts: files' >"$SIW_GUEST/etc/nsswitch.conf"
    cp -r /etc/ld.so.conf /etc/ld.so.conf.d "$SIW_GUEST/etc/"
    ldconfig -r "$SIW_GUEST"
}

# start_vm NAMESPACE DIRECTORY [TAP IPV4/PREFIX IPV6/PREFIX MTU]...: boots a guest with these cards and waits for it. Its
# ports are the sockets DIRECTORY/port0 to port3.
start_vm() {
    local namespace=$1 directory=$2 number=0 words='' cards=()
    local plain=csum=off,guest_csum=off,gso=off,host_tso4=off,host_tso6=off,host_ufo=off,host_ecn=off
    plain=$plain,guest_tso4=off,guest_tso6=off,guest_ufo=off,guest_ecn=off,romfile=
    shift 2
    while (($# > 0)); do
        cards+=(-netdev "tap,id=n$number,ifname=$1,script=no,downscript=no,vhost=off"
            -device "virtio-net-pci,netdev=n$number,mac=52:54:00:00:51:0$number,$plain")
        words+=" siw=$2,$3,$4"
        number=$((number + 1))
        shift 4
    done
    boot_vm "$namespace" "$directory" SIW-READY 300 "$SIW/vmlinux" "$SIW/initramfs.gz" "$words" \
        -name rddp-siw -M pc -accel tcg -cpu max -smp 1 -m 256 "${cards[@]}"
}
