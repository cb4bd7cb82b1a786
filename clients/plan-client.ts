// Dispatch's calls to the plan service, by its FHIR REST API (decisions D1, D12): plan definitions by canonical
// address, and the catalogue of forms. Resources are returned as the received texts, so that decimals keep their
// digits.

import { compareVersions } from '#fhir/primitives/business-version.ts';
import { isAddressableId } from '#fhir/primitives/primitives.ts';
import { entryResources, readEntryResource, readResourceText } from '#fhir/resources/resource-text.ts';
import { credentialHeaders, type ServiceCredentials } from '#lib/auth/service-credentials.ts';
import { ServiceError } from '#lib/errors.ts';
import { expectJson, expectStatus, type ServiceFetch, type ServiceResponse } from '#lib/http/upstream/service-fetch.ts';

/** Some members of a resource, for lists. */
export type ResourceHead = Readonly<Record<string, unknown>>;

export interface PlanClient {
  /**
   * The resource with that canonical address (`url` or `url|version`). Without a version it is the one in force: active
   * before draft before retired. Among equals it is the latest version, "10" after "9" (docs/adr/0021), then the one
   * updated last. Undefined when there is none.
   * @throws ServiceError `upstream_unavailable`, `upstream_error`
   */
  findByCanonical(
    type: 'PlanDefinition' | 'ActivityDefinition' | 'ValueSet' | 'Questionnaire',
    canonical: string,
  ): Promise<string | undefined>;
  /**
   * The ValueSet with its expansion; undefined when the plan service has none with that address.
   * @throws as `findByCanonical`
   */
  expandValueSet(canonical: string): Promise<string | undefined>;
  /** A form by its guid; undefined when there is none. @throws as `findByCanonical` */
  readForm(formGuid: string): Promise<string | undefined>;
  /**
   * The members of each form that a list shows: id, url, version, title, name and status.
   * @throws as `findByCanonical`
   */
  listForms(): Promise<ResourceHead[]>;
}

const PAGE = 500;
const MAX_PAGES = 100;
/** The limit of a page of such members. */
const MAX_PAGE_BYTES = 4 * 1024 * 1024;
/** The limit of one resource: the largest that Kedja accepts, and what is written into it. */
const MAX_RESOURCE_BYTES = 11 * 1024 * 1024;
const STATUS_ORDER = ['active', 'draft', 'unknown', 'retired'];

export interface PlanClientOptions {
  /** Starts at the plan service's FHIR base (for the engine: its address with `/api/v1`). */
  readonly fetch: ServiceFetch;
  readonly credentials: ServiceCredentials | undefined;
  /** {@link readPlanResponse} for a text of any length; parses at once when left out. */
  readonly read?: (text: string) => Promise<PlanResponse>;
}

/** A parsed response of the plan service. */
export interface PlanResponse {
  readonly resourceType: string;
  /** JSON texts of the resources of a Bundle. */
  readonly entries: readonly string[];
}

/** @throws ServiceError `upstream_error` for anything but a FHIR resource */
export function readPlanResponse(text: string): PlanResponse {
  try {
    const answer = readResourceText(text);
    const entries = entryResources(answer).filter((entry) => entry !== undefined);
    return {
      resourceType: answer.resourceType,
      entries: entries.map((entry) => readEntryResource(answer, entry).text),
    };
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    throw malformed('what is no FHIR resource');
  }
}

export function createPlanClient(options: PlanClientOptions): PlanClient {
  const { read = async (text) => readPlanResponse(text) } = options;
  const headers = { ...credentialHeaders(options.credentials), accept: 'application/fhir+json' };
  const get = (path: string, maxBytes = MAX_RESOURCE_BYTES) => options.fetch(path, { headers, maxBytes });

  /** Selects by a few members first, as there may be many resources with one address, each of megabytes. */
  async function findByCanonical(type: string, canonical: string): Promise<string | undefined> {
    const [url = '', version] = canonical.split('|', 2);
    const wanted = { url, ...(version === undefined ? {} : { version }), _count: '50', _elements: 'version,status' };
    const id = idOf(inForce(await findHeads(type, new URLSearchParams(wanted).toString())));
    if (id === undefined) return undefined;
    // Reads by search, as a caller may search without a right to read by id.
    const { entries } = await readUpstream(await get(`/${type}?${new URLSearchParams({ _id: id })}`), 'Bundle');
    return entries[0];
  }

  /** Reads all pages. */
  async function findHeads(type: string, firstQuery: string): Promise<ResourceHead[]> {
    const found: ResourceHead[] = [];
    let query = firstQuery;
    for (let page = 0; page < MAX_PAGES; page += 1) {
      const { heads, next } = await readPage(await get(`/${type}?${query}`, MAX_PAGE_BYTES));
      for (const head of heads) if (head['resourceType'] === type) found.push(head);
      if (next === undefined) return found;
      query = next;
    }
    throw new ServiceError('upstream_error', `The plan service lists ${type} on more than ${MAX_PAGES} pages`);
  }

  /** @throws ServiceError `upstream_error` for anything but a resource of the type */
  async function readUpstream(answer: ServiceResponse, type: string): Promise<PlanResponse> {
    expectStatus(answer, 200);
    const found = await read(answer.text);
    if (found.resourceType !== type) throw malformed();
    return found;
  }

  return {
    findByCanonical,
    async expandValueSet(canonical) {
      const [url = '', version] = canonical.split('|', 2);
      const query = new URLSearchParams({ url, ...(version === undefined ? {} : { valueSetVersion: version }) });
      const answer = await get(`/ValueSet/$expand?${query}`);
      if (answer.status === 200) {
        await readUpstream(answer, 'ValueSet');
        return answer.text;
      }
      if (answer.status >= 500 || answer.status === 429) expectStatus(answer, 200);
      return findByCanonical('ValueSet', canonical);
    },
    async readForm(formGuid) {
      if (!isAddressableId(formGuid)) return undefined;
      const answer = await get(`/Questionnaire/${encodeURIComponent(formGuid)}`);
      if (answer.status === 404 || answer.status === 410) return undefined;
      await readUpstream(answer, 'Questionnaire');
      return answer.text;
    },
    listForms: () => findHeads('Questionnaire', `_count=${PAGE}&_elements=url,version,title,name,status`),
  };
}

interface SearchPage {
  readonly heads: readonly ResourceHead[];
  /** The query of the next page. */
  readonly next: string | undefined;
}

async function readPage(answer: ServiceResponse): Promise<SearchPage> {
  const bundle = await expectJson(answer, 200);
  if (!isHead(bundle)) throw malformed('what is no FHIR resource');
  if (bundle['resourceType'] !== 'Bundle') throw malformed();
  const entries = Array.isArray(bundle['entry']) ? bundle['entry'].filter(isHead) : [];
  const heads = entries.flatMap(({ resource }) => (isHead(resource) ? [resource] : []));
  return { heads, next: nextQuery(bundle['link']) };
}

function isHead(value: unknown): value is ResourceHead {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** @throws ServiceError `upstream_error` for an id that cannot be requested */
function idOf(head: ResourceHead | undefined): string | undefined {
  if (head === undefined) return undefined;
  if (!hasText(head, 'id') || !isAddressableId(head.id)) throw malformed('a resource without an id');
  return head.id;
}

/** Uses only the query: the plan service may know itself by another address than the one that we use. */
function nextQuery(links: unknown): string | undefined {
  if (!Array.isArray(links)) return undefined;
  const next: unknown = links.find((link: unknown) => hasText(link, 'relation') && link.relation === 'next');
  if (!hasText(next, 'url')) return undefined;
  return next.url.split('?', 2)[1];
}

function inForce(candidates: readonly ResourceHead[]): ResourceHead | undefined {
  const ranked = [...candidates].sort(
    (a, b) =>
      rankOf(a) - rankOf(b) || compareVersions(versionOf(b), versionOf(a)) || (updatedAt(a) < updatedAt(b) ? 1 : -1),
  );
  return ranked[0];
}

function versionOf(resource: ResourceHead): string | undefined {
  return hasText(resource, 'version') ? resource.version : undefined;
}

function rankOf(resource: ResourceHead): number {
  const rank = STATUS_ORDER.indexOf(String(resource['status']));
  return rank === -1 ? STATUS_ORDER.length : rank;
}

function updatedAt(resource: ResourceHead): string {
  const meta = resource['meta'];
  return hasText(meta, 'lastUpdated') ? meta.lastUpdated : '';
}

function hasText<K extends string>(value: unknown, key: K): value is Record<K, string> {
  return typeof value === 'object' && value !== null && typeof Reflect.get(value, key) === 'string';
}

function malformed(what = 'another kind of resource than it was asked for'): ServiceError {
  return new ServiceError('upstream_error', `The plan service answered ${what}`);
}
