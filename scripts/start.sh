#!/bin/sh
# Opens handoff, with the arguments given. Installs what the build needs and builds first, where that is not done.
set -eu
script=$(readlink -f -- "$0")
root=${script%/scripts/*}
build=$root/build
stamp=$build/started

# The stamp holds where the tree was when it was built, and is as old as the build.
built() {
    [ -x "$build/handoff" ] && [ -f "$stamp" ] && read -r built_at <"$stamp" && [ "$built_at" = "$root" ] &&
        [ -z "$(find "$root/src" "$root/kernels" "$root/meson.build" "$root/meson_options.txt" \
            -newer "$stamp" -print 2>/dev/null | head -n 1)" ]
}

build() {
    # shellcheck source=scripts/dependencies.sh
    . "$root/scripts/dependencies.sh"
    if [ -f "$stamp" ] && read -r built_at <"$stamp" && [ "$built_at" != "$root" ]; then
        rm -rf "$build" # it knows its old place by name
    fi
    if [ ! -f "$build/build.ninja" ]; then
        need_for_build
        install_missing
    fi
    [ -x "$build/handoff" ] || say 'Building handoff; the next start is immediate.'
    cd "$root"
    configure build
    touch build/starting
    with_log ninja -C build program
    printf '%s\n' "$root" >build/starting.path
    touch -r build/starting build/starting.path
    mv build/starting.path "$stamp"
    rm -f build/starting
}

built || (build)
exec "$build/handoff" "$@"
