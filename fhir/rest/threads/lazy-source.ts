// A large resource on the main thread: its text, with members that are parsed on first access. Mostly only the id, the
// url or the subject is read.
import type { MemberSpan } from '#fhir/json/json-scanner.ts';
import { type ResourceText, readResourceText } from '#fhir/resources/resource-text.ts';
import { isLong } from '#fhir/store/threads.ts';
import type { ReadResource } from './tasks.ts';

/** Returns what `readResourceText` returns. The members of a long text are parsed one by one. */
export function sourceOf({ text, resourceType, members }: ReadResource): ResourceText {
  if (!isLong({ text })) return readResourceText(text);
  const resource: Record<string, unknown> = {};
  for (const member of members) defineMember(resource, text, member);
  return { text, resourceType, resource, members };
}

function defineMember(resource: Record<string, unknown>, text: string, { key, valueStart, end }: MemberSpan): void {
  let parsed: { readonly value: unknown } | undefined;
  Object.defineProperty(resource, key, {
    enumerable: true,
    configurable: true,
    get: () => {
      parsed ??= { value: JSON.parse(text.slice(valueStart, end)) as unknown };
      return parsed.value;
    },
  });
}
