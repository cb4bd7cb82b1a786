// The types of variables that hold network addresses, mail addresses and client credentials.
import { isIP } from 'node:net';
import { CLIENT_SERVICES, type ClientService } from '../auth/principal.ts';
import { isAddressOrNetwork, isLoopbackUrl } from './address.ts';
import { Secret } from './secret.ts';
import { invalid, listOf, type Parsed, parsed, textThat, type ValueType } from './types.ts';

export interface ClientCredentials {
  readonly clientId: string;
  readonly clientSecret: Secret;
}

/** Of one of Kedja's services. */
interface ServiceCredentials extends ClientCredentials {
  readonly clientId: ClientService;
}

const HOST_NAME = /^(?=.{1,253}$)[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?(\.[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?)*$/i;
const EMAIL = /^[^\s@"<>,;]{1,64}@[^\s@"<>,;.]+(\.[^\s@"<>,;.]+)*$/;
const CLIENT_ID = /^[A-Za-z0-9._-]{1,64}$/;

/** A network interface to bind: an IP address or a host name, without port. */
export function host(): ValueType<string> {
  const isHost = (value: string) => isIP(value) !== 0 || (HOST_NAME.test(value) && !/^[\d.]+$/.test(value));
  return textThat('IP address or host name', isHost, 'must be an IP address or a host name, without port');
}

/** An IP address or a network in CIDR form. */
export function addressOrNetwork(): ValueType<string> {
  const issue = 'must be an IP address or a network such as 10.0.0.0/8';
  return textThat('IP address or network (`10.0.0.0/8`)', isAddressOrNetwork, issue);
}

/** An http(s) address, possibly with a path; the value has no slash at its end. */
export function url(): ValueType<string> {
  return urlThat('http(s) URL', ({ href }) => parsed(href.replace(/\/+$/, '')));
}

/** The http(s) URLs of the nodes of one service: they differ by their origins alone. */
export function nodeUrls(): ValueType<readonly string[]> {
  const list = listOf(url());
  return {
    ...list,
    parse: (value) => {
      const result = list.parse(value);
      if (!result.ok) return result;
      const paths = new Set(result.value.map((each) => new URL(each).pathname));
      return paths.size === 1 ? result : invalid('must name the same path at every node');
    },
  };
}

/** An http(s) origin: scheme, host and port, no path. */
export function origin(): ValueType<string> {
  return urlThat('http(s) origin', ({ pathname, origin: own }) => (pathname === '/' ? parsed(own) : NO_ORIGIN));
}

/** An origin whose pages may call from a browser (CORS); plain http only on this machine. */
export function pageOrigin(): ValueType<string> {
  return urlThat('https origin (http only on loopback)', (given) => {
    if (given.pathname !== '/') return NO_ORIGIN;
    return isProtected(given)
      ? parsed(given.origin)
      : invalid('must be an https origin (http is for loopback addresses only)');
  });
}

/** An allowed redirect of a sign-in: origin and path prefix; plain http only on this machine (decision I3). */
export function redirectTarget(): ValueType<string> {
  return urlThat('https URL (origin and path prefix; http only on loopback)', (given) =>
    isProtected(given) ? parsed(given.href) : invalid('must be an https URL (http is for loopback addresses only)'),
  );
}

const NO_ORIGIN = invalid('must be an origin (https://host, perhaps with a port) without a path');

/** https, or http on this machine. */
function isProtected({ protocol, href }: URL): boolean {
  return protocol === 'https:' || isLoopbackUrl(href);
}

/** An absolute http(s) URL without credentials, query and fragment that `check` accepts. */
function urlThat(label: string, check: (url: URL) => Parsed<string>): ValueType<string> {
  return { label, secret: false, parse: (value) => withUrl(value, check) };
}

function withUrl(value: string, check: (url: URL) => Parsed<string>): Parsed<string> {
  const parsedUrl = URL.parse(value);
  if (parsedUrl === null || !/^https?:\/\/[^/\\]/i.test(value) || /[\\\s]/.test(value)) {
    return invalid('must be an absolute URL that begins with https:// or http://');
  }
  if (parsedUrl.username !== '' || parsedUrl.password !== '') return invalid('must not hold a user name or a password');
  if (/[?#]/.test(value)) return invalid('must not hold a query or a fragment');
  return check(parsedUrl);
}

/** A `postgresql://` connection URL; a secret, because it usually holds a password. */
export function postgresUrl(): ValueType<Secret> {
  return {
    label: 'postgresql:// URL',
    secret: true,
    parse: (value) => {
      const parsedUrl = URL.parse(value);
      if (parsedUrl === null || !/^postgres(ql)?:$/.test(parsedUrl.protocol)) {
        return invalid('must be a URL such as postgresql://user:password@host:5432/kedja');
      }
      return parsedUrl.pathname.length > 1 ? parsed(new Secret(value)) : invalid('must name a database after the host');
    },
  };
}

export function email(): ValueType<string> {
  return textThat('e-mail address', (value) => EMAIL.test(value), 'must be an e-mail address');
}

/** One `client_id:client_secret` pair. */
export function clientCredentials(): ValueType<ClientCredentials> {
  return {
    label: '`client_id:client_secret`',
    secret: true,
    parse: (value) => {
      const colon = value.indexOf(':');
      const clientId = value.slice(0, Math.max(colon, 0));
      const clientSecret = value.slice(colon + 1);
      if (colon < 1 || clientSecret === '') return invalid('must have the form client_id:client_secret');
      if (!CLIENT_ID.test(clientId))
        return invalid('must have a client_id of letters, digits, dot, dash and underscore');
      return parsed({ clientId, clientSecret: new Secret(clientSecret) });
    },
  };
}

/** One `client_id:client_secret` pair whose client is one of Kedja's services. */
export function serviceCredentials(): ValueType<ServiceCredentials> {
  const pair = clientCredentials();
  return {
    ...pair,
    parse: (value) => {
      const given = pair.parse(value);
      if (!given.ok) return given;
      const clientId = CLIENT_SERVICES.find((service) => service === given.value.clientId);
      if (clientId === undefined) return invalid(`must name one of ${CLIENT_SERVICES.join(', ')} as client_id`);
      return parsed({ clientId, clientSecret: given.value.clientSecret });
    },
  };
}
