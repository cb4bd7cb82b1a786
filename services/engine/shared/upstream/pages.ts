// Pages that an external server names: addresses below its base, whatever origin it thinks it has.
import type { ServerDefinition } from './server-definition.ts';

/** Whether an absolute address lies below the server's base. */
export function isBelow({ url }: Pick<ServerDefinition, 'url'>, address: string): boolean {
  const parsed = URL.parse(address);
  if (parsed === null || parsed.username !== '' || parsed.password !== '') return false;
  const { href } = parsed;
  return href === url || href === `${url}/` || href.startsWith(`${url}/`) || href.startsWith(`${url}?`);
}

/**
 * The address of a page that the server named, below its base; undefined for what is none. Servers behind a proxy often
 * name another origin than the one they are reached at: what they mean is known by the type at the end of the path.
 */
export function pageBelow(server: ServerDefinition, resourceType: string, link: string): string | undefined {
  const parsed = URL.parse(link, `${server.url}/`);
  if (parsed === null) return undefined;
  if (isBelow(server, parsed.href)) return parsed.href;
  return parsed.pathname.endsWith(`/${resourceType}`) ? `${server.url}/${resourceType}${parsed.search}` : undefined;
}
