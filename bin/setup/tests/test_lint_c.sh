# shellcheck shell=bash
# cppcheck finds nothing in the sources in C, their tests and examples.

lint_c() {
    local suppressed=$ROOT/bin/setup/tests/cppcheck.txt folder
    local -a sources
    cd "$ROOT" || return
    mapfile -d '' sources < <(git ls-files -z --cached --others --exclude-standard "$1/**.c")
    local -a includes=(-Iclient-c/include)
    for folder in "$1"/src "$1"/test client-c/src client-c/test; do
        [[ ! -d $folder ]] || includes+=("-I$folder")
    done
    cppcheck --quiet --error-exitcode=1 --std=c11 -D_GNU_SOURCE -DCPPCHECK --enable=warning,performance,portability,style \
        --inline-suppr --suppressions-list="$suppressed" "${includes[@]}" "${sources[@]}"
}

for folder in client-c verbs sockets native; do
    check "cppcheck finds nothing in $folder" lint_c "$folder"
done
