// Fastify hooks that are asynchronous only when they need to be: work that completes at once costs no promise.
import type { FastifyReply, FastifyRequest } from 'fastify';

type Done = (error?: Error) => void;

/** Makes a hook of `work`, which returns a promise only when it has to wait. */
export function whenDone(work: (request: FastifyRequest, reply: FastifyReply) => void | Promise<void>) {
  return (request: FastifyRequest, reply: FastifyReply, done: Done): void => {
    const waiting = begin(work, request, reply);
    if (waiting === undefined) done();
    else goOn(waiting, done);
  };
}

function goOn(waiting: Promise<void>, done: Done): void {
  waiting.then(
    () => done(),
    (error: unknown) => done(error instanceof Error ? error : new Error('A hook failed', { cause: error })),
  );
}

/** Turns an exception into a rejection. `done` is called outside of this `try`, because it runs all later hooks. */
function begin(
  work: (request: FastifyRequest, reply: FastifyReply) => void | Promise<void>,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<void> | undefined {
  try {
    return work(request, reply) ?? undefined;
  } catch (error) {
    return Promise.reject(error);
  }
}
