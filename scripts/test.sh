#!/bin/sh
# Runs every test that needs no GPU, and ends with one line "N passed, N failed". Installs what is missing first.
# usage: sh scripts/test.sh [--quick]
#   --quick   the unit, command and screen tests alone
# With CI set a compiler warning is an error.
set -eu
script=$(readlink -f -- "$0")
cd "${script%/scripts/*}"
# shellcheck source=scripts/dependencies.sh
. scripts/dependencies.sh

quick=false
case "$#:${1-}" in
0:) ;;
1:--quick) quick=true ;;
*)
    say 'usage: sh scripts/test.sh [--quick]'
    exit 2
    ;;
esac

logs=''
builds_failed=0
werror=$([ -n "${CI-}" ] && echo true || echo false)

# build FOLDER OPTION...: configures it once, and builds.
build() {
    folder=$1
    shift
    say "Building $folder ..."
    # A build that start.sh configured may be without the tests.
    configure "$folder" -Dtests=enabled "-Dwerror=$werror" "$@" &&
        with_log meson configure "$folder" -Dtests=enabled &&
        with_log ninja -C "$folder"
}

# run FOLDER MESON-TEST-ARGUMENT...: runs tests; what fails is shown.
run() {
    folder=$1
    shift
    rm -f "$folder/meson-logs/tests.json"
    meson test -C "$folder" --no-rebuild --print-errorlogs --logbase tests "$@" </dev/null || true
    logs="$logs $folder/meson-logs/tests.json"
}

need_for_build
if $quick; then need_for_quick_tests; else need_for_all_tests; fi
if ! install_missing; then
    echo '0 passed, 1 failed' # python may be what is missing
    exit 1
fi

if ! build build; then
    builds_failed=$((builds_failed + 1))
elif $quick; then
    run build --suite unit --suite command --suite screen
else
    run build --no-suite gpu
fi
if ! $quick; then
    if CC=clang-14 build build-sanitize -Db_sanitize=address,undefined -Db_lundef=false -Dfuzz=true; then
        run build-sanitize --suite unit --suite command --suite fuzz
    else
        builds_failed=$((builds_failed + 1))
    fi
fi

# shellcheck disable=SC2086 # one word a log
exec python3 scripts/count.py "$builds_failed" $logs
