// A copy of all that Kedja has about a patient, as one JSON file (GDPR, articles 15 and 20). It is read page by page,
// by the addresses that the patient's screens use. So it has what the patient may see, and each read is recorded.
import type { Bundle, BundleEntry, FhirResource } from 'fhir/r5';
import { isSent } from '../queries.ts';

export interface CopyDeps {
  /** The JSON at an address of this site. @throws Problem, UnreachableError */
  readonly read: (address: string) => Promise<unknown>;
  /** Of the texts in the access log. */
  readonly language: string;
  readonly now: () => Date;
  /** How many resources and rows have been read so far. */
  readonly onProgress: (read: number) => void;
}

const FHIR_PAGE = 200;
const ROWS = 200;
/** What dispatch has of a patient. Archived requests are found by themselves. */
const SEARCHES = [
  'Patient?',
  'CarePlan?',
  'ServiceRequest?',
  'ServiceRequest?archived=true&',
  'Consent?',
  'QuestionnaireResponse?',
  'Observation?',
];

interface Numbered {
  readonly data: readonly unknown[];
  readonly total: number;
}

interface LogPage {
  readonly data: readonly unknown[];
  readonly next_cursor: string | null;
}

/**
 * The file, in pieces: `{created, account, proxies, consents, forms, matches, access_log, fhir}`. `fhir` is a Bundle of
 * the type `collection` (hl7.org/fhir/R5/bundle.html) with each resource of dispatch and engine once, by its address.
 * @throws what `read` throws; nothing is left out
 */
export async function collectOwnCopy({ read, language, now, onProgress }: CopyDeps): Promise<readonly string[]> {
  const created = now().toISOString();
  let count = 0;
  const add = (more: number) => {
    count += more;
    onProgress(count);
  };

  /** All rows of a list, whose pages are numbered. */
  async function rowsOf(address: string): Promise<readonly unknown[]> {
    const rows: unknown[] = [];
    for (let page = 1; ; page += 1) {
      const { data, total } = (await read(`${address}?per_page=${ROWS}&page=${page}`)) as Numbered;
      rows.push(...data);
      add(data.length);
      if (data.length === 0 || rows.length >= total) return rows;
    }
  }

  /** All rows of the access log, newest first: what is read meanwhile is newer. */
  async function readLog(): Promise<readonly unknown[]> {
    const rows: unknown[] = [];
    for (let cursor: string | null = ''; cursor !== null; ) {
      const query = new URLSearchParams({
        lang: language,
        per_page: String(ROWS),
        ...(cursor === '' ? {} : { cursor }),
      });
      const page = (await read(`/engine/api/v1/access-log?${query}`)) as LogPage;
      rows.push(...page.data);
      add(page.data.length);
      cursor = page.next_cursor;
    }
    return rows;
  }

  const seen = new Set<string>();
  const entries: string[] = [];
  const requests: string[] = [];
  // Several, where units made records before there was an account (decision L1).
  const patients = new Set<string>();
  const take = ({ fullUrl, resource }: BundleEntry<FhirResource>) => {
    if (resource === undefined || seen.has(fullUrl ?? '')) return;
    if (fullUrl !== undefined) seen.add(fullUrl);
    entries.push(JSON.stringify({ fullUrl, resource }));
    if (resource.resourceType === 'ServiceRequest' && isSent(resource)) requests.push(resource.id ?? '');
    if (resource.resourceType === 'Patient') patients.add(resource.id ?? '');
  };
  /** All pages of a search. */
  async function takeAll(address: string): Promise<void> {
    for (let next: string | undefined = address; next !== undefined; ) {
      const { entry = [], link = [] } = (await read(next)) as Bundle<FhirResource>;
      entry.forEach(take);
      add(entry.length);
      const onward: string | undefined = link.find(({ relation }) => relation === 'next')?.url;
      next = onward === undefined ? undefined : pathOf(onward);
    }
  }

  const account = await read('/identity/api/auth/account');
  const proxies = await read('/identity/api/patient/proxies');
  const consents = await rowsOf('/dispatch/api/v1/own-consents');
  const forms = await rowsOf('/dispatch/api/v1/patient-forms');
  for (const search of SEARCHES) await takeAll(`/dispatch/api/v1/${search}_count=${FHIR_PAGE}&_total=none`);
  const matches: unknown[] = [];
  for (const request of requests) matches.push(...(await rowsOf(`/dispatch/api/v1/ServiceRequest/${request}/matches`)));
  await takeAll(`/engine/api/v1/Patient?_count=${FHIR_PAGE}&_total=none`);
  // Of an own record that only dispatch has, the engine has values all the same.
  for (const patient of patients) await takeAll(`/engine/api/v1/Patient/${patient}/*?_count=${FHIR_PAGE}&_total=none`);
  const log = await readLog();

  const parts = { created, account, proxies, consents, forms, matches, access_log: log };
  const bundle = { resourceType: 'Bundle', type: 'collection', timestamp: created };
  return [
    JSON.stringify(parts).slice(0, -1),
    `,"fhir":${JSON.stringify(bundle).slice(0, -1)}`,
    // FHIR has no empty lists.
    ...(entries.length === 0 ? [] : [',"entry":[', ...separated(entries), ']']),
    '}}\n',
  ];
}

/** Pages lead to the public address, which is the one of this page. */
function pathOf(url: string): string {
  const { pathname, search } = new URL(url);
  return pathname + search;
}

function separated(texts: readonly string[]): string[] {
  return texts.map((text, place) => (place === 0 ? text : `,\n${text}`));
}
