#include "program.h"

#include <elf.h>
#include <fcntl.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>

static bool is_read(int file, void *into, size_t octets, uint64_t at) {
    return pread(file, into, octets, (off_t)at) == (ssize_t)octets;
}

/* The linker of Go leaves such a note, with libc and without. */
static bool is_note_of_go(int file, const Elf64_Phdr *notes) {
    struct {
        Elf64_Nhdr header;
        char owner[4];
    } note;
    for (uint64_t at = 0; at + sizeof note <= notes->p_filesz && is_read(file, &note, sizeof note, notes->p_offset + at);) {
        if (note.header.n_namesz == sizeof note.owner && memcmp(note.owner, "Go\0", sizeof note.owner) == 0) {
            return true;
        }
        at += sizeof note.header + ((note.header.n_namesz + 3ull) & ~3ull) + ((note.header.n_descsz + 3ull) & ~3ull);
    }
    return false;
}

static const char *why_elf_is(int file, const Elf64_Ehdr *elf) {
    bool loads = false, go = false;
    for (unsigned i = 0; i < elf->e_phnum; i++) {
        Elf64_Phdr part;
        if (!is_read(file, &part, sizeof part, elf->e_phoff + (uint64_t)i * sizeof part)) {
            return NULL;
        }
        loads |= part.p_type == PT_INTERP;
        go |= part.p_type == PT_NOTE && is_note_of_go(file, &part);
    }
    if (go) {
        return "is written in Go, which makes system calls without libc";
    }
    return loads ? NULL : "is linked statically";
}

const char *why_out_of_reach(const char *path) {
    int file = open(path, O_RDONLY | O_CLOEXEC);
    Elf64_Ehdr elf;
    const char *why = NULL;
    if (file >= 0 && is_read(file, &elf, sizeof elf, 0) && memcmp(elf.e_ident, ELFMAG, SELFMAG) == 0
        && elf.e_ident[EI_CLASS] == ELFCLASS64 && elf.e_phentsize == sizeof(Elf64_Phdr)) {
        why = why_elf_is(file, &elf);
    }
    if (file >= 0) {
        (void)close(file);
    }
    return why;
}
