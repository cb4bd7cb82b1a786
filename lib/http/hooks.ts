// Hooks that need to wait only sometimes: what is done at once goes on at once, without the cost of a promise.
import type { FastifyReply, FastifyRequest } from 'fastify';

type Done = (error?: Error) => void;

/** A hook of `work`, which answers a promise when it has to wait. */
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

/** What is thrown at once becomes a rejection; `done` itself is called outside, as it runs all that follows. */
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
