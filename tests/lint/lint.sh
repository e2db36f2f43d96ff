#!/bin/sh
# usage: lint.sh TOOL SOURCE BUILD
# Runs one tool over the sources. The version of clang's tools is fixed: another formats and warns differently.
set -eu
tool=$1
source=$2
build=$3
cd "$source"

skip_without() {
    command -v "$1" >/dev/null || {
        echo "$1 is not installed"
        exit 77
    }
}

case $tool in
clang-format)
    skip_without clang-format-14
    find . \( -path './build*' -o -path './.?*' \) -prune -o \( -name '*.[ch]' -o -name '*.cu' \) -exec clang-format-14 --dry-run --Werror {} +
    ;;
clang-tidy)
    skip_without run-clang-tidy-14
    # The compilers of the build take warning flags that clang's tools don't know.
    run-clang-tidy-14 -quiet -p "$build" -j "$(nproc)" -extra-arg=-Wno-unknown-warning-option '/src/' 2>/dev/null
    ;;
cppcheck)
    skip_without cppcheck
    # Left out: what clang-tidy finds too, but with fewer mistakes (uninitvar, duplicateExpression), what is wrong about
    # the difference of two pointers (knownConditionTrueFalse) and of raise() (unreachableCode), and an empty loop's `continue`.
    cppcheck --quiet --error-exitcode=1 --std=c11 --enable=warning,performance,portability,style \
        --suppress=uninitvar --suppress=duplicateExpression --suppress=knownConditionTrueFalse \
        --suppress=redundantContinue --suppress=unreachableCode -j "$(nproc)" -I src src
    ;;
shellcheck)
    skip_without shellcheck
    shellcheck --external-sources --shell=bash scripts/completions/handoff.bash
    shellcheck --external-sources .ci/run scripts/*.sh tests/fuzz/*.sh tests/lint/*.sh
    shellcheck --severity=warning tests/gpu/*.sh
    ;;
esac
