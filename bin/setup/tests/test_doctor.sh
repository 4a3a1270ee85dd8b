# shellcheck shell=bash
# What the doctor says about the machine.

# shared_huge_pages SETTING: the doctor's row on a machine whose kernel has that setting; none if it is empty.
shared_huge_pages() (
    # shellcheck source=/dev/null
    source "$ROOT/bin/setup/doctor.sh"
    SHMEM_ENABLED=$WORK/shmem_enabled
    rm -f "$SHMEM_ENABLED"
    if [[ -n $1 ]]; then
        echo "$1" >"$SHMEM_ENABLED"
    fi
    doctor_shared_huge_pages
)

check_shared_huge_pages() {
    [[ $(shared_huge_pages 'always within_size advise [never] deny force') == *note*'MADV_COLLAPSE'*'echo deny >'* ]] &&
        [[ $(shared_huge_pages 'always within_size advise never [deny] force') == *ok*'deny'* ]] &&
        [[ -z $(shared_huge_pages '') ]]
}

check 'doctor: says when programs can make an engine wait by MADV_COLLAPSE' check_shared_huge_pages
