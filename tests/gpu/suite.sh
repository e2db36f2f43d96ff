#!/bin/bash
# usage: suite.sh PART ...
# What is run on a machine with GPUs, out of a folder that pack.sh made. Parts: look, first, conform, busy, rest, faults, walk,
# wrong, large, early, sanitize, bench, exported. With more than one GPU, set GPUS to a list such as 0,1 or 1,0.
# shellcheck disable=SC2317,SC2086,SC2009,SC2010
set -u
here=$(cd "$(dirname "$0")" && pwd)
export HANDOFF_LESSONS=$here/lessons HANDOFF_CUDA_MODULE=$here/src/device/cuda/handoff-cuda.so TERM=dumb LC_ALL=C.UTF-8
nccl=$(python3 -c 'import nvidia.nccl; print(list(nvidia.nccl.__path__)[0] + "/lib")' 2>/dev/null)
export LD_LIBRARY_PATH=$here/libraries:${nccl:+$nccl:}${LD_LIBRARY_PATH:-}
handoff=$here/handoff
gpus=${GPUS:+--gpus $GPUS}
failed=0

check() { # check NAME COMMAND ...: says whether it succeeded
    name=$1
    shift
    if "$@" >"/tmp/suite.$$" 2>&1; then echo "ok   $name"; else
        echo "FAIL $name (status $?)"
        tail -25 "/tmp/suite.$$"
        failed=$((failed + 1))
    fi
}

not() { ! "$@"; }

left_behind() { # processes on the GPU, and shared memory of NCCL
    sleep 1
    nvidia-smi --query-compute-apps=pid,used_memory --format=csv,noheader
    find /dev/shm -name '*nccl*'
    pgrep -x handoff
}

look() {
    nvidia-smi --query-gpu=name,driver_version,memory.total,memory.used,compute_mode --format=csv
    nvidia-smi topo -m | head -12
    ldd "$HANDOFF_CUDA_MODULE" | grep -E 'cuda|nccl|not found'
    "$handoff" doctor $gpus | tail -8
}

first() {
    time timeout 60 "$handoff" run overlap --backend cuda $gpus
    timeout 60 "$handoff" run overlap --backend cuda --json $gpus | head -c 1500
    echo
    timeout 120 "$here/conform" ${GPUS:+--gpus $GPUS} "$here/lessons/5-overlap.md" "$here/schedules/types.schedule"
}

conform() { # SHARDS at a time (4), each for LIMIT seconds at most (500), of the files whose names match ONLY (all)
    shards=${SHARDS:-4}
    files=$(ls "$here"/lessons/*.md "$here"/cases/*.schedule "$here"/cases-more/*.schedule "$here"/schedules/*.schedule |
        grep -E "${ONLY:-.}")
    for shard in $(seq 0 $((shards - 1))); do
        timeout "${LIMIT:-500}" "$here/conform" ${GPUS:+--gpus $GPUS} --shard "$shard/$shards" $files \
            >"/tmp/conform.$shard" 2>&1 || echo "shard $shard: status $?" >>"/tmp/conform.$shard" &
    done
    wait
    cat /tmp/conform.? >"${OUT:-/tmp}/conform.txt"
    grep -v '^ok' /tmp/conform.?
}

busy() { # AT_ONCE (3) at a time for LIMIT seconds (60), 8 ranks each: reports come late, and the log's order is right
    rm -f /tmp/busy.?
    files=$(yes "$here/cases-more/exchange-by-pairs-8.schedule" | head -50)
    for number in $(seq "${AT_ONCE:-3}"); do
        timeout "${LIMIT:-60}" "$here/conform" ${GPUS:+--gpus $GPUS} $files >"/tmp/busy.$number" 2>&1 &
    done
    wait
    cat /tmp/busy.? | grep '^FAIL' && failed=$((failed + 1))
    cat /tmp/busy.? | grep -c '^ok' || failed=$((failed + 1))
}

rest() { # the clocks of host and GPU drift apart: the times still agree when a person read for a while
    "$here/conform" ${GPUS:+--gpus $GPUS} --rest "${REST:-30}" --shard 0/3 "$here/lessons/5-overlap.md"
}

kill_one() { # a worker killed while its peer waits: the other aborts, the run ends, nothing is left
    timeout 60 "$handoff" run "$here/schedules/waits-for-ever.schedule" --backend cuda $gpus >/tmp/killed 2>&1 &
    launcher=$!
    for _ in $(seq 100); do
        workers=$(pgrep -x -P "$(pgrep -x -P $launcher handoff)" handoff | wc -l)
        [ "$workers" -eq 2 ] && break
        sleep 0.05
    done
    sleep 1.2
    kill -9 "$(pgrep -x -P "$(pgrep -x -P $launcher handoff)" handoff | head -1)"
    wait $launcher
    status=$?
    tail -20 /tmp/killed
    [ $status -eq 1 ] && grep -q 'signal 9' /tmp/killed
}

faults() {
    before=$(left_behind)
    timeout 60 "$handoff" run "$here/schedules/waits-for-ever.schedule" --backend cuda $gpus
    echo "status $? (1 is right: stuck)"
    timeout 60 "$handoff" run "$here/schedules/large-send-first.schedule" --backend cuda --quiet $gpus
    echo "status $? (1 is right: stuck)"
    check "a killed worker ends the run" kill_one
    timeout 60 "$handoff" run "$here/schedules/waits-unheard.schedule" --backend cuda --quiet $gpus >/tmp/unheard 2>&1
    check "workers that no call holds leave by themselves" not grep 'did not leave' /tmp/unheard
    after=$(left_behind)
    check "nothing is left behind" test "$before" = "$after"
}

sanitize() {
    time timeout 300 compute-sanitizer --tool memcheck --report-api-errors no --target-processes all --error-exitcode 9 "$here/conform" \
        ${GPUS:+--gpus $GPUS} --shard 0/3 "$here/lessons/5-overlap.md" | tail -30
}

walk() { # in full screen; the bytes come back to be looked at
    python3 "$here/walk.py" "$handoff" overlap "${OUT:-/tmp}/walk.raw"
    python3 "$here/walk.py" "$handoff" "$here/schedules/waits-for-ever.schedule" "${OUT:-/tmp}/stuck.raw" nnnnRnnq
}

wrong() { # what the broken variants come to
    for one in "overlap no-wait" "reuse early-a" "order apart" "finish early-read" "buffers count-mismatch" "buffers type-mismatch"; do
        set -- $one
        echo "-- $one"
        timeout 60 "$handoff" run "$1" --variant "$2" --backend cuda $gpus | sed -n '/^buffers/,$p'
    done
}

large() { # what differs in a buffer that is not shown whole
    timeout 60 "$handoff" run "$here/schedules/large-reuse.schedule" --variant early --backend cuda $gpus | grep -E 'expected|finished'
}

early() { # whether a send without its receive finishes by itself, by size
    for count in 4 1024 65536 262144 1048576 4194304 16777216; do
        cat >/tmp/early.schedule <<SCHEDULE
rank 0
  buffer x float32[$count]
  stream s
  launch A -> x on s
  send x to 1 on s
  sync s
rank 1
  buffer x float32[$count]
  stream s
SCHEDULE
        echo "$((4 * count)) bytes: $(timeout 60 "$handoff" run /tmp/early.schedule --backend cuda --quiet $gpus 2>&1 | tail -1)"
    done
}

bench() {
    timeout 400 "$handoff" bench $gpus | tee "${OUT:-/tmp}/bench.txt"
}

exported() { # the programs of `handoff export c` whose names match ONLY (all) print what the walk shows
    timeout "${LIMIT:-500}" python3 "$here/export.py" run "$here/export" "${ONLY:-.}" >"${OUT:-/tmp}/exported.txt" ||
        failed=$((failed + 1))
    grep -v '^ok' "${OUT:-/tmp}/exported.txt"
    grep -c '^ok' "${OUT:-/tmp}/exported.txt"
}

for part in "$@"; do
    echo "== $part"
    "$part"
done
exit $failed
