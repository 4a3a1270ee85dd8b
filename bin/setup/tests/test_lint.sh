# shellcheck shell=bash
# Every script passes shellcheck.

scripts() {
    git -C "$ROOT" ls-files -z --cached --others --exclude-standard |
        while IFS= read -r -d '' file; do
            if [[ $file == *.sh ]] || head -c 64 "$ROOT/$file" 2>/dev/null | head -n 1 | tr -d '\0' | grep -q '^#!.*sh$'; then
                printf '%s\0' "$file"
            fi
        done
}

lint() {
    cd "$ROOT" && scripts | xargs -0 -r shellcheck -x -S warning
}

check 'every script passes shellcheck' lint
