// The bare limits of the FHIR core. They are a plain Fastify server with `pg`, and prepared statements that do the
// least possible. Their tables are their own, with texts of the same size.
import Fastify from 'fastify';
import pg from 'pg';
import { registerBareRead } from './bare-read.ts';

export interface BareServerJob {
  readonly url: string;
  /** Texts to be found, by their ids. */
  readonly texts: readonly (readonly [id: string, text: string])[];
}

const POOL = 10;

async function serve({ url, texts }: BareServerJob): Promise<number> {
  const pool = new pg.Pool({ connectionString: url, max: POOL });
  await pool.query(`DROP SCHEMA IF EXISTS bare CASCADE; CREATE SCHEMA bare;
    CREATE TABLE bare.resource (id uuid PRIMARY KEY, version int NOT NULL, content text NOT NULL);
    CREATE TABLE bare.history (id uuid, version int, content text NOT NULL, PRIMARY KEY (id, version))`);
  for (let start = 0; start < texts.length; start += 1000) {
    const part = texts.slice(start, start + 1000);
    await pool.query(
      'INSERT INTO bare.resource SELECT id, 1, content FROM unnest($1::uuid[], $2::text[]) AS u(id, content)',
      [part.map(([id]) => id), part.map(([, text]) => text)],
    );
  }
  await pool.query('VACUUM ANALYZE bare.resource');
  const app = Fastify({ bodyLimit: 10 * 1024 * 1024 });
  const { guid } = { guid: () => crypto.randomUUID() };
  registerBareRead(app, pool);
  app.get<{ Querystring: { ids: string } }>('/page', async (request, reply) => {
    const ids = request.query.ids.split(',');
    const { rows } = await pool.query({
      name: 'page',
      text: 'SELECT content FROM bare.resource WHERE id = ANY($1::uuid[])',
      values: [ids],
    });
    return reply.type('application/fhir+json').send(`[${rows.map(({ content }) => content).join(',')}]`);
  });
  app.addContentTypeParser('application/fhir+json', { parseAs: 'string' }, (_request, body, done) => done(null, body));
  app.post('/create', async (request, reply) => {
    const text = String(request.body);
    const insert = `WITH h AS (INSERT INTO bare.history VALUES ($1, 1, $2)) INSERT INTO bare.resource VALUES ($1, 1, $2)`;
    await pool.query({ name: 'create', text: insert, values: [guid(), text] });
    return reply.code(201).type('application/fhir+json').send(text);
  });
  app.put<{ Params: { id: string } }>('/update/:id', async (request, reply) => {
    const text = String(request.body);
    const update = `WITH h AS (INSERT INTO bare.history SELECT id, version, content FROM bare.resource WHERE id = $1)
      UPDATE bare.resource SET version = version + 1, content = $2 WHERE id = $1`;
    await pool.query({ name: 'update', text: update, values: [request.params.id, text] });
    return reply.type('application/fhir+json').send(text);
  });
  app.post('/many', async (request, reply) => {
    const texts: string[] = (JSON.parse(String(request.body)) as { entry: { resource: object }[] }).entry.map(
      ({ resource }) => JSON.stringify(resource),
    );
    const insert = `WITH u AS (SELECT * FROM unnest($1::uuid[], $2::text[]) AS u(id, content)), h AS (INSERT INTO bare.history SELECT id, 1, content FROM u)
      INSERT INTO bare.resource SELECT id, 1, content FROM u`;
    await pool.query({ name: 'many', text: insert, values: [texts.map(guid), texts] });
    return reply.type('application/fhir+json').send(`[${texts.join(',')}]`);
  });
  // Reads texts by their keys and stores others, each in one statement.
  app.post('/mixed', async (request, reply) => {
    type Entry = { readonly resource?: object; readonly request: { readonly url: string } };
    const { entry } = JSON.parse(String(request.body)) as { readonly entry: readonly Entry[] };
    const texts = entry.flatMap(({ resource }) => (resource === undefined ? [] : [JSON.stringify(resource)]));
    const ids = entry.flatMap(({ resource, request }) =>
      resource === undefined ? [request.url.slice('Patient/'.length)] : [],
    );
    const insert = `WITH u AS (SELECT * FROM unnest($1::uuid[], $2::text[]) AS u(id, content)), h AS (INSERT INTO bare.history SELECT id, 1, content FROM u)
      INSERT INTO bare.resource SELECT id, 1, content FROM u`;
    const [{ rows }] = await Promise.all([
      pool.query({
        name: 'page',
        text: 'SELECT content FROM bare.resource WHERE id = ANY($1::uuid[])',
        values: [ids],
      }),
      pool.query({ name: 'many', text: insert, values: [texts.map(guid), texts] }),
    ]);
    return reply.type('application/fhir+json').send(`[${[...rows.map(({ content }) => content), ...texts].join(',')}]`);
  });
  app.post('/parse', async (request, reply) =>
    reply.type('application/fhir+json').send(JSON.stringify(JSON.parse(String(request.body)))),
  );
  return Number(new URL(await app.listen({ host: '127.0.0.1', port: 0 })).port);
}

process.on('message', (job: BareServerJob) => {
  serve(job).then(
    (value) => process.send?.({ value }),
    (error: unknown) => process.send?.({ error: String(error) }),
  );
});
