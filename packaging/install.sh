#!/bin/sh
# Installs jsift from the archive of a release, after comparing its checksum:
#
#   sh install.sh                       into ~/.local
#   PREFIX=/usr/local sh install.sh     elsewhere
#
# JSIFT_VERSION names another release than the one this script belongs to, JSIFT_DOWNLOAD another place that holds
# archives: a URL or, with curl, file:///FOLDER.
set -eu

# All of it is read before anything is run: a download that was cut does nothing.
main() {
    version=${JSIFT_VERSION:-0.1.0}
    version=${version#v}
    place=${JSIFT_DOWNLOAD:-https://github.com/jsift/jsift/releases/download/v$version}
    prefix=${PREFIX:-$HOME/.local}
    target=$(target)
    name=jsift-v$version-$target
    program=jsift
    case $target in *windows*) program=jsift.exe ;; esac
    work=$(mktemp -d)
    trap 'rm -rf "$work"' EXIT
    trap 'exit 1' HUP INT TERM

    fetch "$place/$name.tar.gz" "$work/$name.tar.gz"
    fetch "$place/$name.tar.gz.sha256" "$work/expected"
    read -r expected _ <"$work/expected" || true
    found=$(checksum "$work/$name.tar.gz")
    [ "$found" = "$expected" ] || fail "the checksum of $name.tar.gz is $found, not ${expected:-there}"

    tar -xzf "$work/$name.tar.gz" -C "$work"
    mkdir -p "$prefix/bin" "$prefix/share/man/man1" "$prefix/share/man/man7"
    # Next to it first: a jsift that runs cannot be written to, but replaced.
    cp "$work/$name/$program" "$prefix/bin/.new-$program"
    mv -f "$prefix/bin/.new-$program" "$prefix/bin/$program"
    cp "$work/$name"/man/*.1 "$prefix/share/man/man1"
    cp "$work/$name"/man/*.7 "$prefix/share/man/man7"
    completions jsift.bash bash-completion/completions/jsift
    completions _jsift zsh/site-functions/_jsift
    completions jsift.fish fish/vendor_completions.d/jsift.fish

    echo "installed $("$prefix/bin/$program" --version) in $prefix/bin"
    echo "manual pages and completions for bash, zsh and fish are in $prefix/share; \`jsift --generate\` prints others"
    case :$PATH: in
    *":$prefix/bin:"*) ;;
    *)
        # The next steps of a job on GitHub find it.
        if [ -n "${GITHUB_PATH:-}" ]; then
            echo "$prefix/bin" >>"$GITHUB_PATH"
        else
            echo "$prefix/bin is not in PATH; add it: export PATH=\"$prefix/bin:\$PATH\""
        fi
        ;;
    esac
}

# Installs completions FILE as PLACE.
completions() {
    mkdir -p "$prefix/share/${2%/*}"
    cp "$work/$name/completions/$1" "$prefix/share/$2"
}

fail() {
    echo "install.sh: $*" >&2
    exit 1
}

# The target that this machine can run.
target() {
    case $(uname -m) in
    x86_64 | amd64) processor=x86_64 ;;
    aarch64 | arm64) processor=aarch64 ;;
    *) fail "there is no archive for $(uname -m); try: cargo install jsift" ;;
    esac
    case $(uname -s) in
    Linux) echo "$processor-unknown-linux-musl" ;;
    MINGW* | MSYS*) echo "$processor-pc-windows-msvc" ;;
    Darwin) echo "$processor-apple-darwin" ;;
    *) fail "there is no archive for $(uname -s); try: cargo install jsift" ;;
    esac
}

# Gets URL into FILE.
fetch() {
    if command -v curl >/dev/null; then
        curl --fail --silent --show-error --location --retry 3 --output "$2" "$1"
    elif command -v wget >/dev/null; then
        wget -q -O "$2" "$1"
    else
        fail "neither curl nor wget is here"
    fi || fail "cannot get $1"
}

checksum() {
    if command -v sha256sum >/dev/null; then
        sha256sum "$1"
    else
        shasum -a 256 "$1"
    fi | cut -d ' ' -f 1
}

main
