/* What every exported program has: its head, the checks, how ranks find one another, and main(). */
#include <string.h>

#include "export/c_inside.h"

static uint32_t rank_count(const struct c_export *export)
{
    return export->program->rank_count;
}

/* A file's name without folder, number and ending, as far as it is fit for a shell: "overlap". */
static void append_name(const char *file, struct text *out)
{
    const char *slash = strrchr(file, '/');
    const char *name = slash ? slash + 1 : file;
    size_t digits = strspn(name, "0123456789");
    if (digits > 0 && name[digits] == '-')
        name += digits + 1;
    size_t length = strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-");
    if (length == 0 || name[0] == '-')
        text_append(out, "schedule");
    else
        text_append_bytes(out, name, length);
}

/* Untrusted bytes within a comment: what would end it, or begin another, is taken apart. */
static void append_in_comment(const char *bytes, struct text *out)
{
    struct text visible = {0};
    text_append_visible(&visible, bytes, strlen(bytes));
    for (const char *c = text_string(&visible); *c; c++) {
        text_append_bytes(out, c, 1);
        if ((c[0] == '*' && c[1] == '/') || (c[0] == '/' && c[1] == '*'))
            text_append(out, " ");
    }
    text_free(&visible);
}

static void append_variants(const struct program *program, struct text *out)
{
    bool first = true;
    for (size_t i = 0; i < schedule_variant_count(program->schedule); i++) {
        if (!(program->variants >> i & 1))
            continue;
        text_append(out, first ? " with " : ", ");
        text_append(out, schedule_variant(program->schedule, i)->name);
        first = false;
    }
}

static void append_comment(const struct c_export *export, const char *file, struct text *out)
{
    struct text name = {0};
    append_name(file, &name);
    text_append(out, "/* ");
    const char *slash = strrchr(file, '/');
    append_in_comment(slash ? slash + 1 : file, out);
    append_variants(export->program, out);
    text_format(out, ", as a program.\n *\n *     nvcc -arch=native -o %s %s.cu%s\n *     ./%s\n *\n * ",
                text_string(&name), text_string(&name), export->communicates ? " -lnccl" : "",
                text_string(&name));
    text_append(out, "Each rank is a process. On a machine with fewer GPUs, ranks share them. */\n");
    text_free(&name);
}

static bool uses_type(const struct c_export *export, enum element_type type)
{
    for (uint32_t i = 0; i < export->program->memory_count; i++)
        if (export->program->memories[i].type == type)
            return true;
    return false;
}

static void append_includes(const struct c_export *export, struct text *out)
{
    if (uses_type(export, TYPE_BFLOAT16))
        text_append(out, "#include <cuda_bf16.h>\n");
    if (uses_type(export, TYPE_FLOAT16))
        text_append(out, "#include <cuda_fp16.h>\n");
    text_append(out, "#include <cuda_runtime.h>\n#include <errno.h>\n");
    if (export->communicates)
        text_append(out, "#include <nccl.h>\n");
    if (export->meets)
        text_append(out, "#include <pthread.h>\n");
    text_append(out, "#include <signal.h>\n#include <stdint.h>\n#include <stdio.h>\n#include <stdlib.h>\n"
                     "#include <string.h>\n");
    if (export->meets)
        text_append(out, "#include <sys/mman.h>\n");
    text_append(out, "#include <sys/prctl.h>\n#include <sys/wait.h>\n#include <unistd.h>\n\n");
}

/* What a run may take beyond the durations that the schedule states. */
enum { PATIENCE_SECONDS = 60 };

static unsigned patience(const struct program *program)
{
    uint64_t nanoseconds = 0;
    for (uint32_t i = 0; i < program->call_count; i++)
        nanoseconds += call_statement(program, i)->takes_ns;
    return (unsigned)(PATIENCE_SECONDS + nanoseconds / 1000000000);
}

void c_write_head(const struct c_export *export, const char *file, struct text *out)
{
    append_comment(export, file, out);
    append_includes(export, out);
    text_format(out, "enum { RANKS = %u, ", rank_count(export));
    if (export->communicator_count > 1)
        text_format(out, "COMMUNICATORS = %u, ", export->communicator_count);
    text_format(out, "PATIENCE_SECONDS = %u };\n\nstatic int rank = -1; /* this process's */\n",
                patience(export->program));
    if (export->meets)
        text_append(out, "static pthread_barrier_t *barrier; /* of all ranks' host programs */\n");
    text_append(out, "\n");
}

static const char checks[] =
    "/* Ends this process. The first process then ends the other ranks, which may wait for it for ever. */\n"
    "static void fail(const char *call, const char *reason, int line)\n"
    "{\n"
    "    fprintf(stderr, \"rank %d, line %d: %s: %s\\n\", rank, line, call, reason);\n"
    "    _exit(EXIT_FAILURE);\n"
    "}\n"
    "\n"
    "static void check_cuda(cudaError_t result, const char *call, int line)\n"
    "{\n"
    "    if (result != cudaSuccess)\n"
    "        fail(call, cudaGetErrorString(result), line);\n"
    "}\n"
    "\n"
    "static void check_system(long result, const char *call, int line)\n"
    "{\n"
    "    if (result < 0)\n"
    "        fail(call, strerror(errno), line);\n"
    "}\n"
    "\n";

static const char nccl_check[] =
    "static void check_nccl(ncclResult_t result, const char *call, int line)\n"
    "{\n"
    "    if (result == ncclSuccess)\n"
    "        return;\n"
    "    fprintf(stderr, \"%s\\n\", ncclGetLastError(NULL)); /* what the result leaves out */\n"
    "    fail(call, ncclGetErrorString(result), line);\n"
    "}\n"
    "\n";

static const char pthread_check[] = "static void check_pthread(int result, const char *call, int line)\n"
                                    "{\n"
                                    "    if (result > 0)\n"
                                    "        fail(call, strerror(result), line);\n"
                                    "}\n"
                                    "\n";

static const char asking[] = "/* What a query says. */\n"
                             "static bool is_done(cudaError_t result, const char *call, int line)\n"
                             "{\n"
                             "    if (result != cudaErrorNotReady)\n"
                             "        check_cuda(result, call, line);\n"
                             "    return result == cudaSuccess;\n"
                             "}\n"
                             "\n";

static const char allocating[] = "static void *allocate(size_t bytes)\n"
                                 "{\n"
                                 "    void *memory = malloc(bytes);\n"
                                 "    if (!memory)\n"
                                 "        fail(\"malloc\", strerror(errno), __LINE__);\n"
                                 "    return memory;\n"
                                 "}\n"
                                 "\n";

static const char numbering[] = "/* The machine's GPU for one of the schedule. */\n"
                                "static int gpu(int number)\n"
                                "{\n"
                                "    int count;\n"
                                "    CUDA(cudaGetDeviceCount(&count));\n"
                                "    return number % count;\n"
                                "}\n"
                                "\n";

static const char reaching[] =
    "/* Makes the GPU FROM of the schedule current, and lets it reach the memory of GPU TO. */\n"
    "static void enable_peer(int from, int to)\n"
    "{\n"
    "    if (gpu(from) == gpu(to))\n"
    "        return;\n"
    "    CUDA(cudaSetDevice(gpu(from)));\n"
    "    cudaError_t result = cudaDeviceEnablePeerAccess(gpu(to), 0);\n"
    "    if (result == cudaErrorPeerAccessAlreadyEnabled)\n"
    "        cudaGetLastError(); /* two numbers of the schedule may be one GPU: forgotten */\n"
    "    else\n"
    "        check_cuda(result, \"cudaDeviceEnablePeerAccess\", __LINE__);\n"
    "}\n"
    "\n";

static const char preparing[] =
    "/* NCCL refuses two ranks on one GPU. From 2.30 on it can be told that it is meant; before, it has to "
    "take the\n"
    " * ranks for different hosts. */\n"
    "static void prepare_nccl(void)\n"
    "{\n"
    "    bool shared = false;\n"
    "    for (const auto &of_rank : gpus)\n"
    "        for (int i = 0; i < RANKS; i++)\n"
    "            for (int other = 0; other < i; other++)\n"
    "                shared |= gpu(of_rank[i]) == gpu(of_rank[other]);\n"
    "    int version;\n"
    "    NCCL(ncclGetVersion(&version));\n"
    "    if (shared && version >= NCCL_VERSION(2, 30, 0))\n"
    "        SYSTEM(setenv(\"NCCL_MULTI_RANK_GPU_ENABLE\", \"1\", 1));\n"
    "    if (shared && version < NCCL_VERSION(2, 30, 0)) {\n"
    "        char host[32];\n"
    "        snprintf(host, sizeof host, \"rank-%d\", rank);\n"
    "        SYSTEM(setenv(\"NCCL_HOSTID\", host, 1));\n"
    "    }\n"
    "    SYSTEM(setenv(\"NCCL_SOCKET_IFNAME\", \"lo\", 0)); /* all ranks are on this machine */\n";

static const char connecting[] =
    "/* NCCL connects two ranks at their first transfer, and holds the host until both have asked for one. "
    "Here, so that\n"
    " * the transfers of the schedule only submit, and take no longer the first time. */\n"
    "static void connect_ranks(ncclComm_t communicator)\n"
    "{\n"
    "    char *bytes;\n"
    "    CUDA(cudaMalloc(&bytes, RANKS + 1));\n"
    "    NCCL(ncclGroupStart());\n"
    "    for (int peer = 0; peer < RANKS; peer++) {\n"
    "        if (peer == rank)\n"
    "            continue;\n"
    "        NCCL(ncclSend(bytes + RANKS, 1, ncclInt8, peer, communicator, cudaStreamLegacy));\n"
    "        NCCL(ncclRecv(bytes + peer, 1, ncclInt8, peer, communicator, cudaStreamLegacy));\n"
    "    }\n"
    "    NCCL(ncclGroupEnd());\n"
    "    CUDA(cudaStreamSynchronize(cudaStreamLegacy));\n"
    "    CUDA(cudaFree(bytes));\n"
    "}\n"
    "\n";

static const char delaying[] = "static __global__ void delay(uint64_t nanoseconds)\n"
                               "{\n"
                               "    uint64_t begin, now;\n"
                               "    asm volatile(\"mov.u64 %0, %%globaltimer;\" : \"=l\"(begin));\n"
                               "    do\n"
                               "        asm volatile(\"mov.u64 %0, %%globaltimer;\" : \"=l\"(now));\n"
                               "    while (now - begin < nanoseconds);\n"
                               "}\n"
                               "\n"
                               "/* What comes next in the stream takes so much longer. */\n"
                               "static void keep_busy(cudaStream_t stream, uint64_t nanoseconds)\n"
                               "{\n"
                               "    delay<<<1, 1, 0, stream>>>(nanoseconds);\n"
                               "    CUDA(cudaGetLastError());\n"
                               "}\n"
                               "\n";

static const char adding_to_bytes[] =
    "/* An atomic addition for bytes, which CUDA has none for: to the word that they are in. */\n"
    "template <typename Byte> static __device__ void add_to_byte(Byte *place, Byte value)\n"
    "{\n"
    "    unsigned *word = (unsigned *)((uintptr_t)place & ~(uintptr_t)3), shift = (uintptr_t)place % 4 * 8;\n"
    "    unsigned seen = *word, expected;\n"
    "    do {\n"
    "        expected = seen;\n"
    "        unsigned sum = ((expected >> shift) + (uint8_t)value) & 0xff;\n"
    "        seen = atomicCAS(word, expected, (expected & ~(0xffu << shift)) | sum << shift);\n"
    "    } while (seen != expected);\n"
    "}\n"
    "\n";

static const char printing[] =
    "template <typename Element>\n"
    "static void print_values(const char *name, const Element *values, size_t count)\n"
    "{\n"
    "    printf(\"rank %d %s:\", rank, name);\n"
    "    for (size_t i = 0; i < count && i < SHOWN; i++)\n"
    "        print_value(values[i]);\n"
    "    puts(count > SHOWN ? \" ...\" : \"\");\n"
    "}\n"
    "\n"
    "template <typename Element>\n"
    "static void print_buffer(const char *name, const Element *buffer, size_t count)\n"
    "{\n"
    "    Element values[SHOWN];\n"
    "    size_t bytes = (count < SHOWN ? count : SHOWN) * sizeof *values;\n"
    "    CUDA(cudaMemcpy(values, buffer, bytes, cudaMemcpyDefault));\n"
    "    print_values(name, values, count);\n"
    "}\n"
    "\n";

static void append_macros(const struct c_export *export, struct text *out)
{
    text_append(out, "#define CUDA(call) check_cuda((call), #call, __LINE__)\n"
                     "#define SYSTEM(call) check_system((call), #call, __LINE__)\n");
    if (export->communicates)
        text_append(out, "#define NCCL(call) check_nccl((call), #call, __LINE__)\n");
    if (export->meets)
        text_append(out, "#define PTHREAD(call) check_pthread((call), #call, __LINE__)\n");
    if (export->asks)
        text_append(out, "#define IS_DONE(call) is_done((call), #call, __LINE__)\n");
    text_append(out, "\n");
}

/* How an element is printed. */
static const char *print_format(enum element_type type)
{
    switch (type) {
    case TYPE_INT64:
    case TYPE_INT32:
    case TYPE_INT8:
        return "\" %lld\", (long long)value";
    case TYPE_UINT64:
    case TYPE_UINT32:
    case TYPE_UINT8:
        return "\" %llu\", (unsigned long long)value";
    case TYPE_FLOAT64:
        return "\" %.17g\", value";
    case TYPE_FLOAT32:
        return "\" %.9g\", (double)value";
    default:
        return "\" %.9g\", (double)(float)value";
    }
}

static void append_printing(const struct c_export *export, struct text *out)
{
    bool any = false;
    for (enum element_type type = 0; type < TYPE_COUNT; type++) {
        if (!export->printed[type])
            continue;
        if (!any)
            text_append(out, "static const size_t SHOWN = 16; /* of a buffer's elements */\n\n");
        any = true;
        text_format(out, "static void print_value(%s value)\n{\n    printf(%s);\n}\n\n", c_type(type),
                    print_format(type));
    }
    if (any)
        text_append(out, printing);
}

static void append_writing(const struct c_export *export, struct text *out)
{
    for (enum element_type type = 0; type < TYPE_COUNT; type++) {
        if (!export->written[type])
            continue;
        text_format(out,
                    "/* The host's own input, as kernel A makes its. */\n"
                    "static void write_input(%s *out, size_t count, size_t turn)\n{\n"
                    "    for (size_t i = 0; i < count; i++)\n        out[i] = ",
                    c_type(type));
        c_element(type, "count * turn + i + 1", out);
        text_append(out, ";\n}\n\n");
    }
}

/* Whether an earlier communicator that is used is on the same GPUs. */
static bool has_same_gpus(const struct c_export *export, uint32_t communicator)
{
    const struct program *program = export->program;
    for (uint32_t earlier = 0; earlier < communicator; earlier++) {
        bool same = export->uses_communicator[earlier];
        for (uint32_t rank = 0; rank < program->rank_count; rank++)
            same = same &&
                   communicator_gpu(program, earlier, rank) == communicator_gpu(program, communicator, rank);
        if (same)
            return true;
    }
    return false;
}

static void append_gpus(const struct c_export *export, struct text *out)
{
    text_append(out, "/* On which GPU of the schedule each rank is, in each communicator. */\n"
                     "static const int gpus[][RANKS] = {\n");
    for (uint32_t i = 0; i < export->program->communicator_count; i++) {
        if (!export->uses_communicator[i] || has_same_gpus(export, i))
            continue;
        for (uint32_t rank = 0; rank < rank_count(export); rank++)
            text_format(out, rank > 0 ? ", %u" : "    {%u", communicator_gpu(export->program, i, rank));
        text_append(out, "},\n");
    }
    text_append(out, "};\n\n");
}

static void append_nccl(const struct c_export *export, struct text *out)
{
    append_gpus(export, out);
    text_append(out, preparing);
    if (export->collects)
        text_append(
            out,
            "    SYSTEM(setenv(\"NCCL_RUNTIME_CONNECT\", \"0\", 1)); /* collectives: all at once, now */\n");
    text_append(out, "}\n\n");
    if (export->transfers)
        text_append(out, connecting);
}

void c_write_helpers(const struct c_export *export, struct text *out)
{
    text_append(out, checks);
    if (export->communicates)
        text_append(out, nccl_check);
    if (export->meets)
        text_append(out, pthread_check);
    if (export->asks)
        text_append(out, asking);
    append_macros(export, out);
    if (export->allocates)
        text_append(out, allocating);
    text_append(out, numbering);
    if (export->reaches)
        text_append(out, reaching);
    if (export->communicates)
        append_nccl(export, out);
    append_printing(export, out);
    append_writing(export, out);
    if (export->delays)
        text_append(out, delaying);
    if (export->adds_to_bytes)
        text_append(out, adding_to_bytes);
}

static void append_ids(const struct c_export *export, struct text *out)
{
    bool several = export->communicator_count > 1;
    text_append(out, several ? "    ncclUniqueId ids[COMMUNICATORS];\n" : "    ncclUniqueId id;\n");
    text_append(out, "    prepare_nccl();\n"
                     "    if (rank == 0) {\n");
    if (several)
        text_append(out, "        for (int i = 0; i < COMMUNICATORS; i++)\n"
                         "            NCCL(ncclGetUniqueId(&ids[i]));\n");
    else
        text_append(out, "        NCCL(ncclGetUniqueId(&id));\n");
    const char *whole = several ? "ids, sizeof ids" : "&id, sizeof id";
    text_format(out,
                "        for (int other = 1; other < RANKS; other++)\n"
                "            SYSTEM(write(pipe_ends[1], %s));\n"
                "    } else {\n"
                "        SYSTEM(read(pipe_ends[0], %s));\n"
                "    }\n",
                whole, whole);
}

static void append_process(const struct c_export *export, struct text *out)
{
    text_format(out,
                "/* What the process of a rank does. */\n"
                "static void run_rank(%s)\n"
                "{\n"
                "    SYSTEM(prctl(PR_SET_PDEATHSIG, SIGKILL)); /* not to outlive the first process */\n"
                "    alarm(PATIENCE_SECONDS); /* ends a rank that hangs */\n"
                "    setvbuf(stdout, NULL, _IOLBF, 0); /* ranks print whole lines */\n"
                "    SYSTEM(setenv(\"CUDA_MODULE_LOADING\", \"EAGER\", 1)); /* no launch waits for its "
                "kernel to load */\n",
                export->communicates ? "const int *pipe_ends" : "void");
    const char *argument = "";
    if (export->communicates) {
        append_ids(export, out);
        argument = export->communicator_count > 1 ? "ids" : "id";
    }
    text_append(out, "    switch (rank) {\n");
    for (uint32_t i = 0; i < rank_count(export); i++)
        text_format(out, "    case %u:\n        rank_%u(%s);\n        break;\n", i, i, argument);
    text_append(out, "    }\n    SYSTEM(fflush(stdout));\n    exit(EXIT_SUCCESS);\n}\n\n");
}

static const char waiting[] =
    "/* Waits for every rank. Where one fails, says so and ends the others. */\n"
    "static int wait_for_ranks(pid_t *ranks)\n"
    "{\n"
    "    int exit_status = EXIT_SUCCESS;\n"
    "    for (int left = RANKS; left > 0; left--) {\n"
    "        int status;\n"
    "        pid_t ended = wait(&status);\n"
    "        SYSTEM(ended);\n"
    "        for (int i = 0; i < RANKS; i++) {\n"
    "            if (ranks[i] != ended && ranks[i] != 0 && status != 0)\n"
    "                kill(ranks[i], SIGKILL);\n"
    "            if (ranks[i] == ended && WIFSIGNALED(status) && exit_status == EXIT_SUCCESS)\n"
    "                fprintf(stderr, \"rank %d: %s\\n\", i, strsignal(WTERMSIG(status)));\n"
    "            if (ranks[i] == ended)\n"
    "                ranks[i] = 0;\n"
    "        }\n"
    "        if (status != 0)\n"
    "            exit_status = EXIT_FAILURE;\n"
    "    }\n"
    "    return exit_status;\n"
    "}\n"
    "\n";

void c_write_main(const struct c_export *export, struct text *out)
{
    append_process(export, out);
    text_append(out, waiting);
    text_append(out, "int main(void)\n{\n    pid_t ranks[RANKS];\n");
    if (export->communicates)
        text_append(
            out, "    int pipe_ends[2]; /* rank 0 makes the ids of communicators, and tells the others */\n"
                 "    SYSTEM(pipe(pipe_ends));\n");
    if (export->meets)
        text_append(out,
                    "    barrier = (pthread_barrier_t *)mmap(NULL, sizeof *barrier, PROT_READ | PROT_WRITE,\n"
                    "                                        MAP_SHARED | MAP_ANONYMOUS, -1, 0);\n"
                    "    SYSTEM(barrier == MAP_FAILED ? -1 : 0);\n"
                    "    pthread_barrierattr_t shared;\n"
                    "    PTHREAD(pthread_barrierattr_init(&shared));\n"
                    "    PTHREAD(pthread_barrierattr_setpshared(&shared, PTHREAD_PROCESS_SHARED));\n"
                    "    PTHREAD(pthread_barrier_init(barrier, &shared, RANKS));\n");
    text_format(out,
                "    /* Before any call of CUDA: what it has set up does not pass through a fork. */\n"
                "    for (int i = 0; i < RANKS; i++) {\n"
                "        ranks[i] = fork();\n"
                "        SYSTEM(ranks[i]);\n"
                "        if (ranks[i] == 0) {\n"
                "            rank = i;\n"
                "            run_rank(%s);\n"
                "        }\n"
                "    }\n"
                "    return wait_for_ranks(ranks);\n"
                "}\n",
                export->communicates ? "pipe_ends" : "");
}
