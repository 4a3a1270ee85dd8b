# shellcheck shell=bash
# QEMU for the cards: the machine's own, or that of Debian's backports for a card that only a newer one has.

readonly NEWER_QEMU=$GUESTS/qemu
readonly NEWER_QEMU_PACKAGES=(qemu-system-x86 qemu-system-common qemu-system-data)

# has_card CARD: whether QEMU has it, and as it should be: before version 8, a card that cuts a long frame of IPv6 spoils it.
has_card() {
    local name version
    name=$(card_options "$1")
    version=$("${QEMU[@]}" --version | sed -n 's/.*version \([0-9]*\).*/\1/p')
    [[ $("${QEMU[@]}" -device "${name%%,*},help" 2>/dev/null) == *options:* ]] &&
        { ((version >= 8)) || is_bound "$1" || takes_trains "$1" || [[ $1 == *-xdp ]]; }
}

# Unpacks QEMU of Debian's backports without installing it. Fails if it is not available.
take_newer_qemu() {
    local unpacked=$NEWER_QEMU/unpacked
    if [[ ! -f $NEWER_QEMU/made || $(<"$NEWER_QEMU/made") != "$(cksum <"$NIC_SCRIPTS/qemu.sh")" ]]; then
        say "unpacking the QEMU of Debian's backports (once; it is kept in $NEWER_QEMU)"
        rm -rf "$NEWER_QEMU"
        mkdir -p "$NEWER_QEMU"
        unpack_newer_qemu "$unpacked" >"$NEWER_QEMU/unpack.log" 2>&1 || return
        cksum <"$NIC_SCRIPTS/qemu.sh" >"$NEWER_QEMU/made"
    fi
    # It would load the installed one's modules. The BIOS is in a package of its own.
    QEMU=(env "QEMU_MODULE_DIR=$unpacked/usr/lib/x86_64-linux-gnu/qemu" "$unpacked/usr/bin/qemu-system-x86_64"
        -L "$unpacked/usr/share/qemu" -L /usr/share/seabios)
}

# unpack_newer_qemu FOLDER: by apt, with lists of its own, from the mirror that apt uses already.
unpack_newer_qemu() {
    local apt=$NEWER_QEMU/apt codename mirror deb
    # shellcheck source=/dev/null
    codename=$(source /etc/os-release && echo "$VERSION_CODENAME") || return
    # shellcheck disable=SC2016 # apt-get's variables
    mirror=$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' "Codename: $codename" | head -n 1) || return
    mkdir -p "$apt/lists/partial" "$apt/cache/archives/partial"
    echo "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $mirror $codename-backports main" >"$apt/sources.list"
    local options=(-o "Dir::Etc::SourceList=$apt/sources.list" -o Dir::Etc::SourceParts=/nonexistent
        -o "Dir::State::Lists=$apt/lists" -o "Dir::Cache=$apt/cache")
    apt-get "${options[@]}" update || return
    (cd "$apt" && apt-get "${options[@]}" download "${NEWER_QEMU_PACKAGES[@]/%/\/$codename-backports}") || return
    for deb in "$apt"/*.deb; do
        dpkg-deb -x "$deb" "$1" || return
    done
    rm -rf "$apt"
    ! ldd "$1/usr/bin/qemu-system-x86_64" | grep 'not found'
}
