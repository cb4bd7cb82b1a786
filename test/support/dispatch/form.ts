// Forms as a browser sends them, through `inject`.
import type { HttpApp } from '#lib/http/http-app.ts';

export const BROWSER = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' };

export function postForm(
  app: HttpApp,
  url: string,
  fields: Readonly<Record<string, string | readonly string[]>>,
  headers: Readonly<Record<string, string>> = {},
) {
  const body = new URLSearchParams();
  for (const [name, value] of Object.entries(fields)) for (const text of [value].flat()) body.append(name, text);
  const type = { 'content-type': 'application/x-www-form-urlencoded' };
  return app.inject({ method: 'POST', url, headers: { ...BROWSER, ...type, ...headers }, payload: body.toString() });
}

/** The errors that a page shows, by field. */
export function errorsOf(body: string): Record<string, string> {
  const errors = [...body.matchAll(/<span class="error" id="(\w+)-error">([^<]*)<\/span>/g)];
  return Object.fromEntries(errors.map(([, name = '', text = '']) => [name, text]));
}
