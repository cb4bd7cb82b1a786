// Where the console runs: in a browser, or at the gateway, which renders the first view of a face for one person
// (./server/render.tsx). Code that needs something of the browser asks here first.

export type ColorScheme = 'auto' | 'light' | 'dark';

/** What a rendering has in the place of the browser. It belongs to one request, and so to one person. */
export interface ServerPlace {
  readonly language: 'sv' | 'en';
  readonly colorScheme: ColorScheme;
  /** Of the reader, by its IANA name. */
  readonly timeZone: string;
  /** At which the browser reaches the console. */
  readonly origin: string;
  /** Of the page, for its style sheets. */
  readonly nonce: string;
  /** Sends a request for the person. */
  readonly fetch: (request: Request) => Promise<Response>;
}

/** Put before the addresses of requests, which have no page at the gateway to be relative to. */
export const REQUEST_ORIGIN = typeof window === 'undefined' ? 'http://gateway.invalid' : '';

let find: () => ServerPlace | undefined = () => undefined;

/** Undefined in a browser. */
export function serverPlace(): ServerPlace | undefined {
  return find();
}

/** For the renderer alone. */
export function findServerPlaceBy(finder: () => ServerPlace | undefined): void {
  find = finder;
}

/** The origin of the page. */
export function pageOrigin(): string {
  return serverPlace()?.origin ?? window.location.origin;
}
