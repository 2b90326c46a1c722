#!/bin/bash
# dist-proof.sh VERSION FOLDER: installs, upgrades, removes and purges the packages of `cargo xtask dist` in roots of their own,
# runs every program, and compares what it says of made images. Ends with a line that counts. Needs root.
set -euo pipefail
version=$1 folder=$(realpath "$2")
work=$(mktemp -d)
mounted=()
server=
finish() {
    [ -z "$server" ] || kill "$server" 2>/dev/null || true
    for one in "${mounted[@]}"; do umount "$one"; done
    rm -rf "$work"
}
trap finish EXIT
passed=0
proves() {
    passed=$((passed + 1))
    echo "ok: $*"
}
fail() {
    echo "dist-proof: $*" >&2
    exit 1
}

(cd "$folder" && sha256sum --quiet --check SHA256SUMS)
proves "hashes"

# .deb, in a Debian of its own: an earlier version first, and nothing stays after a purge.
deb=$folder/ioalign_$version-1_amd64.deb
root=$work/debian
debootstrap --variant=minbase bookworm "$root" >"$work/debootstrap" 2>&1 || { tail -3 "$work/debootstrap" >&2; fail "no Debian could be made"; }
mount -t proc proc "$root/proc"
mounted+=("$root/proc")
# What `serve` shows is this machine's, read only.
mount -t sysfs -o ro sysfs "$root/sys"
mounted+=("$root/sys")
dpkg-deb -R "$deb" "$work/earlier"
sed -i 's/^Version: .*/Version: 0.0.9-1/' "$work/earlier/DEBIAN/control"
dpkg-deb --root-owner-group -Znone -b "$work/earlier" "$root/earlier.deb" >/dev/null
cp "$deb" "$root/ioalign.deb"
listing() { (cd "$root" && find . -xdev ! -path './var/*' ! -path './proc/*' ! -path './ioalign*' ! -path './earlier*' | sort); }
listing >"$work/before"
inside() { chroot "$root" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin "$@"; }
inside dpkg -i /earlier.deb >/dev/null
inside dpkg -i /ioalign.deb >/dev/null
# shellcheck disable=SC2016 # fields of dpkg
[ "$(inside dpkg-query -Wf '${Version} ${Status}' ioalign)" = "$version-1 install ok installed" ] || fail "dpkg has another version"
inside dpkg --verify ioalign
inside ioalign --version | grep -q "^ioalign $version" || fail "the program of the .deb has another version"
truncate -s 64M "$root/disk"
printf 'label: dos\nstart=63\n' | sfdisk -q "$root/disk"
code=0
inside ioalign check /disk >"$work/said" || code=$?
[ $code = 1 ] || { cat "$work/said" >&2; fail "a partition at sector 63 has exit code $code"; }
rm "$root/disk"
inside ioalign demo --keep /demo >"$work/said" || { tail -5 "$work/said" >&2; fail "the demo fails"; }
[ -s "$root/demo/report.html" ] || fail "the demo leaves no report"
rm -r "$root/demo"
# Without a shell between: the signal is for the server.
chroot "$root" env -i PATH=/usr/bin:/bin ioalign serve --listen 127.0.0.1:0 --json >"$work/url" 2>"$work/said" &
server=$!
for _ in $(seq 100); do
    [ -s "$work/url" ] && break
    sleep 0.1
done
url=$(sed -n 's/.*"url":"\([^"]*\)".*/\1/p' "$work/url")
curl -sSf "$url" | grep -q '<title>' || { cat "$work/said" >&2; fail "the pages are not served"; }
# A shell lets what it starts in the background ignore an interrupt.
kill -TERM "$server"
wait "$server" || fail "the server ends with $?"
server=
zcat "$root/usr/share/man/man1/ioalign-check.1.gz" | man --warnings -l - 2>"$work/said" | grep -q SYNOPSIS || fail "a man page cannot be shown"
[ ! -s "$work/said" ] || { cat "$work/said" >&2; fail "a man page has errors"; }
# shellcheck disable=SC2016 # for the other shell
completed=$(inside bash -c '. /usr/share/bash-completion/completions/ioalign
    COMP_WORDS=(ioalign che) COMP_CWORD=1
    _ioalign ioalign che ioalign
    echo "${COMPREPLY[*]}"')
[ "$completed" = check ] || fail "bash completes \`ioalign che\` to \`$completed\`"
inside dpkg -r ioalign >/dev/null
inside dpkg -P ioalign >/dev/null 2>&1
listing >"$work/after"
diff "$work/before" "$work/after" >&2 || fail "the .deb leaves files behind"
proves "deb: installed, upgraded, run, demo, pages served, man page, completion, removed, purged"
lintian --fail-on error,warning --allow-root "$deb" >&2 || fail "lintian complains"
proves "deb: lintian"

# .rpm, into an empty root.
rpm=$folder/ioalign-$version-1.x86_64.rpm
mkdir "$work/rpm"
database() { rpm --root "$work/rpm" --dbpath /var/lib/rpm "$@"; }
database --initdb
database -i --nosignature --nodeps "$rpm"
database -V --nodeps ioalign || fail "rpm finds other files"
chroot "$work/rpm" /usr/bin/ioalign --version | grep -q "^ioalign $version" || fail "the program of the .rpm does not run"
database -e --nodeps ioalign
[ -z "$(find "$work/rpm" -name 'ioalign*')" ] || fail "the .rpm leaves files behind"
diff <(dpkg-deb --fsys-tarfile "$deb" | tar -t | grep -c man1/.) <(rpm -qlp --nosignature "$rpm" | grep -c man1/.) || fail "the packages differ"
proves "rpm: installed, verified, run, erased"

# The image: what others read, and its program alone in a root.
mkdir "$work/oci"
tar -xf "$folder/ioalign-$version-x86_64.oci.tar.gz" -C "$work/oci"
skopeo inspect "oci:$work/oci:$version" | grep -q '"Architecture": "amd64"' || fail "skopeo does not read the image"
umoci unpack --rootless --image "$work/oci:$version" "$work/bundle"
chroot "$work/bundle/rootfs" /ioalign --version | grep -q "^ioalign $version" || fail "the image does not run"
proves "image: read by skopeo, run"

# The program for aarch64, emulated, says what that for x86_64 says.
if [ -e "$folder/ioalign-$version-aarch64.tar.gz" ]; then
    for one in x86_64 aarch64; do tar -xf "$folder/ioalign-$version-$one.tar.gz" -C "$work"; done
    images=$work/images
    mkdir "$images"
    for start in 63 2048 2049; do
        truncate -s 64M "$images/dos-$start.raw" "$images/gpt-$start.raw"
        printf 'label: dos\nstart=%s\n' $start | sfdisk -q "$images/dos-$start.raw"
        printf 'label: gpt\nfirst-lba: 34\nstart=%s\n' $start | sfdisk -q "$images/gpt-$start.raw"
        for format in qcow2 vmdk vpc vhdx vdi; do
            qemu-img convert -f raw -O $format "$images/dos-$start.raw" "$images/dos-$start.$format"
        done
    done
    truncate -s 300M "$images/ext4.raw" "$images/xfs.raw"
    mkfs.ext4 -qF "$images/ext4.raw"
    mkfs.xfs -q "$images/xfs.raw"
    for image in "$images"/*; do
        said() { { "$@" check --json "$image" || true; } | sed '/"elapsed_us"/d'; }
        said "$work/ioalign-$version-x86_64/usr/bin/ioalign" >"$work/here"
        said qemu-aarch64-static "$work/ioalign-$version-aarch64/usr/bin/ioalign" >"$work/there"
        [ -s "$work/here" ] || fail "$image: nothing said"
        diff "$work/here" "$work/there" >&2 || fail "$image: aarch64 says something else"
    done
    proves "aarch64: $(find "$images" -type f | wc -l) images as on x86_64"
fi

# The wheel in a fresh environment, beside the program of the tarball.
tar -xf "$folder/ioalign-$version-x86_64.tar.gz" -C "$work"
"$(dirname "$0")/../crates/python/test.sh" "$folder"/ioalign-"$version"-*x86_64.whl "$work/ioalign-$version-x86_64/usr/bin/ioalign" >&2
proves "wheel: its documents are those of the program"

bytes=$(tar -tvf "$folder/ioalign-$version-x86_64.tar.gz" | awk '/bin\/ioalign$/ { print $3 }')
[ "$bytes" -le $((25 << 20)) ] || echo "note: the program has $bytes bytes, more than 25 MiB"
echo "dist-proof: $passed passed"
