// Answers that are ready in the same turn of the event loop are written one after the other at its end. Each write
// wakes a reader that waits for it, on another processor or machine, and a write is cheap while the reader is awake.
// Written as they become ready, the waking costs as much as a whole validation.
import type { onSendHookHandler } from 'fastify';

/**
 * A hook for `onSend`, of one scope. What follows it runs in the asynchronous context of the request that began the
 * turn. A context of its own for each would cost more than the log line, its only use.
 */
export function respondTogether(): onSendHookHandler {
  let ready: (() => void)[] = [];

  function send(): void {
    const sending = ready;
    ready = [];
    for (const each of sending) each();
  }

  return (_request, _reply, payload, done) => {
    // What is read on while it is sent is read in its own request's context.
    if (typeof payload !== 'string' && !Buffer.isBuffer(payload)) return done();
    if (ready.length === 0) setImmediate(send);
    ready.push(done);
  };
}
