# shellcheck shell=bash
# Finds a JDK of 22 or later, the first with the final Foreign Function & Memory API.

readonly OLDEST_JDK=22
# The program that makes a folder a JDK: rddp is compiled before it is run.
JDK_PROGRAM=javac

# Sets and exports JAVA_HOME: the present one if it is new enough, else the newest LTS found, else the newest.
find_jdk() {
    if [[ -n ${JAVA_HOME:-} ]] && is_usable_jdk "$JAVA_HOME"; then
        export JAVA_HOME
        return
    fi
    local home
    home=$(best_jdk)
    if [[ -z $home ]]; then
        no_jdk
    fi
    export JAVA_HOME=$home
}

no_jdk() {
    local found=${JAVA_HOME:+" (JAVA_HOME=$JAVA_HOME is ${JAVA_HOME:+$(java_version "$JAVA_HOME")})"} advice
    mapfile -t advice < <(jdk_advice)
    fail "no JDK $OLDEST_JDK or later found$found" \
        "Looked in JAVA_HOME, PATH, /usr/lib/jvm, /opt, /usr/java, /usr/local and the homes of SDKMAN, asdf, mise and IDEs." \
        "${advice[@]}" \
        "Or set JAVA_HOME to the JDK you have (in /etc/default/rddpd for an installed daemon)."
}

# Prints how to get a JDK on this system, and with it what else is missing.
jdk_advice() {
    local kind=jdk package
    if [[ $JDK_PROGRAM == java ]]; then kind=jre; fi
    package=$(jdk_package)
    if [[ -n $package ]]; then
        echo "Install a JDK: $(install_command "${package/-jdk-/-$kind-}" "${MISSING[@]}")"
    elif has apt-get; then
        echo "Install a JDK: apt's lists have none; apt-get update renews them. If that finds none either, two lines, as root (sudo -s), for that of Eclipse Temurin ($(documents)/operations.md, Java):"
        echo '  apt-get install -y ca-certificates wget && wget -qO /etc/apt/keyrings/adoptium.asc' \
            'https://packages.adoptium.net/artifactory/api/gpg/key/public && echo' \
            "'deb [signed-by=/etc/apt/keyrings/adoptium.asc] https://packages.adoptium.net/artifactory/deb $(system_codename) main'" \
            '> /etc/apt/sources.list.d/adoptium.list'
        echo "  apt-get update && apt-get install -y --no-install-recommends temurin-25-$kind${MISSING[*]:+ ${MISSING[*]}}"
    else
        echo 'Install a JDK: as a package of this system, or Eclipse Temurin 25 from adoptium.net'
    fi
}

# Prints the best of all candidates, or nothing.
best_jdk() {
    local home best='' rank best_rank=0
    while IFS= read -r home; do
        if is_usable_jdk "$home"; then
            rank=$(jdk_rank "$(java_feature "$home")")
            if ((rank > best_rank)); then
                best=$home
                best_rank=$rank
            fi
        fi
    done < <(jdk_candidates)
    if [[ -n $best ]]; then
        readlink -f -- "$best"
    fi
}

# Prints every directory that may be a JDK, the one on the PATH first.
jdk_candidates() {
    local java javac
    for java in java javac; do
        if javac=$(command -v "$java"); then
            dirname -- "$(dirname -- "$(readlink -f -- "$javac")")"
        fi
    done
    local directory
    for directory in /usr/lib/jvm/* /opt/* /opt/*/* /usr/java/* /usr/local/* /usr/local/lib/jvm/* \
        "${HOME:-/nowhere}"/{.sdkman/candidates/java,.jdks,.asdf/installs/java,.local/share/mise/installs/java}/*; do
        if [[ -f $directory/release ]]; then
            printf '%s\n' "$directory"
        fi
    done
}

# Ranks an LTS (25, 29, 33, ...; 21 is too old) before any other release.
jdk_rank() {
    local feature=$1
    if ((feature >= 25 && (feature - 21) % 4 == 0)); then
        echo $((feature + 1000))
    else
        echo "$feature"
    fi
}

is_usable_jdk() {
    [[ -x $1/bin/$JDK_PROGRAM ]] && (($(java_feature "$1") >= OLDEST_JDK))
}

# The feature release of a JDK (25 of "25.0.3"; 8 of "1.8.0"), or 0; read from its release file, without starting a JVM.
java_feature() {
    local version
    version=$(java_version "$1")
    version=${version#1.}
    version=${version%%[!0-9]*}
    echo "${version:-0}"
}

# has_module JDK MODULE: whether the JDK contains it.
has_module() {
    grep -qE "^MODULES=\"([^\"]* )?$2[ \"]" "$1/release"
}

java_version() {
    local line version=unknown
    if [[ -r $1/release ]]; then
        while IFS= read -r line; do
            if [[ $line == JAVA_VERSION=* ]]; then
                version=${line#*=}
                version=${version//\"/}
            fi
        done <"$1/release"
    fi
    echo "$version"
}

# Adds the package of a JDK to what is missing, if there is no usable one; exits where this system has no such package.
need_jdk() {
    local package
    if has_jdk; then return; fi
    package=$(jdk_package)
    [[ -n $package ]] || no_jdk
    need "$package"
}

has_jdk() {
    if [[ -n ${JAVA_HOME:-} ]] && is_usable_jdk "$JAVA_HOME"; then return; fi
    [[ -n $(best_jdk) ]]
}

# Prints this system's package of a JDK: the best that its lists have, or, without lists, what systems.txt says; or nothing.
jdk_package() {
    local package rank best='' best_rank=0 version
    while read -r package _; do
        version=${package//[!0-9]/}
        ((version >= OLDEST_JDK)) || continue
        rank=$(jdk_rank "$version")
        if ((rank > best_rank)); then best=$package best_rank=$rank; fi
    done < <(has apt-cache && apt-cache search --names-only '^openjdk-[0-9]+-jdk-headless$' 2>/dev/null)
    if [[ -z $best ]] && has dnf && ! has apt-get; then
        best=openjdk-25-jdk-headless
    elif [[ -z $best ]] && has apt-get && ! has_package_lists; then
        version=$(awk -v name="$(system_codename)" '!/^#/ && $2 == name { print $5 }' "$ROOT/bin/setup/systems.txt")
        if [[ $version != - ]]; then best=openjdk-${version:-25}-jdk-headless; fi
    fi
    printf '%s' "$best"
}

# Prints the name of this release of Debian or Ubuntu, such as trixie.
system_codename() {
    sed -n 's/^VERSION_CODENAME=//p' /etc/os-release 2>/dev/null
}
