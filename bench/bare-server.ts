// The bare limit of a start: a Fastify server with one pooled database connection and nothing else. It prints its port
// on standard output.
import Fastify from 'fastify';
import pg from 'pg';

const pool = new pg.Pool({ connectionString: process.env['BARE_DATABASE_URL'], max: 1 });
await pool.query('SELECT 1');
const app = Fastify();
app.get('/readyz', async () => ({ status: 'ready' }));
await app.listen({ host: '127.0.0.1', port: Number(process.env['BARE_PORT']) });
