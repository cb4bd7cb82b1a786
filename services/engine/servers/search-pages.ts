// Searches on an external server, page by page: the links of an answer lead back through us, as the caller cannot sign in to the server.
import { ServiceError } from '#lib/errors.ts';
import { readResourceText } from '#lib/fhir/resource-text.ts';
import { isBelow } from '../shared/upstream/pages.ts';
import type { ServerDefinition } from '../shared/upstream/server-definition.ts';

/** What leads to a further page. */
export const PAGE_PARAMETER = '_page';

/**
 * The address of a search: below the base, of its first page, or of one that the server itself named.
 * @throws ServiceError `validation_error` for a page that is not the server's
 */
export function searchPath(server: ServerDefinition, resourceType: string, query: string): string {
  const given = new URLSearchParams(query);
  const page = given.get(PAGE_PARAMETER);
  if (page === null) {
    // We read JSON, whatever the caller would like.
    given.delete('_format');
    const rest = given.toString();
    return `/${resourceType}${rest === '' ? '' : `?${rest}`}`;
  }
  if (isBelow(server, page)) return page;
  const message = `'${PAGE_PARAMETER}' must be the address of a page of this server`;
  throw new ServiceError('validation_error', message, { faults: [{ message, field: PAGE_PARAMETER }] });
}

/** The Bundle with other links: those without an address of ours are left out; everything else stays byte for byte. */
export function withOwnLinks(text: string, addressOf: (url: string) => string | undefined): string {
  const { members, resource } = readResourceText(text);
  const member = members.find(({ key }) => key === 'link');
  if (member === undefined) return text;
  const given: unknown = resource['link'];
  const links = (Array.isArray(given) ? given : []).flatMap((link: unknown) => {
    const { relation, url } = { ...(link as { relation?: unknown; url?: unknown }) };
    const address = typeof relation === 'string' && typeof url === 'string' ? addressOf(url) : undefined;
    return address === undefined ? [] : [{ relation, url: address }];
  });
  // A list of FHIR is never empty.
  if (links.length === 0) return withoutMember(text, member);
  return `${text.slice(0, member.valueStart)}${JSON.stringify(links)}${text.slice(member.end)}`;
}

function withoutMember(text: string, { start, end }: { readonly start: number; readonly end: number }): string {
  const [before, after] = [text.slice(0, start).trimEnd(), text.slice(end).trimStart()];
  if (before.endsWith(',')) return before.slice(0, -1) + after;
  return before + (after.startsWith(',') ? after.slice(1) : after);
}
