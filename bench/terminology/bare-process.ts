// The bare limit of terminology: a plain Fastify server whose routes answer a fixed body of the same size.
import Fastify from 'fastify';

export interface BareBodiesJob {
  /** Names of routes, and what they answer. */
  readonly bodies: readonly (readonly [name: string, text: string])[];
}

async function serve({ bodies }: BareBodiesJob): Promise<number> {
  const app = Fastify();
  for (const [name, text] of bodies) {
    app.get(`/${name}`, async (_request, reply) => reply.type('application/fhir+json').send(text));
  }
  return Number(new URL(await app.listen({ host: '127.0.0.1', port: 0 })).port);
}

process.on('message', (job: BareBodiesJob) => {
  serve(job).then(
    (value) => process.send?.({ value }),
    (error: unknown) => process.send?.({ error: String(error) }),
  );
});
