// Answers that are ready in the same turn of the event loop are written one after the other at its end. Each write wakes whoever waits for
// it, on another processor or machine, and a write is cheap while they are awake: written as they become ready, the waking costs as much as
// a whole validation.
import { AsyncLocalStorage } from 'node:async_hooks';
import type { onSendHookHandler } from 'fastify';

/** A hook for `onSend`, of one scope. */
export function answersTogether(): onSendHookHandler {
  let ready: (() => void)[] = [];

  function send(): void {
    const sending = ready;
    ready = [];
    for (const each of sending) each();
  }

  return (_request, _reply, _payload, done) => {
    if (ready.length === 0) setImmediate(send);
    // What follows belongs to its own request: its log line, its trace.
    ready.push(AsyncLocalStorage.bind(() => done()));
  };
}
