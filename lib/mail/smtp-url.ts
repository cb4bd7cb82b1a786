// KEDJA_SMTP_URL: the mail server (RFC 6409 submission, RFC 8314 TLS). Mails carry links that open accounts, so they
// travel encrypted unless the server is on this machine or the URL says `tls=none`.
import { isLoopbackHost } from '../config/address.ts';
import { Secret } from '../config/secret.ts';
import { invalid, parsed, type ValueType } from '../config/types.ts';

export interface SmtpServer {
  readonly host: string;
  readonly port: number;
  /** `implicit`: TLS from the start; `starttls`: required before anything else; `none`: plain text. */
  readonly tls: 'implicit' | 'starttls' | 'none';
  readonly user?: string;
  readonly password?: Secret;
}

const PORTS = { 'smtp:': 587, 'smtps:': 465 } as const;

/** `smtp://user:password@host:587`; `smtps:` for TLS from the start. A secret, since it may hold a password. */
export function smtpUrl(): ValueType<SmtpServer> {
  return {
    label: 'smtp:// or smtps:// URL',
    secret: true,
    parse: (value) => {
      const url = URL.parse(value);
      if (url === null || !/^smtps?:\/\/[^/]/i.test(value) || url.hostname === '') {
        return invalid('must be a URL such as smtps://user:password@mail.example.org');
      }
      const issues = [
        ...(/^\/?$/.test(url.pathname) && url.hash === '' ? [] : ['must have no path and no fragment']),
        ...((url.username === '') === (url.password === '')
          ? []
          : ['must name both a user and a password, or neither']),
        ...(isTlsQuery(url.search) ? [] : ['may have no other query than tls=none']),
      ];
      if (url.protocol === 'smtps:' && url.search !== '') issues.push('must not say tls=none after smtps:');
      if (issues.length > 0) return invalid(...issues);
      try {
        return parsed(serverOf(url));
      } catch {
        return invalid('must hold a user and a password that are percent-encoded');
      }
    },
  };
}

function isTlsQuery(query: string): boolean {
  return query === '' || query === '?tls=none';
}

/** @throws URIError for a user or a password that is not percent-encoded UTF-8 */
function serverOf(url: URL): SmtpServer {
  const { protocol, username, password, search } = url;
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1');
  const isPlain = search !== '' || isLoopbackHost(host);
  const tls = protocol === 'smtps:' ? 'implicit' : isPlain ? 'none' : 'starttls';
  const port = Number(url.port) || PORTS[protocol === 'smtps:' ? 'smtps:' : 'smtp:'];
  if (username === '') return { host, port, tls };
  return { host, port, tls, user: decodeURIComponent(username), password: new Secret(decodeURIComponent(password)) };
}
