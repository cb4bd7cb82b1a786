// What dispatch asks of the plan service, over its FHIR REST interface (decisions D1, D12): plan definitions by their canonical
// address, and the catalogue of forms. Resources are handed on as the texts they came as, so that decimals keep their digits.
import { credentialHeaders, type ServiceCredentials } from '#lib/auth/service-credentials.ts';
import { ServiceError } from '#lib/errors.ts';
import { compareVersions } from '#lib/fhir/business-version.ts';
import { isAddressableId } from '#lib/fhir/primitives.ts';
import { entryResources, type ResourceText, readResourceText } from '#lib/fhir/resource-text.ts';
import { expectJson, type ServiceFetch, type ServiceResponse } from '#lib/http/service-fetch.ts';

export interface PlanClient {
  /**
   * The resource with that canonical address (`url` or `url|version`); without a version the one in force: active before draft
   * before retired, and of those the latest version, as in "10" after "9" (docs/adr/0021); where versions are the same, the one updated last.
   * Undefined when there is none.
   * @throws ServiceError `upstream_unavailable`, `upstream_error`
   */
  findByCanonical(
    type: 'PlanDefinition' | 'ActivityDefinition' | 'ValueSet',
    canonical: string,
  ): Promise<string | undefined>;
  /** The ValueSet with its expansion; undefined when the plan service has none of that address. @throws as `findByCanonical` */
  expandValueSet(canonical: string): Promise<string | undefined>;
  /** A form by its guid; undefined when there is none. @throws as `findByCanonical` */
  readForm(formGuid: string): Promise<string | undefined>;
  /** What a list of forms shows of each form. @throws as `findByCanonical` */
  listForms(): Promise<ResourceText[]>;
}

const PAGE = 500;
const MAX_PAGES = 100;
const STATUS_ORDER = ['active', 'draft', 'unknown', 'retired'];

/** `fetch` begins at the plan service's FHIR base (for the engine: its address with `/api/v1`). */
export function createPlanClient(options: {
  fetch: ServiceFetch;
  credentials: ServiceCredentials | undefined;
}): PlanClient {
  const headers = { ...credentialHeaders(options.credentials), accept: 'application/fhir+json' };
  const get = (path: string) => options.fetch(path, { headers });

  async function findByCanonical(type: string, canonical: string): Promise<string | undefined> {
    const [url = '', version] = canonical.split('|', 2);
    const query = new URLSearchParams({ url, ...(version === undefined ? {} : { version }), _count: '50' });
    return inForce(await findAll(type, query.toString()));
  }

  /** All pages. */
  async function findAll(type: string, firstQuery: string): Promise<ResourceText[]> {
    const found: ResourceText[] = [];
    let query = firstQuery;
    for (let page = 0; page < MAX_PAGES; page += 1) {
      const bundle = readBundle(await get(`/${type}?${query}`));
      found.push(...bundle.resources.filter((resource) => resource.resourceType === type));
      if (bundle.next === undefined) return found;
      query = bundle.next;
    }
    throw new ServiceError('upstream_error', `The plan service lists ${type} on more than ${MAX_PAGES} pages`);
  }

  return {
    findByCanonical,
    async expandValueSet(canonical) {
      const [url = '', version] = canonical.split('|', 2);
      const query = new URLSearchParams({ url, ...(version === undefined ? {} : { valueSetVersion: version }) });
      const answer = await get(`/ValueSet/$expand?${query}`);
      if (answer.status === 200) return readUpstream(answer.text).text;
      if (answer.status >= 500 || answer.status === 429) expectJson(answer, 200);
      return findByCanonical('ValueSet', canonical);
    },
    async readForm(formGuid) {
      if (!isAddressableId(formGuid)) return undefined;
      const answer = await get(`/Questionnaire/${encodeURIComponent(formGuid)}`);
      if (answer.status === 404 || answer.status === 410) return undefined;
      expectJson(answer, 200);
      const form = readUpstream(answer.text);
      if (form.resourceType !== 'Questionnaire') throw malformed();
      return form.text;
    },
    listForms: () => findAll('Questionnaire', `_count=${PAGE}&_elements=url,version,title,name,status`),
  };
}

interface SearchPage {
  readonly resources: readonly ResourceText[];
  /** The query of the next page. */
  readonly next: string | undefined;
}

function readBundle(answer: ServiceResponse): SearchPage {
  expectJson(answer, 200);
  const bundle = readUpstream(answer.text);
  if (bundle.resourceType !== 'Bundle') throw malformed();
  const resources = entryResources(bundle).flatMap((entry) =>
    entry === undefined ? [] : [readUpstream(bundle.text.slice(entry.span.start, entry.span.end))],
  );
  return { resources, next: nextQuery(bundle.resource['link']) };
}

/** Only the query counts: the address under which the plan service knows itself may not be the one we reach it by. */
function nextQuery(links: unknown): string | undefined {
  if (!Array.isArray(links)) return undefined;
  const next: unknown = links.find((link: unknown) => hasText(link, 'relation') && link.relation === 'next');
  if (!hasText(next, 'url')) return undefined;
  return next.url.split('?', 2)[1];
}

function inForce(candidates: readonly ResourceText[]): string | undefined {
  const ranked = [...candidates].sort(
    (a, b) =>
      rankOf(a) - rankOf(b) || compareVersions(versionOf(b), versionOf(a)) || (updatedAt(a) < updatedAt(b) ? 1 : -1),
  );
  return ranked[0]?.text;
}

function versionOf({ resource }: ResourceText): string | undefined {
  return hasText(resource, 'version') ? resource.version : undefined;
}

function rankOf({ resource }: ResourceText): number {
  const rank = STATUS_ORDER.indexOf(String(resource['status']));
  return rank === -1 ? STATUS_ORDER.length : rank;
}

function updatedAt({ resource }: ResourceText): string {
  const meta = resource['meta'];
  return hasText(meta, 'lastUpdated') ? meta.lastUpdated : '';
}

function hasText<K extends string>(value: unknown, key: K): value is Record<K, string> {
  return typeof value === 'object' && value !== null && typeof Reflect.get(value, key) === 'string';
}

function readUpstream(text: string): ResourceText {
  try {
    return readResourceText(text);
  } catch (error) {
    throw new ServiceError('upstream_error', 'The plan service answered what is no FHIR resource', { cause: error });
  }
}

function malformed(): ServiceError {
  return new ServiceError('upstream_error', 'The plan service answered another kind of resource than it was asked for');
}
