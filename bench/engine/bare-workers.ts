// The bare limit of a second worker: plain Fastify servers that share a port, and one alone. What their answers cost
// more with two is the machine's: three busy processes share its caches. They answer a value as it is, or a text by its
// key from the table of the bare limits (bare-process.ts).
import cluster from 'node:cluster';
import Fastify from 'fastify';
import pg from 'pg';
import { registerBareRead } from './bare-read.ts';

export interface BareWorkersJob {
  readonly url: string;
  readonly workers: number;
}

const POOL = 10;
/** About what a `$lookup` answers. */
const ANSWER = {
  resourceType: 'Parameters',
  parameter: [
    { name: 'name', valueString: 'AdministrativeGender' },
    { name: 'version', valueString: '5.0.0' },
    { name: 'display', valueString: 'Female' },
    { name: 'definition', valueString: 'Female.' },
  ],
};

async function serve(url: string): Promise<number> {
  const pool = new pg.Pool({ connectionString: url, max: POOL });
  const app = Fastify();
  app.get('/answer', async (_request, reply) => reply.type('application/fhir+json').send(JSON.stringify(ANSWER)));
  registerBareRead(app, pool);
  return Number(new URL(await app.listen({ host: '127.0.0.1', port: 0 })).port);
}

/** The port that they share, when all of them listen. */
function fork({ url, workers }: BareWorkersJob): Promise<number> {
  return new Promise((resolve) => {
    let listening = 0;
    cluster.on('listening', (_worker, { port }) => {
      listening += 1;
      if (listening === workers) resolve(port);
    });
    for (let started = 0; started < workers; started += 1) cluster.fork({ BARE_URL: url });
  });
}

const { BARE_URL } = process.env;
if (BARE_URL !== undefined) await serve(BARE_URL);
process.on('message', (job: BareWorkersJob) => {
  (job.workers === 1 ? serve(job.url) : fork(job)).then(
    (value) => process.send?.({ value }),
    (error: unknown) => process.send?.({ error: String(error) }),
  );
});
