// What is missing or wrong in a form before it is sent. The service checks again, and more.
import { isSameAnswer } from '../../../fhir/forms/values.ts';
import { conditionsOf } from './conditions.ts';
import { type Filled, occurrencesOf, pathOf, withinAnswer } from './filled.ts';
import { type Answer, type FormItem, isReadable, UNREADABLE } from './form.ts';
import { isAsking, type Place, responseItems } from './response.ts';

export type IssueKind =
  | 'required'
  | 'requiredGroup'
  | 'number'
  | 'integer'
  | 'decimals'
  | 'low'
  | 'high'
  | 'long'
  | 'short'
  | 'address'
  | 'few'
  | 'many'
  | 'exclusive'
  | 'pattern'
  | 'constraint'
  | 'refused';

export interface FormIssue {
  readonly kind: IssueKind;
  /** The limit, for the text; of a constraint its message. */
  readonly limit?: string;
}

/** By the path of the occurrence (`pathOf`), in the order of the form. */
export type FormIssues = ReadonlyMap<string, FormIssue>;

export function issuesOf(items: readonly FormItem[], filled: Filled): Map<string, FormIssue> {
  const excused = new Set(filled.solution?.excused);
  const found = issuesIn(items, { parent: filled, path: '', isEnabled: conditionsOf(items, filled), excused });
  const violations = (filled.solution?.violations ?? [])
    .filter(({ severity }) => severity === 'error')
    .map(({ path, message }): [string, FormIssue] => [
      path,
      message === undefined ? { kind: 'pattern' } : { kind: 'constraint', limit: message },
    ]);
  // What is missing is said before what is wrong about the whole.
  return new Map([...violations.filter(([path]) => found.every(([own]) => own !== path)), ...found]);
}

interface Checked extends Place {
  /** The paths of the items for which no answer can be asked. */
  readonly excused: ReadonlySet<string>;
}

function issuesIn(items: readonly FormItem[], { parent, path, isEnabled, excused }: Checked): [string, FormIssue][] {
  return items
    .map((item) => askedOf(item, path, excused))
    .flatMap((item): [string, FormIssue][] => {
      if (item.type === 'display' || item.hidden === true || !isEnabled(path, item)) return [];
      const all = occurrencesOf(parent, item);
      const within = all.flatMap((occurrence, index) => {
        const own = pathOf(path, item.link_id, index);
        if (item.type === 'group')
          return issuesIn(item.items ?? [], { parent: occurrence, path: own, isEnabled, excused });
        // What nobody may change is the author's.
        const issue = item.read_only ? undefined : issueOf(item, occurrence.answers);
        // What is within an answer is there once it is given.
        const inner = occurrence.answers.flatMap((answer, at) =>
          isReadable(answer)
            ? issuesIn(item.items ?? [], {
                parent: withinAnswer(item, occurrence, at),
                path: pathOf(path, item.link_id, at),
                isEnabled,
                excused,
              })
            : [],
        );
        return [...(issue === undefined ? [] : [[own, issue] as [string, FormIssue]]), ...inner];
      });
      const whole = item.type === 'group' ? issueOfGroup(item, { parent, path, isEnabled }) : undefined;
      // What is wrong with a question of the group says more.
      const isSaid = whole === undefined || (whole.kind === 'requiredGroup' && within.length > 0);
      return isSaid ? within : [[pathOf(path, item.link_id, 0), whole], ...within];
    });
}

/** Nothing is required of an item whose expressions cannot be evaluated. */
export function askedOf(item: FormItem, path: string, excused: ReadonlySet<string>): FormItem {
  return item.required && excused.has(`${path}/${item.link_id}`) ? { ...item, required: false } : item;
}

/** A required group with something to answer, of which nothing is. */
function issueOfGroup(item: FormItem, place: Place): FormIssue | undefined {
  const { min_answers: least = 0, max_answers: most = Number.POSITIVE_INFINITY } = item.limits ?? {};
  const given = responseItems([item], place).filter((each) => each.item !== undefined);
  if (given.length === 0) return item.required && isAsking(item, place) ? { kind: 'requiredGroup' } : undefined;
  if (given.length < least) return { kind: 'few', limit: String(least) };
  return given.length > most ? { kind: 'many', limit: String(most) } : undefined;
}

/** Spaces alone answer nothing, as the service has it. */
function isBlank(answer: Answer): boolean {
  const [value] = Object.values(answer);
  return typeof value === 'string' && value.trim() === '';
}

function issueOf(item: FormItem, given: readonly Answer[]): FormIssue | undefined {
  const answers = given.filter((answer) => UNREADABLE in answer || isReadable(answer));
  if (answers.every(isBlank)) return item.required ? { kind: 'required' } : undefined;
  const { min_answers: least = 0, max_answers: most = Number.POSITIVE_INFINITY } = item.limits ?? {};
  if (answers.length < least) return { kind: 'few', limit: String(least) };
  if (answers.length > most) return { kind: 'many', limit: String(most) };
  const isAlone = (item.options ?? []).some(
    (option) => option.exclusive === true && answers.some((answer) => isSameAnswer(option.answer, answer)),
  );
  if (isAlone && answers.length > 1) return { kind: 'exclusive' };
  return answers.map((answer) => issueOfAnswer(item, answer)).find((issue) => issue !== undefined);
}

function issueOfAnswer({ type, limits = {} }: FormItem, answer: Answer): FormIssue | undefined {
  if (UNREADABLE in answer) return { kind: type === 'integer' ? 'integer' : 'number' };
  const value = Object.values(answer)[0];
  const number = numberIn(value);
  if (number !== undefined) {
    const [low, high] = [numberIn(limits.min_value), numberIn(limits.max_value)];
    if (type === 'integer' && !Number.isInteger(number)) return { kind: 'integer' };
    const decimals = String(number).split('.')[1]?.length ?? 0;
    if (decimals > (limits.max_decimals ?? Number.POSITIVE_INFINITY))
      return { kind: 'decimals', limit: String(limits.max_decimals) };
    // The service compares quantities of different units.
    if (!isSameUnit(value, limits.min_value ?? limits.max_value)) return undefined;
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

function isSameUnit(value: unknown, limit: unknown): boolean {
  const codeOf = (each: unknown) =>
    typeof each === 'object' && each !== null && 'code' in each ? each.code : undefined;
  return limit === undefined || codeOf(value) === codeOf(limit);
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
