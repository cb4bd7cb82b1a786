// What an answer of a terminology operation says, in a few words, for tables in tests.
import { type Json, objects, text } from '../json.ts';

/** `error not-in-vs Coding.code`: severity, kind, and place where there is one. */
export function issueLines(outcome: unknown): string[] {
  const [resource] = objects(outcome);
  return objects(resource?.['issue'])
    .map(({ severity, code, details, expression }) => {
      const [of] = objects(objects(details)[0]?.['coding']);
      const place = Array.isArray(expression) ? ` ${expression[0]}` : '';
      return `${severity} ${text(of?.['code']) ?? code}${place}`;
    })
    .sort();
}

/** The values of Parameters by name; the issues as lines. */
export function valuesOf(parameters: unknown): Readonly<Record<string, unknown>> {
  const [resource] = objects(parameters);
  return Object.fromEntries(
    objects(resource?.['parameter']).map((each) => {
      const [name] = [String(each['name'])];
      if (each['resource'] !== undefined) return [name, issueLines(each['resource'])];
      return [name, Object.entries(each).find(([member]) => member.startsWith('value'))?.[1]];
    }),
  );
}

/** The codes of an expansion: `(a b)` for those below the one before. */
export function codesOf(items: unknown): string {
  return objects(items)
    .map(({ version, code, contains }) => {
      const own = version === undefined ? String(code) : `${code}|${version}`;
      return contains === undefined ? own : `${own} (${codesOf(contains)})`;
    })
    .join(' ');
}

/** The parameters of an expansion: `used-codesystem=…`. */
export function parameterLines(expansion: Json | undefined): string[] {
  return objects(expansion?.['parameter']).map((each) => {
    const value = Object.entries(each).find(([member]) => member.startsWith('value'))?.[1];
    return `${each['name']}=${value}`;
  });
}
