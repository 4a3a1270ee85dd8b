/* Notes which connections are to end. The device's thread asks the daemon, see end_streams(). */
#include "objects.h"

static void queue_stream(struct stream *stream) {
    struct device *device = stream->device;
    if (!stream->queued) {
        stream->queued = true;
        stream->next_ending = device->ending;
        device->ending = stream;
        wake_device_thread(device);
    }
}

void want_end(struct stream *stream, bool graceful) {
    if (stream->told_end || stream->connection == NULL) {
        return;
    }
    if (!graceful || stream->wish == GO_ON) {
        stream->wish = graceful ? END_GRACEFULLY : ABORT;
    }
    queue_stream(stream);
}

void drop_stream(struct stream *stream) {
    stream->id = NULL;
    stream->wish = FREE;
    queue_stream(stream);
}

void fail_queue_pair(struct queue_pair *pair, bool graceful) {
    pair->failed = true;
    pair->reported = true;
    pthread_mutex_lock(&streams);
    pair->ibv.state = IBV_QPS_ERR;
    if (pair->stream != NULL) {
        want_end(pair->stream, graceful);
    }
    pthread_mutex_unlock(&streams);
}
