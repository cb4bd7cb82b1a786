// SQL that reads what the consent gate decides by (decision D7), from the tables of the FHIR store: one statement for
// all patients and organisations of a group of questions.
import { isFhirId } from '#fhir/primitives/primitives.ts';
import { nameKey, resourceKey } from '#fhir/search/extract/keys.ts';
import type { PreparedStatement, Queryable } from '#lib/db/database.ts';
import { ownConsents } from './own-store.ts';
import { linkedPatients, mayHave, type PatientRow } from './person-store.ts';

/** Ids of Patients and of Organizations. */
export interface AskedFiles {
  readonly patients: readonly string[];
  readonly organisations: readonly string[];
}

/** What was found about patients and organisations. The contents are JSON. */
export interface FoundFiles {
  /** Active Consents whose subject is one of the patients. */
  readonly named: readonly string[];
  /** Active Consents that people have given themselves, and the record that was asked about. */
  readonly own: readonly { readonly record: string; readonly content: string }[];
  /** Patients that may have a link, and those that link to one of the patients. */
  readonly linked: readonly PatientRow[];
  /** The stored organisations. Of one that is part of no other, the id alone. */
  readonly organisations: readonly { readonly id: string; readonly content: string | undefined }[];
}

interface Row {
  readonly kind: 'named' | 'own' | 'linked' | 'organisation';
  readonly id: string;
  readonly organisation: string | null;
  readonly content: string | null;
}

const CONSENTS = `SELECT 'named' AS kind, '' AS id, NULL::uuid AS organisation, r.content FROM (
    SELECT DISTINCT i.rid FROM fhir_reference i WHERE i.param = $2 AND i.target = ANY($1::uuid[]) AND i.target_type = $3
  ) k JOIN fhir_resource r ON r.type = $4 AND r.rid = k.rid AND NOT r.deleted
  WHERE EXISTS (SELECT FROM fhir_token t WHERE t.rid = k.rid AND t.param = $5 AND t.code = 'active')`;
const ORGANISATIONS = `SELECT 'organisation', coalesce(r.id, r.rid::text), NULL,
    CASE WHEN ${mayHave('partOf')} THEN r.content END
  FROM fhir_resource r WHERE r.type = $8 AND r.rid = ANY($7::uuid[]) AND NOT r.deleted`;

const READ: PreparedStatement = {
  name: 'consent-files',
  text: `${CONSENTS}
    UNION ALL SELECT 'own', o.record, NULL, o.content FROM (${ownConsents('$6', '$4')}) o
    UNION ALL SELECT 'linked', l.id, l.organisation, l.content FROM (${linkedPatients({ type: '$3', records: '$1', link: '$9' })}) l
    UNION ALL ${ORGANISATIONS}`,
};

const keysOf = (ids: readonly string[]) => ids.filter(isFhirId).map(resourceKey);

/** Reads all that most questions need. What a linked patient or a parent leads to is read further. */
export async function findFiles(db: Queryable, { patients, organisations }: AskedFiles): Promise<FoundFiles> {
  const consent = nameKey('Consent');
  const { rows } = await db.query<Row>(READ, [
    keysOf(patients),
    nameKey('Consent.patient'),
    nameKey('Patient'),
    consent,
    nameKey('Consent.status'),
    patients,
    keysOf(organisations),
    nameKey('Organization'),
    nameKey('Patient.link'),
  ]);
  const of = (wanted: Row['kind']) => rows.filter(({ kind }) => kind === wanted);
  return {
    named: of('named').flatMap(({ content }) => content ?? []),
    own: of('own').map(({ id, content }) => ({ record: id, content: content ?? '' })),
    linked: of('linked').map(({ id, organisation, content }) => ({ id, organisation, content: content ?? '' })),
    organisations: of('organisation').map(({ id, content }) => ({ id, content: content ?? undefined })),
  };
}
