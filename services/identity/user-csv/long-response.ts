// Sends the response of a slow request. Proxies close silent connections (Kedja's gateway after 30 s). So after a while
// the body begins with white space, which JSON permits before a value.
import { Readable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import type { FastifyReply } from 'fastify';

const BEAT_MS = 10_000;

/**
 * Sends 200 with the result of the work. A failure within the first `beatMs` milliseconds gets a normal error response.
 * A later one breaks the connection, since the response has begun.
 */
export async function sendLongResponse<T extends object>(
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
