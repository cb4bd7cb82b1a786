// What is missing or wrong in a form before it is sent. The service checks again, and more.
import { conditionsOf, type IsEnabled } from './conditions.ts';
import { type Filled, occurrencesOf, pathOf } from './filled.ts';
import { type Answer, type FormItem, UNREADABLE } from './form.ts';

export type IssueKind = 'required' | 'number' | 'integer' | 'low' | 'high' | 'long' | 'short' | 'address' | 'refused';

export interface FormIssue {
  readonly kind: IssueKind;
  /** The limit, for the text. */
  readonly limit?: string;
}

/** By the path of the occurrence (`pathOf`), in the order of the form. */
export type FormIssues = ReadonlyMap<string, FormIssue>;

export function issuesOf(items: readonly FormItem[], filled: Filled): Map<string, FormIssue> {
  return new Map(issuesIn(items, { parent: filled, path: '', isEnabled: conditionsOf(items, filled) }));
}

interface Place {
  readonly parent: Filled;
  readonly path: string;
  readonly isEnabled: IsEnabled;
}

function issuesIn(items: readonly FormItem[], { parent, path, isEnabled }: Place): [string, FormIssue][] {
  return items.flatMap((item): [string, FormIssue][] => {
    if (item.type === 'display' || item.hidden === true || item.read_only || !isEnabled(path, item)) return [];
    return occurrencesOf(parent, item).flatMap((occurrence, index) => {
      const own = pathOf(path, item.link_id, index);
      const issue = item.type === 'group' ? undefined : issueOf(item, occurrence.answers);
      const inner = issuesIn(item.items ?? [], { parent: occurrence, path: own, isEnabled });
      return [...(issue === undefined ? [] : [[own, issue] as [string, FormIssue]]), ...inner];
    });
  });
}

function issueOf(item: FormItem, answers: readonly Answer[]): FormIssue | undefined {
  if (answers.length === 0) return item.required ? { kind: 'required' } : undefined;
  return answers.map((answer) => issueOfAnswer(item, answer)).find((issue) => issue !== undefined);
}

function issueOfAnswer({ type, limits = {} }: FormItem, answer: Answer): FormIssue | undefined {
  if (UNREADABLE in answer) return { kind: type === 'integer' ? 'integer' : 'number' };
  const value = Object.values(answer)[0];
  const number = numberIn(value);
  if (number !== undefined) {
    const [low, high] = [numberIn(limits.min_value), numberIn(limits.max_value)];
    if (type === 'integer' && !Number.isInteger(number)) return { kind: 'integer' };
    if (low !== undefined && number < low) return { kind: 'low', limit: String(low) };
    if (high !== undefined && number > high) return { kind: 'high', limit: String(high) };
    return undefined;
  }
  if (typeof value !== 'string') return undefined;
  const { min_length: shortest = 0, max_length: longest = Number.POSITIVE_INFINITY } = limits;
  if (value.length < shortest) return { kind: 'short', limit: String(shortest) };
  if (value.length > longest) return { kind: 'long', limit: String(longest) };
  if (type === 'url' && !URL.canParse(value)) return { kind: 'address' };
  // Days and times compare as texts.
  if (typeof limits.min_value === 'string' && value < limits.min_value) return { kind: 'low', limit: limits.min_value };
  if (typeof limits.max_value === 'string' && value > limits.max_value)
    return { kind: 'high', limit: limits.max_value };
  return undefined;
}

export function numberIn(value: unknown): number | undefined {
  if (typeof value === 'number') return value;
  if (typeof value !== 'object' || value === null || !('value' in value)) return undefined;
  return typeof value.value === 'number' ? value.value : undefined;
}

/** What the service refused, at the items that it names: `Item <link id> (<label>): …`. */
export function refusedIssues(
  items: readonly FormItem[],
  messages: readonly string[],
  path = '',
): Map<string, FormIssue> {
  const found = items.flatMap((item): [string, FormIssue][] => {
    const own = pathOf(path, item.link_id, 0);
    const isNamed = messages.some((message) => message.startsWith(`Item ${item.link_id} `));
    const inner = [...refusedIssues(item.items ?? [], messages, own)];
    return isNamed ? [[own, { kind: 'refused' }], ...inner] : inner;
  });
  return new Map(found);
}
