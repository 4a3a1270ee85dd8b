# shellcheck shell=bash
# A virtual machine with Linux's siw, its ESP and strongSwan, whose other programs are the host's own: it reads the host's root.
#
# strongSwan's packages are unpacked, and installed nowhere: so no service starts, and the host's network stays as it is.

# shellcheck source=interop/siw/vm.sh
source "$ROOT/interop/siw/vm.sh"
# shellcheck source=interop/vm/guest.sh
source "$ROOT/interop/vm/guest.sh"

readonly IKE=$GUESTS/ike
readonly IKE_SCRIPTS=$ROOT/interop/ike
readonly IKE_FILES=("$IKE_SCRIPTS/vm.sh" "$IKE_SCRIPTS/guest-init" "${SIW_FILES[@]}")
readonly IKE_MODULES=(virtio_pci virtio_console virtio_rng 9p 9pnet_virtio overlay veth tun crc32c-intel crc32c_generic
    libcrc32c ib_core ib_uverbs iw_cm rdma_cm rdma_ucm sha3_generic jitterentropy_rng sha512_generic drbg aesni_intel
    ghash_clmulni_intel ghash_generic gcm ctr seqiv echainiv authenc authencesn cbc hmac sha256_generic esp4 esp6 xfrm_user)
readonly STRONGSWAN_PACKAGES=(strongswan-charon strongswan-libcharon libstrongswan libstrongswan-standard-plugins
    libstrongswan-extra-plugins libcharon-extauth-plugins strongswan-swanctl)
# Of its start, in seconds.
readonly IKE_STARTS=240

# Everything that the guest needs, unless it is there from before.
prepare_ike_vm() {
    local kernel
    prepare_vm
    if [[ $IKE/initramfs.gz -nt $SIW/initramfs.gz ]] && is_vm_made "$IKE" "${IKE_FILES[@]}"; then
        return
    fi
    kernel=$(kernel_of_guest)
    # The package of an older kernel may be gone.
    if [[ $kernel != "$(kernel_release)" ]]; then
        rm "$SIW/made"
        prepare_vm
        kernel=$(kernel_of_guest)
    fi
    say "making the guest with strongSwan (once; it is kept in $IKE)"
    rm -rf "$IKE"
    mkdir -p "$IKE"
    unpack_packages "$IKE" "${STRONGSWAN_PACKAGES[@]}" || fail 'no packages of strongSwan'
    mv "$IKE/unpacked" "$IKE/strongswan"
    unpack_packages "$IKE" "linux-image-$kernel" || fail "no kernel '$kernel' for the guest"
    pack_ike_guest "$kernel" >"$IKE/pack.log" 2>&1 || fail "the guest cannot be packed" "All of it: $IKE/pack.log"
    rm -rf "$IKE/unpacked" "$IKE/guest"
    fingerprint_of_vm "${IKE_FILES[@]}" >"$IKE/made"
}

pack_ike_guest() {
    (
        set -e
        mkdir -p "$IKE"/guest/{bin,sbin,usr/bin,usr/sbin,proc,sys,dev,host,memory,lib/modules}
        copy_busybox "$IKE/guest"
        copy_modules "$IKE/unpacked" "$IKE/guest" "$1" "${IKE_MODULES[@]}"
        printf '%s\n' "${IKE_MODULES[@]}" >"$IKE/guest/modules"
        cp "$SIW/siw.ko" "$IKE/guest/"
        cp "$IKE_SCRIPTS/guest-init" "$IKE/guest/init"
        pack_initramfs "$IKE/guest" "$IKE/initramfs.gz"
    )
}

# start_ike_vm NAMESPACE FOLDER: boots the guest, which has no network cards.
start_ike_vm() {
    boot_vm "$1" "$2" IKE-READY "$IKE_STARTS" "$SIW/vmlinux" "$IKE/initramfs.gz" "ike.strongswan=$IKE/strongswan" \
        -name rddp-ike -M q35 -accel tcg,thread=multi -cpu max -smp 2 -m 1536 \
        -fsdev local,id=root,path=/,security_model=none,readonly=on,multidevs=remap \
        -device virtio-9p-pci,fsdev=root,mount_tag=hostroot
}
