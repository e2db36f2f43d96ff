#!/bin/sh
# usage: figures.sh BUILD [FOLDER]
# Makes the figures of README.md with the program of a build tree, in docs/figures or in FOLDER: the same every time.
set -eu
here=$(cd "$(dirname "$0")/.." && pwd)
handoff=$1/handoff
folder=${2:-$here/docs/figures}
HANDOFF_LESSONS=$here/lessons
export HANDOFF_LESSONS

mkdir -p "$folder"
"$handoff" export svg overlap -o "$folder/overlap.svg"
"$handoff" export svg overlap --beside one-stream -o "$folder/overlap-and-one-stream.svg"
"$handoff" export cast overlap --steps 4-6 -o "$folder/overlap.cast"
