// The bare limit of a read: a text by its key from the table of the bare limits (bare-process.ts), by one prepared
// statement.
import type { FastifyInstance } from 'fastify';
import type pg from 'pg';

export function registerBareRead(app: FastifyInstance, pool: pg.Pool): void {
  app.get<{ Params: { id: string } }>('/read/:id', async (request, reply) => {
    const { rows } = await pool.query({
      name: 'read',
      text: 'SELECT content FROM bare.resource WHERE id = $1',
      values: [request.params.id],
    });
    return reply.type('application/fhir+json').send(rows[0]?.content);
  });
}
