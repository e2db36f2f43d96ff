# shellcheck shell=sh
# What building and testing need, and how it is installed where it is missing. Sourced by start.sh and test.sh.
# Everything said here goes to standard error: standard output belongs to the program.

missing=''
missing_reasons=''

say() {
    printf '%s\n' "$*" >&2
}

# need PACKAGES REASON CHECK...: the packages are missing where the command CHECK fails.
need() {
    need_packages=$1
    need_reason=$2
    shift 2
    if ! "$@" >/dev/null 2>&1; then
        missing="$missing $need_packages"
        missing_reasons="$missing_reasons$(printf '  %-34s %s' "$need_packages" "$need_reason")
"
    fi
}

compiler_works() {
    echo '#include <stdio.h>' | "${CC:-cc}" -E -x c -
}

has_clang_sanitizers() {
    [ -e "$(clang-14 -print-file-name=libclang_rt.fuzzer-x86_64.a)" ] ||
        [ -e "$(clang-14 -print-file-name=libclang_rt.fuzzer-aarch64.a)" ]
}

need_for_build() {
    need 'gcc libc6-dev' 'the C compiler and its headers' compiler_works
    need 'meson' 'configures the build' command -v meson
    need 'ninja-build' 'builds' command -v ninja
    need 'pkgconf' 'finds the libraries' command -v pkg-config
    need 'libncurses-dev' 'draws the screen' pkg-config --exists ncursesw
    need 'libmd4c-dev' 'reads the lessons' pkg-config --exists md4c
    need 'libjansson-dev' 'reads and writes JSON' pkg-config --exists jansson
}

need_for_quick_tests() {
    need 'libcmocka-dev' 'unit tests' pkg-config --exists cmocka
    need 'python3-pyte' 'a terminal to test the screen on' /usr/bin/python3 -c 'import pyte'
}

# The version of clang's tools is fixed: another formats and warns differently.
need_for_all_tests() {
    need_for_quick_tests
    need 'clang-14' 'a second compiler, sanitizers' command -v clang-14
    need 'libclang-rt-14-dev' 'sanitizers and fuzzing' has_clang_sanitizers
    need 'clang-format-14' 'checks the layout of the code' command -v clang-format-14
    need 'clang-tidy-14' 'checks the code' command -v clang-tidy-14
    need 'cppcheck' 'checks the code' command -v cppcheck
    need 'shellcheck' 'checks the scripts' command -v shellcheck
}

# with_log COMMAND...: runs it with its output in a file, which is shown where the command fails.
with_log() {
    log=$(mktemp)
    if "$@" </dev/null >"$log" 2>&1; then
        rm -f "$log"
    else
        tail -n 40 "$log" >&2
        rm -f "$log"
        return 1
    fi
}

apt() {
    with_log "$@" update || say 'The lists of packages could not be brought up to date; trying with those that are here.'
    # shellcheck disable=SC2086 # one word a package
    with_log "$@" install --yes --no-install-recommends $missing
}

# Installs what `need` found missing. Calls apt-get only where something is.
install_missing() {
    [ -n "$missing" ] || return 0
    say 'Missing here:'
    printf '%s' "$missing_reasons" >&2
    if ! command -v apt-get >/dev/null 2>&1; then
        say 'This is neither Debian nor Ubuntu. Install these packages, or what they are called here, and start again.'
        return 1
    fi
    if [ "$(id -u)" -eq 0 ]; then
        set -- env
    elif command -v sudo >/dev/null 2>&1 && sudo true; then
        set -- sudo env
    else
        say "Installing them needs root or sudo. As root: apt-get install$missing"
        return 1
    fi
    say 'Installing them with apt-get ...'
    apt "$@" DEBIAN_FRONTEND=noninteractive apt-get --quiet -o DPkg::Lock::Timeout=300
}

# configure FOLDER OPTION...: once; an interrupted configuration is done again.
configure() {
    configure_folder=$1
    shift
    if [ -f "$configure_folder/build.ninja" ]; then
        return 0
    elif [ -f "$configure_folder/meson-private/coredata.dat" ]; then
        with_log meson setup --reconfigure "$@" "$configure_folder"
    else
        with_log meson setup "$@" "$configure_folder"
    fi
}
