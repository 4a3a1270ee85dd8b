/*
 * gloo_ring RANK STORE: one of two ranks that sum what both have by gloo's allreduce over its transport ibverbs, several times and
 * of several lengths. They meet in the folder STORE. Prints "good" if each sum is right.
 */
#include <gloo/allreduce_ring_chunked.h>
#include <gloo/rendezvous/context.h>
#include <gloo/rendezvous/file_store.h>
#include <gloo/transport/ibverbs/device.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <vector>

static const int RANKS = 2;
static const int ROUNDS = 5;

/* What a rank has at a place. */
static int64_t number(int rank, int round, size_t place) {
    return static_cast<int64_t>(place) * (rank + 1) + round;
}

/* Until all sends have completed: gloo of 2022 ends a program that ends an algorithm before that, as its run() may return. */
static void await_sends(const std::shared_ptr<gloo::Context> &context) {
    int32_t sent = 0, received = 0;
    int slot = static_cast<int>(context->nextSlot());
    auto &pair = context->getPair(1 - context->rank);
    auto send = pair->createSendBuffer(slot, &sent, sizeof sent);
    auto receive = pair->createRecvBuffer(slot, &received, sizeof received);
    send->send();
    send->waitSend();
    receive->waitRecv();
}

static bool add_up(const std::shared_ptr<gloo::Context> &context, int rank, int round, size_t count) {
    std::vector<int64_t> numbers(count);
    for (size_t i = 0; i < count; i++) {
        numbers[i] = number(rank, round, i);
    }
    gloo::AllreduceRingChunked<int64_t> allreduce(context, {numbers.data()}, static_cast<int>(count));
    allreduce.run();
    await_sends(context);
    for (size_t i = 0; i < count; i++) {
        if (numbers[i] != number(0, round, i) + number(1, round, i)) {
            std::fprintf(stderr, "rank %d: wrong sum: %zu numbers, place %zu\n", rank, count, i);
            return false;
        }
    }
    return true;
}

int main(int words, char **arguments) {
    if (words != 3) {
        return 2;
    }
    int rank = std::atoi(arguments[1]);
    gloo::transport::ibverbs::attr where;
    where.name = "rddp0";
    where.port = 1;
    where.index = 0;
    auto device = gloo::transport::ibverbs::CreateDevice(where);
    gloo::rendezvous::FileStore store(arguments[2]);
    auto context = std::make_shared<gloo::rendezvous::Context>(rank, RANKS);
    context->connectFullMesh(store, device);
    for (size_t count : {1, 1000, 1000000}) {
        for (int round = 0; round < ROUNDS; round++) {
            if (!add_up(context, rank, round, count)) {
                return 1;
            }
        }
    }
    std::puts("good");
    return 0;
}
