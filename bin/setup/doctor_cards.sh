# shellcheck shell=bash
# The doctor's checks of what network cards and polling threads need.

# Tests replace these by folders of their own.
SYSFS=/sys
VFIO=/dev/vfio

doctor_cards() {
    echo 'Network cards (the demo and --local need none)'
    doctor_iommu
    local card
    for card in "$SYSFS"/bus/pci/devices/*; do
        if [[ -r $card/class && $(<"$card/class") == 0x02* ]]; then doctor_card "$card"; fi
    done
}

doctor_iommu() {
    local groups=0 group unsafe=$SYSFS/module/vfio/parameters/enable_unsafe_noiommu_mode
    for group in "$SYSFS"/kernel/iommu_groups/*; do
        if [[ -e $group ]] && ! is_without_iommu "${group##*/}"; then groups=$((groups + 1)); fi
    done
    if ((groups > 0)); then
        ok IOMMU "$groups groups"
    elif [[ -r $unsafe && $(<"$unsafe") == Y ]]; then
        note IOMMU 'none, but vfio is allowed without one: cards can access all memory, and the daemon needs root'
    else
        note IOMMU 'none: vfio-pci takes no card' \
            'enable it in the firmware (VT-d, AMD-Vi) and with intel_iommu=on on the kernel'"'"'s command line; '"$(documents)"'/operations.md, "Bind a card", says what works without'
    fi
}

# is_without_iommu GROUP: whether vfio made the group, without an IOMMU that restricts the card's access to memory.
is_without_iommu() {
    local name=$SYSFS/kernel/iommu_groups/$1/name
    [[ -r $name && $(<"$name") == vfio-noiommu ]]
}

# doctor_card FOLDER: says which driver a card is bound to, and whether this user may use it.
doctor_card() {
    local card=$1 address=${1##*/} driver group where
    driver=$(target "$card/driver")
    group=$(target "$card/iommu_group")
    where="IOMMU group ${group:-none}, NUMA node $(node_of "$card")"
    case $driver in
        vfio-pci) doctor_vfio_card "$address" "$group" "$where" ;;
        uio_pci_generic | igb_uio | uio_hv_generic)
            note "$address" "$driver: no IOMMU is used, so the card can access all memory, and the daemon needs root; $where" \
                'bind it to vfio-pci where there is an IOMMU'
            ;;
        mlx4_core | mlx5_core | mana) ok "$address" "$driver, which rddp can use; $where" ;;
        *) ok "$address" "${driver:-no driver}; $where; rddp can use it once it is bound to vfio-pci" ;;
    esac
}

# doctor_vfio_card ADDRESS GROUP WHERE: a card that is bound to vfio-pci.
doctor_vfio_card() {
    local address=$1 group=$2 file others
    file=$VFIO/$group
    if is_without_iommu "$group"; then
        note "$address" "vfio-pci without an IOMMU, so the card can access all memory, and the daemon needs root; $3" \
            'enable the IOMMU if there is one'
        return
    fi
    others=$(others_in_group "$group")
    if [[ -n $others ]]; then
        note "$address" "vfio-pci, but its IOMMU group $group has other devices: $others" 'bind them to vfio-pci, too, or to no driver'
    elif [[ -r $file && -w $file ]]; then
        ok "$address" "vfio-pci, and this user may use it; $3"
    else
        note "$address" "vfio-pci, but this user may not use $file; $3" "chown $(id -un) $file (as root), run the daemon as root, or write a udev rule for the card: $(documents)/operations.md, 'Bind a card'"
    fi
}

# others_in_group GROUP: devices with a Linux driver, which keeps vfio from the group. Bridges may have theirs.
others_in_group() {
    local device driver others=()
    for device in "$SYSFS/kernel/iommu_groups/$1/devices"/*; do
        driver=$(target "$device/driver")
        case $driver in
            '' | vfio-pci | pcieport | pci-stub) ;;
            *) others+=("${device##*/} ($driver)") ;;
        esac
    done
    echo "${others[*]:-}"
}

# target LINK: the name that a symbolic link points to; nothing if there is none.
target() {
    if [[ -L $1 ]]; then basename -- "$(readlink -- "$1")"; fi
}

# node_of FOLDER: a device's NUMA node.
node_of() {
    local node=-1
    if [[ -r $1/numa_node ]]; then node=$(<"$1/numa_node"); fi
    if ((node < 0)); then echo any; else echo "$node"; fi
}

doctor_polling() {
    echo 'Processors for engines that poll'
    doctor_isolated
    doctor_governor
}

doctor_isolated() {
    local isolated=''
    if [[ -r $SYSFS/devices/system/cpu/isolated ]]; then isolated=$(<"$SYSFS/devices/system/cpu/isolated"); fi
    if [[ -n $isolated ]]; then
        ok isolated "processors $isolated"
    else
        note isolated 'none: other threads run where an engine polls, which shows as latency' \
            "$(documents)"'/operations.md, "Isolate processors", says how; not needed for trials'
    fi
}

doctor_governor() {
    local file slow=0 all=0 other=''
    for file in "$SYSFS"/devices/system/cpu/cpu[0-9]*/cpufreq/scaling_governor; do
        [[ -r $file ]] || continue
        all=$((all + 1))
        if [[ $(<"$file") != performance ]]; then
            slow=$((slow + 1)) other=$(<"$file")
        fi
    done
    if ((all == 0)); then
        ok governor 'the kernel does not set the frequency here'
    elif ((slow == 0)); then
        ok governor 'performance'
    else
        note governor "$other on $slow of $all processors: the first messages after a pause take longer" \
            "echo performance | tee /sys/devices/system/cpu/cpu*/cpufreq/scaling_governor (as root)"
    fi
}
