// Reports Patients with their owner and personnummer to identity, which links them to registered patients (decision L1,
// docs/adr/0068). The outbox holds the keys of written Patients and no numbers: what is reported is read when it is
// sent. Delivery is at least once, and identity ignores what it has a later report of.
//
// A service without a sink, as those of a tenant, keeps what waits. That is one row for each Patient, and no more with
// each write. To remove it would cost a further write for each, and a sink that comes later needs all of them.
import { nameKey, resourceKey } from '#fhir/search/extract/keys.ts';
import { isPersonSystem } from '#fhir/search/extract/named-patients.ts';
import type { Database } from '#lib/db/database.ts';
import { createThrottledLoop } from '#lib/jobs/throttled-loop.ts';
import type { WorkerLoop } from '#lib/jobs/worker-loop.ts';
import type { Logger } from '#lib/log/logger.ts';
import { namedReaders, protectedCondition } from './protected-identity.ts';
import { SqlValues } from './search/sql/sql-values.ts';

export interface PatientReport {
  /** The FHIR id. */
  readonly id: string;
  readonly organisation: string | null;
  /** Rises with each write of the Patient. */
  readonly change: number;
  /** The values of its identifiers with a system of personal or coordination numbers, as written. */
  readonly numbers: readonly string[];
  /** Of a protected identity: the guids of those to whom its labels show it (docs/adr/0090); undefined for others. */
  readonly protectedFor: readonly string[] | undefined;
}

/** Resolves when identity has stored the reports. */
export type PatientReportSink = (reports: readonly PatientReport[]) => Promise<void>;

const BATCH = 200;
const INTERVAL_MS = 500;
/** More numbers than a person can have, and longer texts than a number is, are not reported. */
const MAX_NUMBERS = 10;
const MAX_LENGTH = 20;

interface WaitingRow {
  readonly rid: string;
  readonly change: number;
  readonly id: string | null;
  readonly organisation: string | null;
  readonly deleted: boolean;
  /** The JSON of `Patient.identifier`: the other elements may be long. */
  readonly identifiers: string | null;
  /** The JSON of `Patient.meta.security`. */
  readonly labels: string | null;
}

/** The waiting Patients that `chosen` selects, of the type $2. */
function waitingText(chosen: string): string {
  return `SELECT c.rid, c.change, r.id, r.organisation, r.deleted, (r.content::json -> 'identifier')::text AS identifiers,
      (r.content::json #> '{meta,security}')::text AS labels
    FROM (SELECT rid, change FROM fhir_patient_change ${chosen}) c
    JOIN fhir_resource r ON r.type = $2 AND r.rid = c.rid ORDER BY c.change`;
}

const WAITING = { name: 'fhir-patients-to-report', text: waitingText('ORDER BY change LIMIT $1') };
const WAITING_OF = { name: 'fhir-patients-to-report-now', text: waitingText('WHERE rid = ANY($1::uuid[])') };

/**
 * Removes what was reported and not written since. A row that a writer holds is left for the next round: waiting for
 * several could be a deadlock.
 */
const REPORTED = {
  name: 'fhir-patients-reported',
  text: `DELETE FROM fhir_patient_change WHERE rid IN (
      SELECT c.rid FROM fhir_patient_change c JOIN unnest($1::uuid[], $2::bigint[]) AS d (rid, change)
        ON d.rid = c.rid AND d.change = c.change FOR UPDATE OF c SKIP LOCKED)`,
};

/**
 * All protected Patients wait again: a node of the release before, which did not report the labels, may have reported
 * them. There are few of them.
 */
async function reportProtectedAgain(database: Database): Promise<void> {
  const values = new SqlValues();
  const condition = protectedCondition('r', values);
  const text = `INSERT INTO fhir_patient_change (rid, change)
    SELECT r.rid, nextval('fhir_patient_change_number') FROM fhir_resource r
    WHERE r.type = ${values.key(nameKey('Patient'))} AND NOT r.deleted AND ${condition}
    ON CONFLICT (rid) DO UPDATE SET change = excluded.change`;
  await database.query(text, values.list);
}

export interface PatientReporter extends WorkerLoop {
  /** Reports these Patients now, as far as they wait; at most 200 of them. @throws what the sink throws */
  reportNow(patientGuids: readonly string[]): Promise<void>;
}

export function createPatientReporter({
  database,
  log,
  sink,
}: {
  readonly database: Database;
  readonly log: Logger;
  readonly sink: PatientReportSink;
}): PatientReporter {
  let isFirst = true;

  async function report(rows: readonly WaitingRow[]): Promise<void> {
    if (rows.length === 0) return;
    await sink(rows.map(toReport));
    await database.query(REPORTED, [rows.map(({ rid }) => rid), rows.map(({ change }) => change)]);
  }

  async function reportBatch(): Promise<boolean> {
    if (isFirst) await reportProtectedAgain(database);
    isFirst = false;
    const { rows } = await database.query<WaitingRow>(WAITING, [BATCH, nameKey('Patient')]);
    await report(rows);
    return rows.length === BATCH;
  }

  const loop = createThrottledLoop({ name: 'patient-reports', intervalMs: INTERVAL_MS, log, step: reportBatch });
  return {
    ...loop,
    async reportNow(patientGuids) {
      const keys = patientGuids.slice(0, BATCH).map(resourceKey);
      const { rows } = await database.query<WaitingRow>(WAITING_OF, [keys, nameKey('Patient')]);
      await report(rows);
    },
  };
}

function toReport({ rid, change, id, organisation, deleted, identifiers, labels }: WaitingRow): PatientReport {
  const numbers = deleted || identifiers === null ? [] : numbersIn(JSON.parse(identifiers));
  const protectedFor = deleted || labels === null ? undefined : namedReaders(JSON.parse(labels));
  return { id: id ?? rid, organisation, change, numbers, protectedFor };
}

function numbersIn(identifiers: unknown): string[] {
  const each: unknown[] = Array.isArray(identifiers) ? identifiers : [];
  const values = each.flatMap((identifier) => {
    if (typeof identifier !== 'object' || identifier === null) return [];
    const { system, value } = identifier as { readonly system?: unknown; readonly value?: unknown };
    if (!isPersonSystem(system) || typeof value !== 'string' || value.length > MAX_LENGTH) return [];
    return [value];
  });
  return [...new Set(values)].slice(0, MAX_NUMBERS);
}
