#!/bin/sh
# usage: pack.sh BUILD FOLDER
# Puts what suite.sh needs into FOLDER, to be run on another machine: the program, the backend, the tests, lessons and
# schedules, and the libraries that a machine for GPU work may lack. CUDA's driver and NCCL have to be there.
set -eu
build=$1
folder=$2
source=$(cd "$(dirname "$0")/../.." && pwd)

mkdir -p "$folder/src/device/cuda" "$folder/libraries"
cp "$build/handoff" "$build/tests/gpu/conform" "$folder/"
cp "$build/src/device/cuda/handoff-cuda.so" "$folder/src/device/cuda/"
rm -rf "$folder/lessons" "$folder/cases" "$folder/cases-more" "$folder/schedules"
cp -r "$source/lessons" "$folder/lessons"
cp -r "$source/tests/cases" "$source/tests/cases-more" "$folder/"
cp -r "$source/tests/gpu/schedules" "$folder/schedules"
cp "$source/tests/gpu/suite.sh" "$source/tests/gpu/walk.py" "$folder/"
ldd "$build/handoff" | awk '/ncurses|tinfo|md4c|jansson/ { print $3 }' | while read -r library; do
    cp -L "$library" "$folder/libraries/"
done
python3 "$source/tests/gpu/export.py" pack "$build/handoff" "$folder/export"
cp "$source/tests/gpu/export.py" "$folder/"
