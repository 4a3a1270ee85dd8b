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
        home=$(install_jdk)
    fi
    if [[ -z $home ]]; then
        no_jdk
    fi
    export JAVA_HOME=$home
}

no_jdk() {
    local found=${JAVA_HOME:+" (JAVA_HOME=$JAVA_HOME is ${JAVA_HOME:+$(java_version "$JAVA_HOME")})"}
    fail "no JDK $OLDEST_JDK or later found$found" \
        "Looked in JAVA_HOME, PATH, /usr/lib/jvm, /opt, /usr/java, /usr/local and the homes of SDKMAN, asdf, mise and IDEs." \
        "Install JDK 25: $(jdk_advice)" \
        "Or set JAVA_HOME to the JDK you have (in /etc/default/rddpd for an installed daemon)."
}

# Prints how to get a JDK on this system.
jdk_advice() {
    local kind=jdk
    if [[ $JDK_PROGRAM == java ]]; then kind=jre; fi
    if has apt-cache && [[ -n $(apt-cache show openjdk-25-$kind-headless 2>/dev/null) ]]; then
        echo "apt-get install openjdk-25-$kind-headless"
    elif has apt-get; then
        echo "this system's packages have none. Add the repository of Eclipse Temurin," \
            "packages.adoptium.net, as $(documents)/operations.md says under 'Java', then: apt-get install temurin-25-$kind"
    elif has dnf; then
        echo "$(install_command openjdk-25-$kind-headless), or Eclipse Temurin 25 from adoptium.net"
    else
        echo 'as a package of this system, or Eclipse Temurin 25 from adoptium.net'
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

# Installs Debian's own JDK 25, where Debian has one and this user may install it, and prints its folder; otherwise prints nothing.
install_jdk() {
    local package=openjdk-25-jdk-headless
    if is_root && has apt-cache && [[ -n $(apt-cache show "$package" 2>/dev/null) ]]; then
        install_packages 'a JDK that rddp runs on' "$package"
        best_jdk
    fi
}
