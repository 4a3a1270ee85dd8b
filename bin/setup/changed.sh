# shellcheck shell=bash
# rddp test --changed: what a change can affect, for the daily round. The whole suite stays what decides.

# Modules that run the others as whole programs: their tests run if they change themselves.
readonly TOP_FLOORS=(tools bench packaging interop fuzz examples)

# changed_paths COMMIT: prints the paths that differ from it, and files that git does not know yet.
changed_paths() {
    git -C "$ROOT" diff --name-only "$1" --
    git -C "$ROOT" ls-files --others --exclude-standard
}

# modules_of: reads paths; prints the modules in which they lie.
modules_of() {
    local path
    while IFS= read -r path; do
        path=${path%%/*}
        if [[ -f $ROOT/$path/pom.xml ]]; then echo "$path"; fi
    done | sort -u
}

# dependents MODULE...: prints these and the modules that depend on them, but for the top floors and what has no tests in Java.
dependents() {
    local known=("$@") last=0 module pom
    while ((last < ${#known[@]})); do
        module=${known[last]}
        last=$((last + 1))
        for pom in "$ROOT"/*/pom.xml; do
            pom=${pom%/pom.xml}
            if [[ " ${known[*]} " != *" ${pom##*/} "* ]] && depends_on "$pom/pom.xml" "$module"; then
                known+=("${pom##*/}")
            fi
        done
    done
    for module in "${known[@]}"; do
        if [[ " $* " == *" $module "* || " ${TOP_FLOORS[*]} " != *" $module "* ]]; then echo "$module"; fi
    done | grep -vxF "$(printf '%s\n' "${LIBRARIES[@]}")"
}

depends_on() {
    tr -d '[:space:]' <"$1" | grep -Eq "<groupId>org.rddp</groupId><artifactId>(rddp-)?$2</artifactId>"
}

# affected_steps: reads paths; prints the steps that they can affect, each once.
affected_steps() {
    local path
    echo build
    while IFS= read -r path; do
        case $path in
            *.md | docs/*) echo java ;;
            bin/* | */run | *.sh) echo scripts ;;
            native/*) printf '%s\n' shim java ;;
            client-c/*) printf '%s\n' scripts libraries ;;
            verbs/*) printf '%s\n' scripts libraries verbs ;;
            sockets/*) printf '%s\n' scripts libraries sockets ;;
            ip/*) printf '%s\n' java simulation linux_tcp races esp ;;
            tcp-lite/*) printf '%s\n' java simulation linux_tcp ;;
            mpa-engine/* | ddp-engine/*) printf '%s\n' java simulation tshark ;;
            ipc/*) printf '%s\n' java races libraries ;;
            client/*) printf '%s\n' java libraries ;;
            daemon/* | fixtures/* | lab/*) printf '%s\n' java simulation ;;
            packaging/*) printf '%s\n' java package ;;
            fuzz/*) printf '%s\n' java fuzz ;;
            interop/siw/*) echo siw ;;
            interop/esp/*) echo esp ;;
            interop/linux-tcp/*) echo linux_tcp ;;
            interop/verbs/*) echo verbs ;;
            interop/sockets/*) echo sockets ;;
            interop/demo/*) echo demo ;;
            interop/tshark/*) echo tshark ;;
            pom.xml | conformance/*) printf '%s\n' java libraries simulation package ;;
            *) echo java ;;
        esac
    done | awk '!seen[$0]++'
}

# changed_tests COMMIT: prints, by commas, the classes of tests in Java that a change since then can affect, and in which modules
# they are: two lines.
changed_tests() {
    local paths modules=() classes=()
    paths=$(changed_paths "$1")
    mapfile -t modules < <(modules_of <<<"$paths")
    if [[ $paths =~ (^|$'\n')(pom\.xml|conformance/) ]]; then modules+=(conformance); fi
    mapfile -t modules < <(dependents "${modules[@]}")
    mapfile -t classes < <(cd "$ROOT" && find "${modules[@]/%//src/test}" -name '*Test.java' -printf '%f\n' 2>/dev/null)
    if [[ $paths =~ \.md($|$'\n')|(^|$'\n')docs/ ]]; then
        modules+=(tools bench)
        classes+=(ReadmeTest.java DocumentsTest.java)
    fi
    joined "${classes[@]%.java}"
    joined "${modules[@]}"
}

joined() {
    local IFS=,
    echo "$*"
}
