// Whether a certificate is genuine, and nothing that it names is left. It looks for the erased resources by their keys,
// and for the ids of the person in the texts of all tables. It looks for personnummer by their keyed digests.
import { nameKey, resourceKey } from '#fhir/search/extract/keys.ts';
import { findErasable, findNamed } from '#fhir/store/erasure/find.ts';
import { erasedCondition } from '#fhir/store/erasure/mark.ts';
import { INDEX_TABLES } from '#fhir/store/index/index-tables.ts';
import type { Database } from '#lib/db/database.ts';
import { isGuid } from '#lib/guid.ts';
import { parsePersonnummer } from '#lib/personnummer.ts';
import { quoted } from '../backup/catalog.ts';
import { type Certificate, digestOfNumber, isGenuine, readCertificate } from './certificate.ts';
import { erasedGuids } from './missing.ts';
import type { PlanOptions } from './plan.ts';
import type { ErasureSite, ServiceSite } from './services.ts';
import { personIds } from './target.ts';

/** Tables that keep the ids: access records, the erasures themselves, and references of other records. */
const ALLOWED: Readonly<Record<string, string>> = {
  audit_event: 'access records',
  audit_look: 'access records',
  access_log_entry: 'access records',
  access_log_party: 'access records',
  access_part: 'access records',
  access_part_value: 'access records',
  access_event: 'access records',
  access_event_value: 'access records',
  access_event_patient: 'access records',
  erasure: 'erasures',
  fhir_resource: 'references of other records, and the marks of erased ones',
  fhir_history: 'references of other records',
  fhir_reference: 'references of other records',
  fhir_token: 'references of other records',
  fhir_uri: 'references of other records',
  fhir_text: 'references of other records',
  fhir_text_queue: 'keys that wait for the index of words',
  user_change: 'accounts whose rights changed in the last hour',
  idempotency_key: 'sealed responses',
};
/** Which rows of an erased resource are more than the mark that stays. */
const LEFT: Readonly<Record<string, string>> = {
  fhir_resource: `NOT ${erasedCondition('t')}`,
  fhir_text: 'length(t.narrative) + length(t.content) > 0',
};
const BATCH = 1_000;
const FETCH = 10_000;
/** An id as long as this one is not by chance in what does not name it. */
const LONG_ID = 16;
const NUMBER = '(?<![0-9])(?:19|20)?[0-9]{6}[-+]?[0-9]{4}(?![0-9])';

interface Remains {
  readonly place: string;
  readonly count: number;
}

/** Prints what it finds, and returns the exit code. @throws Error for a file that is no certificate of this site */
export async function verify(site: ErasureSite, file: string, options: PlanOptions): Promise<number> {
  const certificate = await readCertificate(file);
  if (!isGenuine(await site.key(), certificate)) throw new Error(`${file} was not made by this site, or was changed`);
  console.log(`${certificate.erasure_guid}: the certificate is genuine.`);
  const left: string[] = [];
  for (const each of site.services) {
    if (!(await erasedGuids(each.database)).has(certificate.erasure_guid))
      left.push(`${each.service}: this erasure is not in the database; apply it by kedja erase --again`);
    for (const { place, count } of await remainingResources(each, certificate)) left.push(`${place}: ${count} rows`);
    for (const name of await remainingOfPatients(site, each, certificate, options))
      left.push(`${each.service}/${name}: a resource of the person; erase it by --resource`);
    const { allowed, others } = await remainingIds(each, certificate, options);
    for (const { place, count } of others) left.push(`${place}: ${count} rows with an id of the person`);
    for (const { place, count } of allowed) console.log(`  ${place}: ${count} rows with an id`);
    for (const place of await remainingNumbers(site, each, certificate))
      left.push(`${place}: a personnummer of the person`);
  }
  for (const line of left) console.error(`left: ${line}`);
  console.log(left.length === 0 ? 'Nothing is left but what is named above.' : `${left.length} places are not clean.`);
  return left.length === 0 ? 0 : 1;
}

/** Rows of erased resources: contents, versions and values of the index. */
async function remainingResources({ service, database }: ServiceSite, certificate: Certificate): Promise<Remains[]> {
  if (service === 'identity') return [];
  const names = certificate.services[service]?.erased ?? [];
  const counts = new Map<string, number>();
  for (let start = 0; start < names.length; start += BATCH) {
    const some = names.slice(start, start + BATCH).map((name) => name.split('/'));
    const keys = [some.map(([type = '']) => nameKey(type)), some.map(([, id = '']) => resourceKey(id))];
    for (const table of ['fhir_resource', 'fhir_history', 'fhir_text', ...INDEX_TABLES.map((each) => each.table)]) {
      const { rows } = await database.query<{ n: number }>(
        `SELECT count(*)::int AS n FROM unnest($1::int[], $2::uuid[]) k(type, rid) JOIN ${table} t USING (type, rid)
         WHERE ${LEFT[table] ?? 'true'}`,
        keys,
      );
      counts.set(table, (counts.get(table) ?? 0) + (rows[0]?.n ?? 0));
    }
  }
  return [...counts].flatMap(([table, count]) => (count > 0 ? [{ place: `${service}.${table}`, count }] : []));
}

/**
 * Resources that are the person's alone: written since, or about a Patient of the other service, which an erasure by an
 * older version left.
 */
async function remainingOfPatients(
  site: ErasureSite,
  { service, database }: ServiceSite,
  { target }: Certificate,
  { onRows, signal }: PlanOptions,
): Promise<string[]> {
  if (service === 'identity' || target.kind !== 'patient') return [];
  const own = target.patients[service];
  const others = personIds(target).filter((id) => isGuid(id) && !own.includes(id));
  // An id that another Patient has here is that one's.
  const taken = new Set((await findNamed(database, 'Patient', others)).map(({ name }) => name));
  const patients = [...own, ...others.filter((id) => !taken.has(`Patient/${id}`))];
  const parameters = site.parametersOf(service);
  const found = await findErasable(database, { patients, resources: [], texts: [] }, { parameters, onRows, signal });
  return found.own.map(({ name }) => name);
}

/** The tables of the service's schema, without partitioned parents. */
async function tablesOf(database: Database): Promise<string[]> {
  const { rows } = await database.query<{ name: string }>(
    `SELECT relname::text AS name FROM pg_class WHERE relnamespace = current_schema()::regnamespace AND relkind = 'r' ORDER BY 1`,
  );
  return rows.map(({ name }) => name);
}

async function remainingIds(
  { service, database }: ServiceSite,
  { target }: Certificate,
  { signal }: PlanOptions,
): Promise<{ readonly allowed: readonly Remains[]; readonly others: readonly Remains[] }> {
  const ids = personIds(target);
  if (ids.length === 0) return { allowed: [], others: [] };
  // A short id is anywhere by chance: it is looked for in references alone.
  const isLong = (id: string) => id.length >= LONG_ID;
  const patterns = [
    ids.filter(isLong).map((id) => `%${id.replaceAll(/[\\%_]/g, '\\$&')}%`),
    ids.filter((id) => !isLong(id)).map((id) => `Patient/${id.replaceAll('.', '\\.')}(?![A-Za-z0-9.-])`),
  ];
  const allowed: Remains[] = [];
  const others: Remains[] = [];
  for (const table of await tablesOf(database)) {
    signal.throwIfAborted();
    const { rows } = await database.query<{ n: number }>(
      `SELECT count(*)::int AS n FROM ${quoted(table)} AS t WHERE t::text LIKE ANY($1::text[]) OR t::text ~ ANY($2::text[])`,
      patterns,
    );
    const count = rows[0]?.n ?? 0;
    const why = ALLOWED[table.replace(/_\d{4}_\d{2}$/, '')];
    if (count > 0 && why === undefined) others.push({ place: `${service}.${table}`, count });
    else if (count > 0) allowed.push({ place: `${service}.${table} (${why})`, count });
  }
  return { allowed, others };
}

/** Tables with a personnummer of the person, in any person's record. */
async function remainingNumbers(site: ErasureSite, { service, database }: ServiceSite, certificate: Certificate) {
  const digests = new Set(certificate.numbers);
  if (digests.size === 0) return [];
  const key = await site.key();
  const places: string[] = [];
  for (const table of await tablesOf(database)) {
    const isFound = await database.transaction(
      async (tx) => {
        await tx.query(
          `DECLARE numbers NO SCROLL CURSOR FOR SELECT DISTINCT m[1] AS text
           FROM ${quoted(table)} AS t, regexp_matches(t::text, '(${NUMBER})', 'g') AS m`,
        );
        for (;;) {
          const { rows } = await tx.query<{ text: string }>(`FETCH ${FETCH} FROM numbers`);
          if (rows.some(({ text }) => isOneOf(key, digests, text))) return true;
          if (rows.length < FETCH) return false;
        }
      },
      { readOnly: true },
    );
    if (isFound) places.push(`${service}.${table}`);
  }
  return places;
}

function isOneOf(key: Buffer, digests: ReadonlySet<string>, text: string): boolean {
  const number = parsePersonnummer(text, Date.now());
  return number !== undefined && digests.has(digestOfNumber(key, number));
}
