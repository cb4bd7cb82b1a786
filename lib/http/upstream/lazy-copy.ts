// A copy of a request body stream that may be destroyed. undici destroys a body that it could not send completely. The
// client's own stream must survive that: it may be sent to another node, and the client must get its response.
import { Readable } from 'node:stream';

/** Reads nothing from the source before the copy is read. The rest is read and discarded when the copy ends early. */
export function lazyCopy(source: Readable): Readable {
  let isReading = false;
  const onData = (chunk: unknown) => {
    if (!copy.push(chunk)) source.pause();
  };
  const onEnd = () => void copy.push(null);
  // A client that has disconnected has sent only a part, which must not pass for the whole.
  const onClose = () => {
    if (!source.readableEnded) copy.destroy(new Error('The client has gone away'));
  };
  const copy = new Readable({
    read() {
      if (!isReading) {
        isReading = true;
        source.on('data', onData).once('end', onEnd).once('close', onClose);
        if (source.destroyed) onClose();
      }
      source.resume();
    },
    destroy(error, done) {
      if (isReading) source.off('data', onData).off('end', onEnd).off('close', onClose).resume();
      done(error);
    },
  });
  return copy;
}
