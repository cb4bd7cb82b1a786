// The answer to a request that may take long. Proxies give up on silence (our own gateway after 30 s), so after a while
// the answer begins: with white space, which JSON allows before its value.
import { Readable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import type { FastifyReply } from 'fastify';

const BEAT_MS = 10_000;

/**
 * Answers 200 with what the work comes to. A failure in the first `beatMs` milliseconds is answered as any other; a
 * later one breaks the connection, since the answer has begun.
 */
export async function answerLong<T extends object>(
  reply: FastifyReply,
  work: Promise<T>,
  beatMs = BEAT_MS,
): Promise<T | FastifyReply> {
  if (await settlesWithin(work, beatMs)) return work;
  return reply.type('application/json; charset=utf-8').send(Readable.from(beats(work, beatMs)));
}

async function* beats(work: Promise<object>, beatMs: number): AsyncGenerator<string> {
  do yield ' ';
  while (!(await settlesWithin(work, beatMs)));
  yield JSON.stringify(await work);
}

/** @throws what the work throws in that time */
async function settlesWithin(work: Promise<unknown>, ms: number): Promise<boolean> {
  const timer = new AbortController();
  try {
    return await Promise.race([work.then(() => true), delay(ms, false, { signal: timer.signal })]);
  } finally {
    timer.abort();
  }
}
