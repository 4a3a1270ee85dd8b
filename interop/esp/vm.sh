# shellcheck shell=bash
# Linux's ESP in the virtual machine with siw: QEMU hands that machine further modules of its own kernel.

# shellcheck source=interop/siw/vm.sh
source "$ROOT/interop/siw/vm.sh"
# shellcheck source=interop/vm/guest.sh
source "$ROOT/interop/vm/guest.sh"

readonly ESP=$GUESTS/esp
readonly ESP_FILES=("$ROOT/interop/esp/vm.sh" "${SIW_FILES[@]}")
# ESP's initialization vectors take a random number generator of the kernel's, drbg, and that takes the three behind it.
readonly ESP_MODULES=(esp4 esp6 xfrm_user drbg sha3_generic jitterentropy_rng sha512_generic seqiv echainiv gcm ctr
    ghash_generic cbc hmac sha1_generic sha256_generic authenc authencesn crypto_null)

# The guest with siw, and the modules, unless they are there from before.
prepare_esp_vm() {
    prepare_vm
    if [[ $ESP/modules.gz -nt $SIW/initramfs.gz ]] && is_vm_made "$ESP" "${ESP_FILES[@]}"; then
        return
    fi
    local kernel
    kernel=$(kernel_of_guest)
    # The package of an older kernel may be gone.
    if [[ $kernel != "$(kernel_release)" ]]; then
        rm "$SIW/made"
        prepare_vm
        kernel=$(kernel_of_guest)
    fi
    say "taking the modules of Linux's ESP (once; they are kept in $ESP)"
    rm -rf "$ESP"
    mkdir -p "$ESP/esp"
    unpack_packages "$ESP" "linux-image-$kernel" || fail "no kernel '$kernel' for the guest"
    pack_modules "$kernel" >"$ESP/pack.log" 2>&1 || fail "the modules cannot be packed" "All of it: $ESP/pack.log"
    rm -rf "$ESP/unpacked" "$ESP/esp"
    fingerprint_of_vm "${ESP_FILES[@]}" >"$ESP/made"
}

# pack_modules KERNEL: the modules and those that they need, and the order to load them in.
pack_modules() {
    local module path
    depmod -b "$ESP/unpacked" "$1" || return
    for module in "${ESP_MODULES[@]}"; do
        # Later kernels have some of them built in.
        modprobe -d "$ESP/unpacked" -S "$1" --show-depends "$module" || true
    done | sed -n 's/^insmod \([^ ]*\).*/\1/p' | awk '!seen[$0]++' >"$ESP/paths"
    while read -r path; do
        strip -g -o "$ESP/esp/$(basename "$path")" "$path" && basename "$path" >>"$ESP/esp/order" || return
    done <"$ESP/paths"
    (cd "$ESP" && find esp -print0 | cpio --null -o -H newc --quiet | gzip -9) >"$ESP/modules.gz"
}

# start_esp_vm ARGUMENT...: boots a guest as start_vm does, and loads ESP's modules in it.
start_esp_vm() {
    QEMU+=(-fw_cfg "name=opt/esp,file=$ESP/modules.gz")
    start_vm "$@" || return
    local said
    said=$(in_guest "modprobe qemu_fw_cfg && gunzip -c /sys/firmware/qemu_fw_cfg/by_name/opt/esp/raw | cpio -i -d &&\
        cd esp && for each in \$(cat order); do insmod \$each || exit 1; done" 0)
    [[ $said == *'status 0'* ]] || {
        echo "$said" >&2
        return 1
    }
}
