// The browser and the system that a User-Agent names, as people call them.

/** The first that is found counts: others name themselves after those that come later. */
const BROWSERS = [
  ['Edg', 'Edge'],
  ['OPR', 'Opera'],
  ['Firefox', 'Firefox'],
  ['Chrome', 'Chrome'],
  ['CriOS', 'Chrome'],
  ['Safari', 'Safari'],
] as const;
const SYSTEMS = [
  ['Android', 'Android'],
  ['iPhone', 'iPhone'],
  ['iPad', 'iPad'],
  ['Windows', 'Windows'],
  ['Mac OS', 'Mac'],
  ['Linux', 'Linux'],
] as const;

export interface Device {
  readonly browser: string;
  readonly system: string;
}

/** Undefined for a program, and for a browser that is not known. */
export function deviceOf(userAgent: string | null): Device | undefined {
  const browser = BROWSERS.find(([mark]) => userAgent?.includes(mark))?.[1];
  const system = SYSTEMS.find(([mark]) => userAgent?.includes(mark))?.[1];
  return browser === undefined || system === undefined ? undefined : { browser, system };
}
