// Verdicts of two validators side by side: how often they agree whether a resource is valid, and why they do not where
// they do not.

import { hasErrors } from '#fhir/validation/validate.ts';
import type { Issue } from '#lib/errors.ts';
import { EXPLANATIONS, type Explanation } from './explanations.ts';
import type { Mutant } from './mutations.ts';

/** One message of HL7's validator. */
export interface JudgeMessage {
  readonly level: string;
  /** The id of the message, such as `Reference_REF_CantResolve`. */
  readonly kind: string;
  readonly place: string;
  readonly text: string;
}

export interface ComparedMutant {
  readonly mutant: Mutant;
  readonly ours: readonly Issue[];
  readonly theirs: readonly JudgeMessage[];
}

export interface Difference {
  readonly judged: ComparedMutant;
  /** Who finds an error; the other finds none. */
  readonly by: 'kedja' | 'judge';
  readonly explanation: Explanation | undefined;
}

export interface Comparison {
  readonly total: number;
  readonly agreed: number;
  /** How many of them both find valid. */
  readonly valid: number;
  readonly differences: readonly Difference[];
  /** The same by what the mutations strike. */
  readonly families: Readonly<Record<string, { readonly total: number; readonly agreed: number }>>;
}

/** Compares errors only: what is a warning refuses nothing. */
export function compare(all: readonly ComparedMutant[]): Comparison {
  const differences: Difference[] = [];
  let valid = 0;
  for (const judged of all) {
    const ourErrors = judged.ours.filter((issue) => hasErrors([issue]));
    const theirErrors = judged.theirs.filter(({ level }) => level === 'error' || level === 'fatal');
    if (ourErrors.length > 0 === theirErrors.length > 0) {
      if (ourErrors.length === 0) valid += 1;
      continue;
    }
    const by = ourErrors.length > 0 ? 'kedja' : 'judge';
    const texts = by === 'kedja' ? ourErrors.map(({ message }) => message) : theirErrors.map(textOf);
    differences.push({ judged, by, explanation: explain(by, texts) });
  }
  const families = familiesOf(all, new Set(differences.map(({ judged }) => judged)));
  return { total: all.length, agreed: all.length - differences.length, valid, differences, families };
}

function familiesOf(all: readonly ComparedMutant[], differing: ReadonlySet<ComparedMutant>): Comparison['families'] {
  const found = [...Map.groupBy(all, ({ mutant }) => mutant.family)].map(([family, members]) => {
    const agreed = members.filter((judged) => !differing.has(judged)).length;
    return [family, { total: members.length, agreed }] as const;
  });
  return Object.fromEntries(found);
}

function textOf({ kind, text }: JudgeMessage): string {
  return `${kind}: ${text}`;
}

/** The explanation that each of the messages has; a difference with two reasons has none. */
function explain(by: Difference['by'], texts: readonly string[]): Explanation | undefined {
  const candidates = EXPLANATIONS.filter((explanation) => explanation.by === by);
  const found = texts.map((text) => candidates.find(({ message }) => message.test(text)));
  return found.includes(undefined) ? undefined : found[0];
}

/** Agreement in per cent. */
export function agreementOf({ total, agreed }: Comparison): number {
  return total === 0 ? 0 : (100 * agreed) / total;
}

/** The comparison as lines of text: the figures, differences by their reason, and each that has none. */
export function describe(comparison: Comparison): string[] {
  const { total, agreed, valid, differences } = comparison;
  const explained = Map.groupBy(differences, ({ explanation }) => explanation);
  const lines = [`${agreed} of ${total} verdicts agree: ${agreementOf(comparison).toFixed(2)} % (${valid} valid)`];
  for (const [family, count] of Object.entries(comparison.families)) {
    lines.push(`      ${family}: ${count.agreed} of ${count.total}`);
  }
  const kinds = [...explained].sort(([, one], [, other]) => other.length - one.length);
  for (const [explanation, same] of kinds) {
    if (explanation === undefined) continue;
    lines.push(`${String(same.length).padStart(4)}  ${explanation.by} alone: ${explanation.reason}`);
  }
  const open = explained.get(undefined) ?? [];
  if (open.length > 0) lines.push(`${String(open.length).padStart(4)}  without an explanation:`);
  for (const { judged, by } of open) lines.push(...describeOne(judged, by));
  return lines;
}

function describeOne({ mutant, ours, theirs }: ComparedMutant, by: Difference['by']): string[] {
  const texts = by === 'kedja' ? ours.map(({ message }) => message) : theirs.filter(isError).map(textOf);
  const head = `        ${mutant.mutation} at ${mutant.place} of ${mutant.base}`;
  return [head, ...texts.slice(0, 3).map((text) => `          ${by}: ${text.slice(0, 300)}`)];
}

function isError({ level }: JudgeMessage): boolean {
  return level === 'error' || level === 'fatal';
}
