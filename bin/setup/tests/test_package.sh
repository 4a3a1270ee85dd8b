# shellcheck shell=bash
# What `rddp package` says when the package is there.

# told_to_install FOLDER MODE: what it says of a package in a folder of that mode, on a system with apt.
told_to_install() (
    for part in say packages package; do
        # shellcheck source=/dev/null
        source "$ROOT/bin/setup/$part.sh"
    done
    # shellcheck disable=SC2317 # Called by what is tested.
    has() { [[ $1 == @(apt-get|dpkg|rping) ]]; }
    # shellcheck disable=SC2317
    is_root() { false; }
    mkdir -p "$1/made"
    touch "$1/made/rddp_1_amd64.deb"
    chmod 644 "$1/made/rddp_1_amd64.deb"
    chmod "$2" "$1"
    cd "$1" && say_how_to_install made 2>&1
)

check_told_to_install() {
    local folder said
    # Beside $WORK, which is private.
    folder=$(mktemp -d)
    said=$(told_to_install "$folder" 755)
    [[ $said == *': sudo apt-get install ./made/rddp_1_amd64.deb'$'\n'* && $said != *_apt* ]] || { echo "$said" && return 1; }
    said=$(told_to_install "$folder" 750)
    rm -r "$folder"
    [[ $said == *"'_apt'"*'no fault'* ]] || { echo "$said" && return 1; }
}

check 'package: names the line to type, and the note that apt ends with where folders are private' check_told_to_install
