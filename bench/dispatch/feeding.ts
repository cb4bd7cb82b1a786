// A page of a hundred from a feed of a million requests, wherever the cursor is (must: 10 ms at the median).
import { writeCursor } from '#services/dispatch/requests/feed/feed-cursor.ts';
import { requestText, startLoadGenerator } from '../load/load.ts';
import { type Figure, progress } from '../report.ts';
import { guidOf, providerOf } from './content.ts';
import type { Finalized, MeasureOptions } from './fill.ts';
import { bundleOf } from './queue.ts';
import type { DispatchSite } from './site.ts';

const SIZE = 1_000_000;
const QUICK_SIZE = 100_000;
const STEP = 50_000;
const PAGE = 100;
/** Different pages at each place, so that no page is asked for again and again. */
const PAGES = 20;
const MUST_MS = 10;
const WARM_UP_MS = 3000;
/** A provider without endpoint: it is served by the feed alone. */
const PROVIDER = providerOf(900);

export async function measureFeed(
  site: DispatchSite,
  original: Finalized,
  { isQuick, patients }: MeasureOptions,
): Promise<Figure[]> {
  const size = isQuick ? QUICK_SIZE : SIZE;
  await fillFeed(site, original, { size, patients });
  const places = { first: 0, middle: size / 2, last: size - PAGES * PAGE } as const;
  const load = startLoadGenerator();
  try {
    const figures: Figure[] = [];
    for (const [place, position] of Object.entries(places)) {
      progress(`feed: ${place} pages`);
      const requests = pagesFrom(position).map((target) => requestText({ target, headers: site.headers }));
      const job = { port: site.port, connections: 1, requests };
      // Each place is read with warm code and warm pages.
      await load.run({ ...job, milliseconds: WARM_UP_MS });
      const { median, p99, statuses } = await load.run({ ...job, milliseconds: isQuick ? 3000 : 10_000 });
      if (Object.keys(statuses).join() !== '200') throw new Error(`The feed answered ${Object.keys(statuses).join()}`);
      const value = `p50 ${median.toFixed(1)} ms, p99 ${p99.toFixed(0)} ms`;
      const name = `feed page of ${PAGE} from ${size}, ${place}`;
      figures.push({ name, value, must: `p50 < ${MUST_MS} ms`, isMet: median < MUST_MS });
    }
    return figures;
  } finally {
    load.stop();
  }
}

function pagesFrom(position: number): string[] {
  return Array.from({ length: PAGES }, (_, index) => {
    const cursor = writeCursor(PROVIDER, position + index * PAGE);
    return `/api/v1/requests?${new URLSearchParams({ provider_guid: PROVIDER, limit: String(PAGE), cursor })}`;
  });
}

const uuid = (kind: string) => `('019c0000-000${kind}-7000-8000-' || lpad(to_hex(n), 12, '0'))::uuid`;
const REQUEST = uuid('1');
const SERVICE_REQUEST = uuid('2');
const BUNDLE = uuid('3');
const MATCH = uuid('4');
/** As {@link guidOf}, of all patients in turn. */
const PATIENT = `$3::text || lpad(to_hex(n % $4::bigint), 12, '0')`;
const SERIES = 'generate_series($1::bigint, $2::bigint) AS n';

/** What a push writes for a provider that reads its feed; $5 is the provider. */
const REQUESTS = `INSERT INTO service_request (id, organisation_guid, patient_guid, careplan_guid, status, snapshot, created_at, updated_at)
    SELECT ${SERVICE_REQUEST}, $5, ${PATIENT}, 'careplan-' || n, 'active', '{}', now(), now() FROM ${SERIES}`;
const MATCHES = `INSERT INTO match (service_request_id, match_guid, provider_guid, provider_name, contract_guid, status, request_guid,
      pushed_at, created_at, updated_at)
    SELECT ${SERVICE_REQUEST}, ${MATCH}, $3, 'A provider', 'contract-' || n, 'pushed', ${REQUEST}, now(), now(), now() FROM ${SERIES}`;
const BUNDLES = `INSERT INTO push_bundle (bundle_guid, service_request_id, content, created_at)
    SELECT ${BUNDLE}, ${SERVICE_REQUEST}, replace(replace($5::text, $6::text, ${SERVICE_REQUEST}::text), $7::text, ${PATIENT}), now() FROM ${SERIES}`;
const RECEIPTS = `INSERT INTO receipt (request_guid, service_request_id, provider_guid, patient_guid, organisation_guid, bundle_guid,
      token_hash, token_key, feed_position, dispatched_at, updated_at)
    SELECT ${REQUEST}, ${SERVICE_REQUEST}, $5, ${PATIENT}, $5, ${BUNDLE}, sha256(${REQUEST}::text::bytea), $6, n, now(), now()
    FROM ${SERIES}`;

async function fillFeed(
  { database, keys }: DispatchSite,
  original: Finalized,
  { size, patients }: { readonly size: number; readonly patients: number },
): Promise<void> {
  const template = bundleOf(original);
  const patientPrefix = guidOf('patient', 0).slice(0, -12);
  const { keyId } = keys.makeToken(original.id);
  for (let from = 1; from <= size; from += STEP) {
    progress(`feed: ${from - 1} of ${size} requests`);
    const part = [from, Math.min(size, from + STEP - 1)];
    const ofPatients = [...part, patientPrefix, patients];
    await database.transaction(async (tx) => {
      await tx.query(REQUESTS, [...ofPatients, PROVIDER]);
      await tx.query(MATCHES, [...part, PROVIDER]);
      await tx.query(BUNDLES, [...ofPatients, template, original.id, original.patientGuid]);
      await tx.query(RECEIPTS, [...ofPatients, PROVIDER, keyId]);
    });
  }
  await database.query(
    'INSERT INTO provider_feed VALUES ($1, $2) ON CONFLICT (provider_guid) DO UPDATE SET position = excluded.position',
    [PROVIDER, size],
  );
  progress('feed: analysing');
  await database.query('VACUUM ANALYZE');
}
