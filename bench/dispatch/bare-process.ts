// The bare limit of draining. It sends signed POSTs over kept-alive connections to the same receiver, and updates one
// row in PostgreSQL after each. As many loops run at once as the worker makes attempts. No queue, no consent, no log.
import { Agent, request } from 'undici';
import { createDatabase } from '#lib/db/pool.ts';
import { newGuid } from '#lib/guid.ts';
import { newWebhookSecret, signWebhook } from '#lib/webhook/signature.ts';

export interface BareLoopJob {
  readonly databaseUrl: string;
  readonly receiverUrl: string;
  readonly body: string;
  readonly atOnce: number;
  readonly milliseconds: number;
}

const ROWS = 20_000;
const UPDATE = {
  name: 'bare-update',
  text: `UPDATE bare_delivery SET status = 'delivered', updated_at = $2 WHERE delivery_guid = $1`,
};

/** Deliveries a second. */
async function run({ databaseUrl, receiverUrl, body, atOnce, milliseconds }: BareLoopJob): Promise<number> {
  const database = createDatabase({ url: databaseUrl, schema: 'public' });
  const dispatcher = new Agent({ connections: atOnce, pipelining: 1 });
  const secret = newWebhookSecret();
  const guids = Array.from({ length: ROWS }, () => newGuid());
  await database.query(
    'CREATE TABLE IF NOT EXISTS bare_delivery (delivery_guid uuid PRIMARY KEY, status text NOT NULL, updated_at timestamptz NOT NULL)',
  );
  await database.query(`INSERT INTO bare_delivery SELECT guid, 'queued', now() FROM unnest($1::uuid[]) AS u (guid)`, [
    guids,
  ]);
  let done = 0;
  const startedAt = performance.now();
  const loop = async () => {
    while (performance.now() - startedAt < milliseconds) {
      const id = guids[done % ROWS] ?? '';
      done += 1;
      const bytes = Buffer.from(body);
      const signed = { id, timestampSeconds: Math.floor(Date.now() / 1000), body: bytes };
      const headers = { 'content-type': 'application/json', ...signWebhook(signed, [secret]) };
      const answer = await request(receiverUrl, { dispatcher, method: 'POST', headers, body: bytes });
      await answer.body.dump();
      await database.query(UPDATE, [id, new Date()]);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, loop));
  const perSecond = done / ((performance.now() - startedAt) / 1000);
  await Promise.all([dispatcher.close(), database.close()]);
  return perSecond;
}

process.on('message', (job: BareLoopJob) => {
  run(job).then(
    (value) => process.send?.({ value }),
    (error: unknown) => process.send?.({ error: String(error) }),
  );
});
