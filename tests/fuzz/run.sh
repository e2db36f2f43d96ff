#!/bin/sh
# usage: run.sh TARGET SEEDS
# Fuzzes for 20 seconds from the seeds. What it finds on the way is thrown away, except an input that breaks something.
set -eu
found=$(mktemp -d)
trap 'rm -rf "$found"' EXIT
mkdir "$found/corpus"
if ! "$1" -max_total_time=20 -timeout=5 -rss_limit_mb=1024 -verbosity=0 -artifact_prefix="$found/" "$found/corpus" "$2"; then
    for input in "$found"/*-*; do
        echo "$(basename "$input"), in base64:"
        base64 "$input"
    done
    exit 1
fi
