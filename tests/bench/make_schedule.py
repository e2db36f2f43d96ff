#!/usr/bin/env python3
"""Writes a schedule of any size that is free of hazards: every transfer has its match, every order its event.

usage: make_schedule.py OPERATIONS [--ranks N] [--streams N] [--hazards N]

Each rank owns STREAMS / RANKS streams. In turn, each of them fills a buffer, passes it on round the ring of ranks in a
group with what comes in, works on that, and adds it to its neighbour's total behind an event, which waits in turn
before the buffer is written again. With --hazards that many of the first waits are left out: a race each.
"""
import argparse
import sys

OPERATIONS_A_TURN = 9


def turn(write, rank, ranks, stream, streams, hazard):
    beside = (stream + 1) % streams
    write(f"  launch fill -> out{stream} on s{stream}\n"
          "  group\n"
          f"    send out{stream} to {(rank + 1) % ranks} on s{stream}\n"
          f"    recv in{stream} from {(rank - 1) % ranks} on s{stream}\n"
          "  end\n"
          f"  launch use in{stream} -> sum{stream} on s{stream}\n"
          f"  record ready{stream} on s{stream}\n"
          + ("  launch idle on s0\n" if hazard else f"  wait ready{stream} on s{beside}\n") +
          f"  launch add sum{stream} total{beside} -> total{beside} on s{beside}\n"
          f"  record used{stream} on s{beside}\n"
          f"  wait used{stream} on s{stream}\n")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("operations", type=int)
    parser.add_argument("--ranks", type=int, default=8)
    parser.add_argument("--streams", type=int, default=64)
    parser.add_argument("--hazards", type=int, default=0)
    options = parser.parse_args()
    ranks = options.ranks
    streams = max(2, options.streams // ranks)
    turns, rest = divmod(options.operations, OPERATIONS_A_TURN * ranks)
    write = sys.stdout.write
    for rank in range(ranks):
        write(f"rank {rank}\n")
        for stream in range(streams):
            write(f"  stream s{stream} nonblocking\n")
            for name in ("out", "in", "sum", "total"):
                write(f"  buffer {name}{stream} float32[4]\n")
            write(f"  launch zero -> total{stream} on s{stream}\n")
        for number in range(turns):
            hazard = rank == 0 and number < options.hazards
            turn(write, rank, ranks, number % streams, streams, hazard)
    for _ in range(rest - ranks * streams):
        write("  launch idle on s0\n")


if __name__ == "__main__":
    main()
