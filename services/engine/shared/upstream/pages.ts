// Checks page URLs of an external server: they must be below its base, but may have another origin.
import type { ServerDefinition } from './server-definition.ts';

/** Whether an absolute URL is below the server's base. */
export function isBelow({ url }: Pick<ServerDefinition, 'url'>, address: string): boolean {
  const parsed = URL.parse(address);
  if (parsed === null || parsed.username !== '' || parsed.password !== '') return false;
  const { href } = parsed;
  return href === url || href === `${url}/` || href.startsWith(`${url}/`) || href.startsWith(`${url}?`);
}

/**
 * Returns the URL of a page below the server's base; undefined for any other URL. A server behind a proxy often names
 * another origin than the one at which it is reached. Its page is then recognised by the type at the end of the path.
 */
export function pageBelow(server: ServerDefinition, resourceType: string, link: string): string | undefined {
  const parsed = URL.parse(link, `${server.url}/`);
  if (parsed === null) return undefined;
  if (isBelow(server, parsed.href)) return parsed.href;
  return parsed.pathname.endsWith(`/${resourceType}`) ? `${server.url}/${resourceType}${parsed.search}` : undefined;
}
