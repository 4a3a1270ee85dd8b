# shellcheck shell=bash
# The choice among the JDKs of a machine.

# shellcheck source=bin/setup/say.sh
source "$ROOT/bin/setup/say.sh"
# shellcheck source=bin/setup/packages.sh
source "$ROOT/bin/setup/packages.sh"
# shellcheck source=bin/setup/jdk.sh
source "$ROOT/bin/setup/jdk.sh"

# fake_jdk NAME VERSION: a directory that looks like a JDK.
fake_jdk() {
    mkdir -p "$WORK/$1/bin"
    printf 'IMPLEMENTOR="nobody"\nJAVA_VERSION="%s"\n' "$2" >"$WORK/$1/release"
    touch "$WORK/$1/bin/javac"
    chmod +x "$WORK/$1/bin/javac"
    echo "$WORK/$1"
}

# chosen_among JDK...: the JDK that find_jdk chooses when the machine has these.
chosen_among() {
    local jdks=("$@")
    jdk_candidates() { printf '%s\n' "${jdks[@]}"; }
    find_jdk && echo "$JAVA_HOME"
}

old=$(fake_jdk old 1.8.0_402)
seventeen=$(fake_jdk 'seven teen' 17.0.15)
twentytwo=$(fake_jdk twentytwo 22)
twentyfour=$(fake_jdk twentyfour 24.0.2)
twentyfive=$(fake_jdk 'twenty five' 25.0.3)
twentysix=$(fake_jdk twentysix 26-ea)
unset JAVA_HOME

check 'reads the feature release of 1.8' equal 8 "$(java_feature "$old")"
check 'reads the feature release of an early-access build' equal 26 "$(java_feature "$twentysix")"
check 'takes an LTS before anything newer' equal "$twentyfive" "$(chosen_among "$twentysix" "$twentyfive" "$twentyfour")"
check 'takes the newest without an LTS' equal "$twentyfour" "$(chosen_among "$old" "$twentytwo" "$twentyfour")"
check 'keeps a JAVA_HOME that is new enough' equal "$twentyfour" "$(JAVA_HOME=$twentyfour chosen_among "$twentyfive")"
check 'ignores a JAVA_HOME that is too old' equal "$twentyfive" "$(JAVA_HOME=$seventeen chosen_among "$twentyfive")"

refusal() {
    local said
    said=$(JAVA_HOME=$seventeen chosen_among "$old" "$seventeen" 2>&1) && return 1
    [[ $said == *'no JDK 22 or later found'*"$seventeen is 17.0.15"*'Install a JDK'* ]] || {
        echo "$said"
        return 1
    }
}
check 'reports what it found and what to install if none is new enough' refusal

no_compiler() {
    chmod -x "$WORK/twentytwo/bin/javac"
    ! (chosen_among "$twentytwo")
}
check 'ignores a runtime without a compiler' no_compiler

refuses() {
    ! "$@"
}
printf 'MODULES="java.base jdk.incubator.vector jdk.net"\n' >>"$twentyfive/release"
check 'finds a module that a JDK has' has_module "$twentyfive" jdk.incubator.vector
check 'finds no module by a part of its name' refuses has_module "$twentyfive" jdk.incubator
check 'finds no module without a list' refuses has_module "$twentyfour" jdk.incubator.vector

# package_on LISTS CODENAME NAME...: the package of a JDK on a system of that name, with lists of apt or none, that offer these.
package_on() (
    APT_LISTS=$WORK/$1
    codename=$2 offered=("${@:3}")
    mkdir -p "$WORK/lists" && touch "$WORK/lists/main_Packages"
    has() { [[ $1 == apt-get || $1 == apt-cache ]]; }
    apt-cache() { ((${#offered[@]} == 0)) || printf '%s - OpenJDK\n' "${offered[@]}"; }
    system_codename() { echo "$codename"; }
    jdk_package
)

check 'takes the LTS among the packages' equal openjdk-25-jdk-headless \
    "$(package_on lists forky openjdk-21-jdk-headless openjdk-25-jdk-headless openjdk-26-jdk-headless)"
check 'takes no package that is too old' equal '' "$(package_on lists bookworm openjdk-17-jdk-headless)"
check 'knows the package without lists' equal openjdk-25-jdk-headless "$(package_on none trixie)"
check 'knows without lists that there is none' equal '' "$(package_on none bookworm)"
