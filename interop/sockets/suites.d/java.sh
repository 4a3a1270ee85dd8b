# shellcheck shell=bash
# The JDK's tests of java.nio.channels: SocketChannel, ServerSocketChannel, Selector and Pipe. Over rddp they run with rddp-nio, without
# librddp-sockets. Their host is the local one by name, which here is 10.0.0.1, in place of the loopback address; and where they have
# sockets of java.net beside channels, these are made by channels, too: others are always the kernel's.

unpack_jdk() {
    local from part
    from=$(sources openjdk-17 '*/test/jdk/java/nio/channels/*' '*/test/lib/jdk/test/lib/*') || return
    mkdir "$1/lib"
    cp -r "$from/test/lib/jdk" "$1/lib"
    cp "$from"/test/jdk/java/nio/channels/*.java "$1"
    for part in SocketChannel ServerSocketChannel Selector Pipe; do
        cp -r "$from/test/jdk/java/nio/channels/$part" "$1"
    done
    grep -rlE 'os\.family == "(windows|mac)"|@run junit' "$1" --include='*.java' | xargs -r rm
    grep -rlZ 'getLoopbackAddress()' "$1" | xargs -0r sed -i 's/getLoopbackAddress()/getLocalHost()/'
    grep -rlZE 'new (Server)?Socket\(' "$1" --include='*.java' | grep -zv GetChannel | xargs -0r sed -i -E \
        -e 's/new ServerSocket\(port, backlog, address\)/CHANNELS.ServerSocketChannel.open().bind(new InetSocketAddress(address, port), backlog).socket()/' \
        -e 's/new ServerSocket\(0\)/CHANNELS.ServerSocketChannel.open().bind(null).socket()/' \
        -e 's/new (Server)?Socket\(\)/CHANNELS.\1SocketChannel.open().socket()/' -e 's/CHANNELS\./java.nio.channels./'
    sed -i 's/refusingEndpoint() {/refusingEndpoint() throws java.net.UnknownHostException {/' "$1/lib/jdk/test/lib/Utils.java"
    echo "10.0.0.1 localhost $(uname -n)" >"$1/hosts"
}

# shellcheck disable=SC2317,SC2034
run_jdk() {
    # They are compiled, and some run for 20 s.
    local files deadline=120
    export JDK_HOSTS=$PWD/hosts
    JDK_CLASSES=$(echo /usr/share/java/{testng,jcommander,slf4j-api}.jar | tr ' ' :)
    if [[ $PWD == *.rddp ]]; then
        unset LD_PRELOAD
        JDK_CLASSES+=:$(classpath client):$(classpath nio)
        JDK_PROVIDER='--enable-native-access=ALL-UNNAMED -Djava.nio.channels.spi.SelectorProvider=org.rddp.nio.RddpSelectorProvider'
    fi
    export JDK_CLASSES JDK_PROVIDER=${JDK_PROVIDER:-}
    export -f jdk_test jdk_run
    mapfile -t files < <(grep -lE '@run (main|testng)|^ *(\*|/\*) @test' {SocketChannel,ServerSocketChannel,Selector,Pipe}/*.java)
    each jdk_test "${files[@]}"
}

# jdk_test FILE: each way in which jtreg would run it.
# shellcheck disable=SC2317
jdk_test() {
    local folder=classes/$1 name way status=0
    name=$(basename "$1" .java)
    mkdir -p "$folder"
    "$JAVA_HOME/bin/javac" -nowarn --add-exports java.base/sun.net.ext=ALL-UNNAMED -d "$folder" -cp "$JDK_CLASSES" -sourcepath "$(dirname "$1"):.:lib" "$1" || return
    while read -r way; do
        # shellcheck disable=SC2086 # words
        [[ $way == *WindowsSelectorProvider* || $way == *--limit-modules* ]] || jdk_run "$folder" $way || status=1
    done < <(sed -nE 's/.*@run ((main|testng)[^*]*).*/\1/p' "$1" | grep . || echo "main $name")
    return "$status"
}

# jdk_run FOLDER WAY [OPTION...] CLASS [ARGUMENT...]
# shellcheck disable=SC2317
jdk_run() {
    local way=$2 program=("$JAVA_HOME/bin/java" --add-exports java.base/sun.net.ext=ALL-UNNAMED -Djdk.net.hosts.file="$JDK_HOSTS" -cp "$1:$JDK_CLASSES")
    shift 2
    while [[ $1 == -* ]]; do
        program+=("$1")
        shift
    done
    if [[ $way == testng* ]]; then set -- org.testng.TestNG -usedefaultlisteners false -testclass "$@"; fi
    # shellcheck disable=SC2086 # words
    "${program[@]}" $JDK_PROVIDER "$@" </dev/null
}
