# shellcheck shell=bash
# The choice among the JDKs of a machine.

# shellcheck source=bin/setup/say.sh
source "$ROOT/bin/setup/say.sh"
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
    install_jdk() { :; }
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
    [[ $said == *'no JDK 22 or later found'*"$seventeen is 17.0.15"*'Install JDK 25'* ]] || {
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
