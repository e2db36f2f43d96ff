"""Holds what `handoff export c` writes to the compiler: every lesson and case that is safe, and hostile names. Speaks
TAP.

usage: export_c.py HANDOFF LESSONS CASES...

Without nvcc the programs are exported, not compiled. To be quick, many are compiled as one: each in a namespace of its
own; one program for each list of headers is compiled alone, so that a header that is missing is seen.
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys

from handoff import Handoff, Results

NVCC = shutil.which("nvcc") or shutil.which("nvcc", path="/usr/local/cuda/bin")
NVCC_OPTIONS = ["-arch=sm_90", "-c", "-o", os.devnull, "-Xcompiler", "-Wall,-Wextra", "-Werror", "all-warnings"]
VARIANT = re.compile(r'^variant ([\w-]+) "', re.MULTILINE)
BATCHES = 2

# Names that mean something in C++, CUDA, NCCL, the C library, or the program's own text.
HOSTILE = """int main NULL x_ cudaFree printf linux unix errno assert stdin EOF BUFSIZ SIGKILL INT_MAX sizeof template typename
this new delete export asm and xor_eq wchar_t size_t float dim3 threadIdx blockIdx warpSize uint64_t ncclSend ncclComm_t
CUDA NCCL SYSTEM PTHREAD check_pthread RANKS SHOWN PATIENCE_SECONDS rank gpu gpus fail check_cuda print_buffer print_values keep_busy delay
count turn round out in i id ids world A B C A_turns write_turns rank_0 rank_1 run_rank wait_for_ranks exit fork kill
read write pipe malloc free memory cudaStream_t cudaStreamLegacy _x __global__ __half M_PI_2f L_tmpnam si_pid sa_handler
S0 S0_stream S0_buffer S0_event E E_event E_stream x_buffer x_host world_communicator signed std string bool true
nullptr alloca sched_priority barrier allocate connect_ranks write_input add_to_byte is_done IS_DONE
enable_peer va_arg register import module concept final override I complex""".split()


def hostile_schedule():
    lines = ["comm " + HOSTILE[0], "comm printf", "rank 0"]
    lines += [f"  buffer {name} float32[4]" for name in HOSTILE]
    lines += [f"  stream {name} nonblocking" for name in HOSTILE if name != "default"]
    for name in HOSTILE:
        lines += [f"  launch {name} -> {name} on {name}", f"  record {name} on {name}", f"  wait {name} on {name}"]
    lines += ["  repeat 3", "  launch A -> x_ on x_", "  launch while -> x_ on x_", "  end", "  send x_ to 1 on x_ via int",
              "  host stdout int8[4]".replace("stdout", "hostage"), "  write hostage", "  read hostage",
              "  use gpu 1", "  launch B x_ -> x_ on default"]
    lines += ["rank 1", "  buffer int float32[4]", "  stream int", "  recv int from 0 on int via int"]
    return "\n".join(lines) + "\n"


# Each type as A, B, C, an opaque kernel and an accumulation make it, and as the host does.
def typed_schedule():
    lines = ["rank 0", "  stream s"]
    for kind in "int8 uint8 int32 uint32 int64 uint64 float16 bfloat16 float32 float64".split():
        lines += [f"  buffer x_{kind} {kind}[5]", f"  buffer y_{kind} {kind}[3]", f"  host h_{kind} {kind}[5] pageable",
                  f"  write h_{kind}", f"  copy h_{kind} to x_{kind} on s", f"  launch A -> x_{kind} on s",
                  f"  launch B x_{kind} -> y_{kind} on s", f"  launch B x_{kind} y_{kind} -> x_{kind} on s",
                  f"  launch C x_{kind} -> y_{kind} on s", f"  launch k ~> x_{kind} on s",
                  f"  launch k x_{kind} -> x_{kind}[1:4] ~> y_{kind}[2] on s", f"  launch B x_float32 -> x_{kind} on s"
                  if kind == "float64" else f"  launch k on s", "  sync s", f"  read h_{kind}", "  poll s", "  query s"]
    return "\n".join(lines) + "\n"


def sources(lessons, folders):
    """(argument, variant or None) for each lesson, case and variant of one."""
    for folder, ending in [(lessons, "*.md"), *((folder, "*.schedule") for folder in folders)]:
        for path in sorted(pathlib.Path(folder).resolve().glob(ending)):
            yield path, None
            for variant in VARIANT.findall(path.read_text(encoding="utf-8")):
                yield path, variant


def compile_text(handoff, name, text):
    """What nvcc says of it; empty where all is well."""
    path = handoff.scratch / f"{name}.cu"
    path.write_text(text, encoding="utf-8")
    done = subprocess.run([NVCC, *NVCC_OPTIONS, path], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          timeout=300, check=False)
    return done.stdout if done.returncode else ""


def headers(program):
    return tuple(line for line in program.splitlines() if line.startswith("#include"))


def together(programs):
    """The programs as one text, each in a namespace."""
    included = sorted({line for program in programs for line in headers(program)})
    text = "\n".join(included) + "\n"
    for number, program in enumerate(programs):
        text += f"namespace program_{number} {{\n{program}}}\n"
        text += "".join(f"#undef {name}\n" for name in ("CUDA", "NCCL", "SYSTEM", "PTHREAD", "IS_DONE"))
    return text


def main():
    handoff, results = Handoff(sys.argv[1]), Results()
    programs = {}
    for path, variant in sources(sys.argv[2], sys.argv[3:]):
        choice = ["--variant", variant] if variant else []
        if handoff.run("check", *choice, path).returncode != 0:
            continue
        done = handoff.run("export", "c", *choice, path)
        name = f"{path.stem} {variant or ''}".rstrip()
        results.check(done.returncode == 0 and done.stderr == "", f"export c {name}", done.stderr)
        programs[name] = done.stdout
    for name, text in [("hostile names", hostile_schedule()), ("every type", typed_schedule())]:
        done = handoff.run("export", "c", handoff.file("made.schedule", text))
        results.check(done.returncode == 0, f"export c {name}", done.stderr)
        programs[name] = done.stdout
    results.check(len(programs) > 60, "there are programs to compile", f"only {len(programs)}")
    if not NVCC:
        print("# no nvcc: nothing was compiled")
        return results.finish()
    alone = {headers(program): name for name, program in programs.items()}
    alone.update({name: name for name in ("hostile names", "every type")})
    for number, name in enumerate(sorted(set(alone.values()))):
        said = compile_text(handoff, f"alone_{number}", programs[name])
        results.check(not said, f"nvcc compiles {name}", said[:4000])
    rest = [program for name, program in programs.items() if name not in alone.values()]
    for number in range(BATCHES):
        said = compile_text(handoff, f"batch_{number}", together(rest[number::BATCHES]))
        results.check(not said, f"nvcc compiles the others, part {number + 1} of {BATCHES}", said[:4000])
    return results.finish()


if __name__ == "__main__":
    sys.exit(main())
