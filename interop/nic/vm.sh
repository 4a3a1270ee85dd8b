# shellcheck shell=bash
# A virtual machine whose network cards are emulated, behind an IOMMU, and bound to vfio-pci or left to the kernel's drivers. Its
# programs are the host's own: it reads the host's root.

# shellcheck source=interop/vm/machine.sh
source "$ROOT/interop/vm/machine.sh"

readonly NIC=$GUESTS/nic
readonly NIC_SCRIPTS=$ROOT/interop/nic
readonly NIC_FILES=("$NIC_SCRIPTS/vm.sh" "$NIC_SCRIPTS/guest-init")
readonly NIC_MODULES=(virtio_pci virtio_console virtio_rng 9p 9pnet_virtio overlay vfio vfio_iommu_type1 vfio-pci
    e1000 e1000e igb vmxnet3 virtio_net)
readonly NIC_HUGEPAGES=160
# Of its start, in seconds.
readonly NIC_STARTS=180

# Everything that a guest needs, unless it is there from before.
prepare_nic_vm() {
    local began=$SECONDS kernel
    if is_vm_made "$NIC" "${NIC_FILES[@]}"; then
        return
    fi
    say "making the guest with emulated cards (once; it is kept in $NIC)"
    rm -rf "$NIC"
    mkdir -p "$NIC"
    kernel=$(kernel_release)
    unpack_packages "$NIC" "linux-image-$kernel" || fail "no kernel '$kernel' for the guest: this takes Debian's kernel for x86-64"
    pack_nic_guest "$kernel" >"$NIC/pack.log" 2>&1 || fail "the guest cannot be packed" "All of it: $NIC/pack.log"
    rm -rf "$NIC/unpacked" "$NIC/guest"
    fingerprint_of_vm "${NIC_FILES[@]}" >"$NIC/made"
    say "made in $((SECONDS - began)) s"
}

pack_nic_guest() {
    (
        set -e
        mkdir -p "$NIC"/guest/{bin,sbin,usr/bin,usr/sbin,proc,sys,dev,host,memory,lib/modules}
        copy_busybox "$NIC/guest"
        copy_modules "$NIC/unpacked" "$NIC/guest" "$1" "${NIC_MODULES[@]}"
        cp "$NIC_SCRIPTS/guest-init" "$NIC/guest/init"
        unpack_vmlinux "$NIC/unpacked/boot/vmlinuz-$1" "$NIC/vmlinux"
        pack_initramfs "$NIC/guest" "$NIC/initramfs.gz"
    )
}

# card_options CARD: what QEMU's -device says of it.
card_options() {
    case ${1%-*} in
        # Behind an IOMMU, virtio takes addresses as they are unless it is told.
        virtio) echo virtio-net-pci,iommu_platform=on,disable-legacy=on ;;
        rss) echo virtio-net-pci,mq=on,vectors=6,rss=on,hash=on,iommu_platform=on,disable-legacy=on ;;
        *) echo "${1%-*}" ;;
    esac
}

# is_bound CARD: whether it is bound to vfio-pci; others have names that end with -linux or -xdp.
is_bound() {
    [[ $1 != *-* ]]
}

# takes_trains CARD: whether frames longer than the MTU, and without checksums, pass its tap, as is usual for virtio.
takes_trains() {
    [[ $1 == virtio-linux || $1 == rss-linux ]]
}

# start_nic_vm NAMESPACE FOLDER CARD...: boots a guest with these cards, each on a port of its own, so that it can be unplugged,
# and on the tap of its name. The first has the PCI address 0000:01:00.0, the next 0000:02:00.0. FOLDER/qmp is QEMU's monitor.
start_nic_vm() {
    local namespace=$1 folder=$2 number=0 card queues cards=() addresses=()
    shift 2
    for card in "$@"; do
        number=$((number + 1))
        queues=''
        if [[ ${card%-*} == rss ]]; then queues=,queues=2; fi
        # Without vnet_hdr=off, cards pass checksums on that they have not computed.
        cards+=(-netdev "tap,id=net-$card,ifname=$card,script=no,downscript=no,vhost=off,vnet_hdr=$(takes_trains "$card" && echo on || echo off)$queues"
            -device "pcie-root-port,id=port-$card,chassis=$number,slot=$number,addr=$(printf '0x%x' $((15 + number)))"
            -device "$(card_options "$card"),id=$card,netdev=net-$card,bus=port-$card,romfile=,mac=52:54:00:00:52:0$number")
        if is_bound "$card"; then addresses+=("$(nic_address "$number")"); fi
    done
    boot_vm "$namespace" "$folder" NIC-READY "$NIC_STARTS" "$NIC/vmlinux" "$NIC/initramfs.gz" \
        "nic.hugepages=$NIC_HUGEPAGES nic.cards=$(IFS=, && echo "${addresses[*]}")" \
        -name rddp-nic -M q35 -accel tcg,thread=multi -cpu max -smp 2 -m 2048 \
        -device intel-iommu,intremap=on,aw-bits=48 -qmp "unix:$folder/qmp,server=on,wait=off" \
        -fsdev local,id=root,path=/,security_model=none,readonly=on,multidevs=remap \
        -device virtio-9p-pci,fsdev=root,mount_tag=hostroot "${cards[@]}"
}

# nic_address NUMBER: the PCI address of a card, from 1 on.
nic_address() {
    printf '0000:%02x:00.0' "$1"
}
