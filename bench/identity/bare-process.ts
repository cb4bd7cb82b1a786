// The bare limits of identity, in a process of their own. They are a Fastify server that sends fixed JSON text, and a
// loop of nothing but argon2.
import { availableParallelism } from 'node:os';
import { hash, verify } from '@node-rs/argon2';
import Fastify from 'fastify';
import { ARGON2_PARAMETERS } from '#lib/auth/password-hasher.ts';

export type BareJob =
  | { readonly kind: 'serve'; readonly bodies: Readonly<Record<string, string>> }
  | { readonly kind: 'argon2'; readonly milliseconds: number };

const PASSWORD = 'a-password-of-the-bench';
/** Node joins head and text into one write, and sends large bytes as they are: each size goes the faster way. */
const LARGE = 16_384;
/** Under this prefix the answers are text that was made beforehand. */
export const AS_TEXT = '/text';

const passwordHash = hash(PASSWORD, ARGON2_PARAMETERS);

/** Each body twice: as a route that returns it, and under `AS_TEXT` as one that sends its text. */
async function serve(bodies: Readonly<Record<string, string>>): Promise<number> {
  const app = Fastify();
  for (const [route, text] of Object.entries(bodies)) {
    const value: unknown = JSON.parse(text);
    app.get(route, async () => value);
    const body = text.length > LARGE ? Buffer.from(text) : text;
    app.get(`${AS_TEXT}${route}`, (_request, reply) => {
      reply.header('content-type', 'application/json; charset=utf-8').send(body);
    });
  }
  return Number(new URL(await app.listen({ host: '127.0.0.1', port: 0 })).port);
}

/** Verifications per second, as many at a time as there are cores. */
async function countArgon2(milliseconds: number): Promise<number> {
  const known = await passwordHash;
  const startedAt = performance.now();
  let done = 0;
  const worker = async () => {
    while (performance.now() - startedAt < milliseconds) {
      if (await verify(known, PASSWORD)) done += 1;
    }
  };
  await Promise.all(Array.from({ length: availableParallelism() }, worker));
  return (done * 1000) / (performance.now() - startedAt);
}

process.on('message', (job: BareJob) => {
  const work = job.kind === 'serve' ? serve(job.bodies) : countArgon2(job.milliseconds);
  work.then(
    (value) => process.send?.({ value }),
    (error: unknown) => process.send?.({ error: String(error) }),
  );
});
