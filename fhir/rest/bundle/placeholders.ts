// References to `urn:uuid:…` and `urn:oid:…`, by which the entries of a bundle name each other before they have
// addresses. One that is the fullUrl of no entry of the transaction means nothing, and is refused
// (hl7.org/fhir/R5/bundle.html#references, http.html#trules).
import { type Issue, messageOf, ServiceError } from '#lib/errors.ts';
import type { RouteContext } from '../context.ts';
import { relinkedBy } from '../interactions/write/conditional-references.ts';
import { isPlaceholder } from '../links.ts';
import { atEntry } from './failure.ts';
import type { BundleRequest } from './request.ts';

const NO_LINKS = { fullUrl: undefined, addresses: new Map(), conditional: new Map() };

const PLACEHOLDER_REFERENCE = /"reference"\s*:\s*"urn:/;

/**
 * Whether a JSON text may hold a placeholder, found without parsing it. Most resources have `urn:` in systems only.
 * JSON may escape any character, so an escape counts as one.
 */
export function mayHavePlaceholder(text: string): boolean {
  return PLACEHOLDER_REFERENCE.test(text) || text.includes('\\u00');
}

/** Collects references to placeholders that no entry of the bundle has as its fullUrl. */
export class DanglingReferences {
  readonly #issues: Issue[] = [];

  /** Adds the references to placeholders that are left in an entry. */
  note(request: BundleRequest, links: readonly string[]): void {
    for (const link of links) {
      for (const issue of issuesOf(request, link, 'is the fullUrl of no entry of the bundle')) this.#issues.push(issue);
    }
  }

  /** @throws ServiceError `unprocessable` naming each of them */
  requireNone(): void {
    if (this.#issues.length === 0) return;
    throw new ServiceError('unprocessable', messageOf(this.#issues), { issues: this.#issues });
  }
}

/**
 * Refuses an entry of a batch that refers to another entry. The entries of a batch are independent, so the reference
 * would lead nowhere (hl7.org/fhir/R5/http.html#batch).
 * @throws ServiceError `unprocessable` naming each such reference
 */
export async function requireIndependent(
  request: BundleRequest,
  fullUrls: ReadonlySet<string>,
  context: RouteContext,
): Promise<void> {
  const { source } = request;
  if (fullUrls.size === 0 || source === undefined || source.resourceType === 'Bundle') return;
  if (!mayHavePlaceholder(source.text)) return;
  const { dangling } = await relinkedBy(source, NO_LINKS, context);
  const issues = dangling
    .filter((link) => fullUrls.has(link))
    .map((link): Issue => {
      const message = `The reference ${link} names another entry of the batch; send a transaction, which puts it right`;
      return { message, field: source.resourceType, code: 'business-rule' };
    });
  if (issues.length > 0) throw new ServiceError('unprocessable', messageOf(issues), { issues });
}

/** The fullUrls that are placeholders. */
export function placeholdersOf(requests: readonly BundleRequest[]): ReadonlySet<string> {
  return new Set(requests.flatMap(({ fullUrl }) => (fullUrl !== undefined && isPlaceholder(fullUrl) ? [fullUrl] : [])));
}

function issuesOf(request: BundleRequest, link: string, why: string): readonly Issue[] {
  const message = `The reference ${link} ${why}`;
  const issue: Issue = { message, field: request.type.type, code: 'not-found' };
  const error = atEntry(new ServiceError('unprocessable', message, { issues: [issue] }), request);
  return error instanceof ServiceError ? error.issues : [issue];
}
