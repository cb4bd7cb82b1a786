// The cookie of the browser session that identity keeps (decision L11, docs/adr/0080). All services are at one public
// origin, so each receives it: a service hands it to identity when its user signs out. It opens nothing but sign-ins.
import { isLoopbackHost } from '../config/address.ts';
import { cookieIn, createCookieWriter } from './cookie-header.ts';

/** 256 random bits in base64url. */
const SECRET = /^[A-Za-z0-9_-]{43}$/;

export interface BrowserCookie {
  /** Whether a session may be made: over https, and over http on this machine alone. */
  readonly isAllowed: boolean;
  /** The secret in a `Cookie` header; undefined when it is absent or malformed. */
  read(header: string | undefined): string | undefined;
  /** `Set-Cookie` with the secret. It goes when the browser is closed. */
  set(secret: string): string;
  /** `Set-Cookie` that deletes it. */
  readonly end: string;
}

/** `publicUrl` is any address at the public origin. */
export function createBrowserCookie(publicUrl: string): BrowserCookie {
  const { protocol, hostname } = new URL(publicUrl);
  const isSecure = protocol === 'https:';
  const isAllowed = isSecure || isLoopbackHost(hostname);
  const cookies = createCookieWriter({ isSecure });
  const name = `${cookies.namePrefix}kedja-session`;
  return {
    isAllowed,
    read(header) {
      const value = cookieIn(header, name);
      return isAllowed && value !== undefined && SECRET.test(value) ? value : undefined;
    },
    set: (secret) => cookies.set(name, secret),
    end: cookies.end(name),
  };
}
