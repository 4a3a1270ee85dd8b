"""Migrates a guest of QEMU's by RDMA from one process to another, and compares the memory of both.

The guest has no system: its firmware is a loop of some instructions that never stops writing, so that pages have to be sent
again while they are migrated. Beside them lies a pattern that is not a page of zeros, which QEMU would leave out. The
destination does not run the guest before the memory has been compared; then it does, and the loop goes on.

migrate.py FOLDER SOURCE-INTERFACE DESTINATION-INTERFACE ADDRESS PORT MIB [pin-all] [BACKEND] -- COMMAND...: COMMAND runs a
program over an interface, whose name replaces INTERFACE at the end of a word. BACKEND, such as memory-backend-ram or
memory-backend-memfd, makes the guest's memory, shared with other processes (MAP_SHARED).
"""

import json
import os
import pathlib
import random
import re
import socket
import subprocess
import sys
import time

QEMU = "qemu-system-x86_64"
SECONDS = 120
PATTERN_AT = 1 << 20
# The guest's own writes: from 64 KiB to 576 KiB, a word in each 64 octets.
WRITTEN_FROM, WRITTEN_TO = 0x10000, 0x90000
FIRMWARE_SIZE = 1 << 16
# QEMU 7.2 seems to clear the marks of dirty pages but not its emulated CPU's TLB, and then misses writes through an entry of the
# TLB. A change of CR0's bit 16 empties the TLB.
LOOP = bytes.fromhex(
    "b80010"  # start: mov ax, 0x1000
    "8ec0"  # segment: mov es, ax
    "31ff"  # xor di, di
    "0f20c3"  # word: mov ebx, cr0
    "6681f300000100"  # xor ebx, 0x10000
    "0f22c3"  # mov cr0, ebx
    "26ff05"  # inc word es:[di]
    "83c740"  # add di, 64
    "75eb"  # jnz word
    "050010"  # add ax, 0x1000
    "3d0090"  # cmp ax, 0x9000
    "75df"  # jne segment
    "ebda"  # jmp start
)
RESET_VECTOR_AT = 0xFFF0
JUMP_TO_LOOP = bytes.fromhex("ea000000f0")  # jmp 0xf000:0


class Failure(Exception):
    """Something expected did not happen."""


class Machine:
    """A process of QEMU's, steered by QMP."""

    def __init__(self, name, folder, command, *arguments):
        self.log = folder / f"{name}.log"
        path = folder / f"{name}.qmp"
        with open(self.log, "wb") as log:
            self.process = subprocess.Popen(
                [*command, QEMU, "-name", name, "-M", "pc", "-accel", "tcg", "-nodefaults", "-display", "none",
                 "-vga", "none", "-S", "-bios", str(folder / "firmware"), "-qmp", f"unix:{path},server=on,wait=off",
                 *arguments],
                stdin=subprocess.DEVNULL, stdout=log, stderr=subprocess.STDOUT)
        self.stream = self.connect(path).makefile("rwb")
        self.read()  # who it is
        self.do("qmp_capabilities")

    def connect(self, path):
        connection = socket.socket(socket.AF_UNIX)
        connection.settimeout(SECONDS)
        self.await_true(lambda: connection.connect_ex(str(path)) == 0, "listens")
        return connection

    def await_true(self, condition, what):
        deadline = time.monotonic() + SECONDS
        while not condition():
            if self.process.poll() is not None:
                raise Failure(f"QEMU ended with {self.process.returncode} before it {what}")
            if time.monotonic() > deadline:
                raise Failure(f"no QEMU that {what} within {SECONDS} s")
            time.sleep(0.02)

    def read(self):
        line = self.stream.readline()
        if not line:
            raise Failure(f"QEMU closed its monitor, status {self.process.wait(SECONDS)}")
        return json.loads(line)

    def do(self, command, **arguments):
        """Carries out a command, and returns its answer."""
        self.stream.write(json.dumps({"execute": command, "arguments": arguments}).encode())
        self.stream.flush()
        while True:
            answer = self.read()
            if "error" in answer:
                raise Failure(f"{command}: {answer['error']['desc']}")
            if "return" in answer:
                return answer["return"]

    def memory(self, path, at, size):
        """The guest's memory."""
        self.do("pmemsave", val=at, size=size, filename=str(path))
        octets = path.read_bytes()
        path.unlink()
        return octets

    def await_migrated(self):
        """Waits until the migration has ended, and returns QEMU's report."""
        answers = []

        def has_ended():
            answers.append(self.do("query-migrate"))
            return answers[-1].get("status") in ("completed", "failed", "cancelled")

        self.await_true(has_ended, "ends the migration")
        if answers[-1]["status"] != "completed":
            raise Failure(f"the migration ended: {answers[-1]}")
        return answers[-1]

    def end(self):
        """Ends the process."""
        self.process.kill()
        self.process.wait()


def write_files(folder, mib):
    """Returns the firmware, and the pattern that fills a part of the memory."""
    firmware = bytearray(FIRMWARE_SIZE)
    firmware[: len(LOOP)] = LOOP
    firmware[RESET_VECTOR_AT : RESET_VECTOR_AT + len(JUMP_TO_LOOP)] = JUMP_TO_LOOP
    (folder / "firmware").write_bytes(firmware)
    # The rest stays zero: QEMU sends pages of zeros in another way.
    pattern = random.Random(mib).randbytes((mib // 2) << 20)
    (folder / "pattern").write_bytes(pattern)
    return pattern


def await_writes(machine, folder):
    """Waits until the guest has written to all of its places, and is writing again."""
    first = machine.memory(folder / "first", WRITTEN_TO - 64, 2)
    machine.await_true(
        lambda: machine.memory(folder / "now", WRITTEN_TO - 64, 2) not in (first, b"\0\0"), "runs the guest")


def compare(source, destination, folder, size, pattern):
    """Checks that both have the same memory, with the pattern in it."""
    ours = source.memory(folder / "source", 0, size)
    theirs = destination.memory(folder / "destination", 0, size)
    if ours[PATTERN_AT : PATTERN_AT + len(pattern)] != pattern:
        raise Failure("the source has not kept the pattern")
    if ours != theirs:
        different = [page for page in range(0, size, 4096) if ours[page : page + 4096] != theirs[page : page + 4096]]
        raise Failure(f"{len(different)} pages differ, the first at 0x{different[0]:x}")


def memory_options(mib, backend):
    """QEMU's options for the guest's memory; backend: what makes it, or None."""
    shared = ["-object", f"{backend},id=shared,size={mib}M,share=on" + (",seal=off" if "memfd" in backend else ""),
              "-machine", "memory-backend=shared"] if backend else []
    return ["-m", str(mib), *shared]


def migrate(folder, command, ends, address, mib, words):
    """Migrates a guest, and returns QEMU's report."""
    pattern = write_files(folder, mib)
    pinned = "pin-all" in words
    backend = next((word for word in words if word.startswith("memory-backend")), None)
    machines = []
    try:
        for name, interface, arguments in (
                ("destination", ends[1], ["-incoming", "defer"]),
                ("source", ends[0], ["-device", f"loader,file={folder}/pattern,addr={PATTERN_AT},force-raw=on"])):
            started = [re.sub("(?<![A-Z_])INTERFACE$", interface, word) for word in command]
            machine = Machine(name, folder, started, *memory_options(mib, backend), *arguments)
            machines.append(machine)
            machine.do("migrate-set-capabilities", capabilities=[{"capability": "rdma-pin-all", "state": pinned}])
        destination, source = machines
        destination.do("migrate-incoming", uri=address)
        source.do("cont")
        await_writes(source, folder)
        source.do("migrate", uri=address)
        told = source.await_migrated()
        destination.await_migrated()
        compare(source, destination, folder, mib << 20, pattern)
        destination.do("cont")
        await_writes(destination, folder)
        return told
    except BaseException:
        for machine in machines:
            print(f"{machine.log.stem} printed: {machine.log.read_text(errors='replace')[-3000:]}", file=sys.stderr)
        raise
    finally:
        for machine in machines:
            machine.end()


def main():
    """Migrates a guest as the arguments say."""
    words, command = sys.argv[1 : sys.argv.index("--")], sys.argv[sys.argv.index("--") + 1 :]
    folder, source, destination, address, port, mib = words[:6]
    began = time.monotonic()
    try:
        told = migrate(pathlib.Path(folder), command, (source, destination), f"rdma:{address}:{port}", int(mib),
                       words[6:])
    except (Failure, OSError) as failure:
        sys.exit(f"{failure}")
    ram = told["ram"]
    print(f"{ram['transferred'] >> 20} MiB sent, {ram['duplicate']} pages of zeros, {ram['dirty-sync-count']} rounds, "
          f"downtime {told['downtime']} ms, {time.monotonic() - began:.1f} s")


main()
