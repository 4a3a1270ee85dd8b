# shellcheck shell=bash
# The image for containers: Debian's packages that the shim needs, a Java runtime of the modules needed, and an installed copy.
# Sourced by packaging/build, which sets version and architecture. Nothing here needs root, a registry, or a tool for containers.
# shellcheck disable=SC2154

# java.desktop, for "rddp trace --plot", would be as large as all of these.
readonly JAVA_MODULES=java.base,java.logging,java.management,java.naming,java.xml,jdk.httpserver,jdk.incubator.vector,jdk.jcmd,jdk.jfr,jdk.management,jdk.unsupported
# For the launcher and the health check, besides the libraries.
readonly IMAGE_PACKAGES=(base-files bash coreutils grep)
# User and group rddp: a number, since Kubernetes' runAsNonRoot and other containers know no names.
readonly IMAGE_USER=7471

# make_image FILE: makes an OCI archive, for "podman load" and other tools.
make_image() {
    local layers=() digests=() layer
    IMAGE=$OUT/image
    mkdir -p "$IMAGE/layout/blobs/sha256"
    stage_debian "$IMAGE/system"
    stage_runtime "$IMAGE/system/usr/lib/jvm/rddp"
    stage_copy "$IMAGE/rddp/usr/lib/rddp"
    # For building programs in C, not for running them.
    rm -rf "$IMAGE/rddp/usr/lib/rddp"/lib/{librddp.a,pkgconfig}
    mkdir -p "$IMAGE/rddp/usr/bin"
    ln -s ../lib/rddp/bin/rddp "$IMAGE/rddp/usr/bin/rddp"
    install -D -m 644 "$HERE/files/rddpd.container.toml" "$IMAGE/rddp/etc/rddp/rddpd.toml"
    install -D -m 755 "$HERE/files/ready" "$IMAGE/rddp/usr/lib/rddp/bin/ready"
    mkdir -p "$IMAGE/rddp/usr/share/doc/rddp"
    copyright >"$IMAGE/rddp/usr/share/doc/rddp/copyright"
    archive_image_classes "$IMAGE/rddp/usr/lib/rddp"
    mkdir -p "$IMAGE/rddp/run/rddp"
    for layer in system rddp; do
        add_layer "$layer"
    done
    local config manifest
    config=$(add_blob <<<"$(image_config)")
    manifest=$(add_blob <<<"$(image_manifest "$config")")
    printf '{"imageLayoutVersion":"1.0.0"}' >"$IMAGE/layout/oci-layout"
    cat >"$IMAGE/layout/index.json" <<END
{"schemaVersion":2,"manifests":[{"mediaType":"application/vnd.oci.image.manifest.v1+json","digest":"sha256:$manifest","size":$(blob_size "$manifest"),"annotations":{"org.opencontainers.image.ref.name":"rddp:$version"}}]}
END
    archive "$IMAGE/layout" >"$1"
    say "made $1, $(($(cat "$IMAGE"/*.tar | wc -c) >> 20)) MiB unpacked, sha256:$manifest"
}

# stage_debian FOLDER: unpacks the packages and what they depend on, with their licenses, without other documents and translations.
stage_debian() {
    local status=$IMAGE/no-packages debs=$IMAGE/debs package libraries drivers ciphers names
    mkdir -p "$debs" "$1/var/lib/dpkg"
    : >"$status"
    libraries=$(library_packages | sed -E 's/\([^)]*\)//g; s/,/ /g')
    drivers=$(driver_packages | tr -d ,)
    ciphers=$(cipher_package | tr -d ,)
    read -ra names <<<"$libraries $drivers $ciphers"
    # For an empty system, apt names all that they depend on.
    apt-get -s -o Dir::State::status="$status" --no-install-recommends install "${IMAGE_PACKAGES[@]}" "${names[@]}" |
        sed -nE 's/^Inst ([^ ]+) \(([^ ]+) .*/\1=\2/p' | LC_ALL=C sort >"$IMAGE/packages" || true
    [[ -s $IMAGE/packages ]] || fail 'apt does not find the packages of the image' 'To see why, run: apt-get update'
    (cd "$debs" && xargs apt-get -q download <"$IMAGE/packages" >&2)
    for package in "$debs"/*.deb; do
        dpkg-deb -x "$package" "$1"
        # Tools that look for known vulnerabilities read this.
        { dpkg-deb -f "$package" && printf 'Status: install ok installed\n\n'; } >>"$1/var/lib/dpkg/status"
    done
    rm -rf "$1"/usr/share/{man,info,locale,lintian,bug,doc-base} "$1"/usr/lib/*/gconv
    find "$1/usr/share/doc" -type f ! -name copyright -delete
    find "$1/usr/share/doc" -type l -delete
    find "$1/usr/share/doc" -type d -empty -delete
    find "$1" -type f -perm /6000 -exec chmod a-s {} +
    # As merged by usrmerge: the loader is named by /lib64.
    merge_usr "$1"
    cat >"$1/etc/passwd" <<END
root:x:0:0:root:/root:/bin/bash
rddp:x:$IMAGE_USER:$IMAGE_USER:rddp:/run/rddp:/usr/sbin/nologin
nobody:x:65534:65534:nobody:/nonexistent:/usr/sbin/nologin
END
    printf 'root:x:0:\nrddp:x:%s:\nnogroup:x:65534:\n' $IMAGE_USER >"$1/etc/group"
    mkdir -p "$1/tmp" && chmod 1777 "$1/tmp"
}

# merge_usr FOLDER: moves /bin, /lib and so on into /usr, as every Debian of today has them.
merge_usr() {
    local each
    for each in bin sbin lib lib64; do
        if [[ -d $1/$each && ! -L $1/$each ]]; then
            mkdir -p "$1/usr/$each"
            cp -a "$1/$each/." "$1/usr/$each/"
            rm -rf "${1:?}/$each"
        fi
        [[ -L $1/$each || ! -d $1/usr/$each ]] || ln -s "usr/$each" "$1/$each"
    done
}

# stage_runtime FOLDER: makes the Java runtime.
stage_runtime() {
    mkdir -p "$(dirname -- "$1")"
    "$JAVA_HOME/bin/jlink" --add-modules "$JAVA_MODULES" --strip-debug --no-header-files --no-man-pages --compress zip-6 \
        --output "$1" 2>&1 | grep -v 'Using incubator modules' >&2 || true
    [[ -x $1/bin/java ]] || fail "jlink makes no Java runtime of $JAVA_HOME" 'It needs a JDK with jmods, or one that can link itself.'
    rm -f "$1"/bin/{keytool,jwebserver}
}

# archive_image_classes COPY: archives the classes for the image's runtime and the copy's jars.
archive_image_classes() (
    JAVA_HOME=$IMAGE/system/usr/lib/jvm/rddp
    # HotSpot compares the times with those at the start.
    find "$1/lib" "$JAVA_HOME" -exec touch -h -d "@$SOURCE_DATE_EPOCH" {} +
    unset RDDP_JVM_FLAGS
    archive_classes "$1/lib" "$1/lib/classes.lst"
    rm "$1/lib/classes.lst"
)

# archive FOLDER [ARGUMENT...]: writes its content as a tar file, reproducibly.
archive() {
    tar --sort=name --mtime="@$SOURCE_DATE_EPOCH" --owner=0 --group=0 --numeric-owner --format=gnu -C "$1" -c "${@:2}" .
}

# add_layer NAME: adds the folder of that name as a layer.
add_layer() {
    local tar=$IMAGE/$1.tar
    archive "$IMAGE/$1" --exclude=./run/rddp >"$tar"
    if [[ -d $IMAGE/$1/run/rddp ]]; then
        tar --mtime="@$SOURCE_DATE_EPOCH" --owner=$IMAGE_USER --group=$IMAGE_USER --numeric-owner --mode=750 --format=gnu \
            -C "$IMAGE/$1" -rf "$tar" ./run/rddp
    fi
    digests+=("$(sha256sum <"$tar" | cut -d ' ' -f 1)")
    layers+=("$(gzip -9n <"$tar" | add_blob)")
}

# add_blob: takes its input into the layout; prints its digest.
add_blob() {
    local blobs=$IMAGE/layout/blobs/sha256 digest
    cat >"$blobs/new"
    digest=$(sha256sum <"$blobs/new" | cut -d ' ' -f 1)
    mv "$blobs/new" "$blobs/$digest"
    echo "$digest"
}

blob_size() {
    stat -c %s "$IMAGE/layout/blobs/sha256/$1"
}

# Healthcheck is for Docker; podman uses --health-cmd, Kubernetes its probes.
image_config() {
    cat <<END
{"created":"$(date -u -d "@$SOURCE_DATE_EPOCH" +%FT%TZ)","architecture":"$architecture","os":"linux","config":{"User":"$IMAGE_USER:$IMAGE_USER","Env":["PATH=/usr/bin:/bin","JAVA_HOME=/usr/lib/jvm/rddp","RUNTIME_DIRECTORY=/run/rddp"],"Entrypoint":["/usr/bin/rddp"],"Cmd":["daemon"],"WorkingDir":"/","Volumes":{"/run/rddp":{}},"StopSignal":"SIGTERM","Healthcheck":{"Test":["CMD","/usr/lib/rddp/bin/ready"],"Interval":10000000000,"StartPeriod":10000000000},"Labels":{"org.opencontainers.image.title":"rddp","org.opencontainers.image.version":"$version","org.opencontainers.image.licenses":"Apache-2.0"}},"rootfs":{"type":"layers","diff_ids":["sha256:${digests[0]}","sha256:${digests[1]}"]},"history":[{"created_by":"Debian packages and a Java runtime"},{"created_by":"rddp $version"}]}
END
}

# image_manifest CONFIG
image_manifest() {
    local layer list=
    for layer in "${layers[@]}"; do
        list+="${list:+,}{\"mediaType\":\"application/vnd.oci.image.layer.v1.tar+gzip\",\"digest\":\"sha256:$layer\",\"size\":$(blob_size "$layer")}"
    done
    cat <<END
{"schemaVersion":2,"mediaType":"application/vnd.oci.image.manifest.v1+json","config":{"mediaType":"application/vnd.oci.image.config.v1+json","digest":"sha256:$1","size":$(blob_size "$1")},"layers":[$list]}
END
}
