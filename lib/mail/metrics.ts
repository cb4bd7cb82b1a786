// Metrics of outgoing mail: how many wait, how long the oldest has been due, how many were given up, attempts.
import type { Counter } from 'prom-client';
import type { Clock } from '../clock.ts';
import type { Database } from '../db/database.ts';
import type { Metrics } from '../metrics/metrics.ts';
import { gaugeReader, readQueueFigures } from '../metrics/queue-figures.ts';
import type { QueueFigures } from '../metrics/service-status.ts';

const QUEUE = {
  name: 'mail-queue',
  text: `SELECT count(*) FILTER (WHERE dead_at IS NULL) AS waiting, count(dead_at) AS dead,
      coalesce(greatest(0, extract(epoch FROM $1::timestamptz - min(created_at) FILTER (WHERE dead_at IS NULL))), 0)::float8 AS oldest_s
    FROM mail_outbox`,
};

/** Mails of one service that wait, and those given up during the last week. */
export function readMailQueue(database: Database, clock: Clock): Promise<QueueFigures> {
  return readQueueFigures(database, clock, QUEUE);
}

const WAITING = {
  name: 'mail-metric-waiting',
  text: 'SELECT count(*) AS value FROM mail_outbox WHERE dead_at IS NULL',
};
const DEAD = {
  name: 'mail-metric-dead',
  text: 'SELECT count(*) AS value FROM mail_outbox WHERE dead_at IS NOT NULL',
};
const OLDEST = {
  name: 'mail-metric-oldest',
  text: `SELECT greatest(0, extract(epoch FROM $1::timestamptz - min(created_at)))::float8 AS value
    FROM mail_outbox WHERE dead_at IS NULL`,
};

/** Returns the counter of attempts, and registers what is read from the outbox. */
export function createMailMetrics(metrics: Metrics, database: Database, clock: Clock): Counter<'outcome'> {
  const read = gaugeReader(database);
  metrics.gauge('kedja_mail_waiting', 'Mails that wait to be sent', () => read(WAITING));
  metrics.gauge('kedja_mail_dead', 'Mails that were given up during the last week', () => read(DEAD));
  metrics.gauge('kedja_mail_oldest_seconds', 'How long the mail that has waited for longest has waited', () =>
    read(OLDEST, [new Date(clock.now())]),
  );
  return metrics.counter('kedja_mail_attempts_total', 'Attempts to send a mail, by what came of them', ['outcome']);
}
