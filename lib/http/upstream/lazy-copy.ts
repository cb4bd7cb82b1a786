// The body of a request as a stream that may be thrown away: undici destroys what it could not send, or not send to its
// end, and the client's own stream must outlive that, to be sent elsewhere or so that the client gets its answer.
import { Readable } from 'node:stream';

/**
 * Reads nothing from the source before somebody reads the copy. What is left when the copy ends early is read and
 * dropped.
 */
export function lazyCopy(source: Readable): Readable {
  let isReading = false;
  const onData = (chunk: unknown) => {
    if (!copy.push(chunk)) source.pause();
  };
  const onEnd = () => void copy.push(null);
  // A client that is gone has sent only a part: nobody must take it for the whole.
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
