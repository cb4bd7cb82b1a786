// What has been filled in, as a tree beside the form's: at first, and from a QuestionnaireResponse.
import type { QuestionnaireResponse, QuestionnaireResponseItem } from 'fhir/r5';
import { isSameAnswer } from '../../../fhir/forms/values.ts';
import type { FormSolution } from './expressions/form-solution.ts';
import type { Answer, FormItem } from './form.ts';

type Inner = Readonly<Record<string, readonly Filled[]>>;

/** A group, a question with its answers, or the form itself. */
export interface Filled {
  readonly answers: readonly Answer[];
  /** By `link_id`: the occurrences of a group, or the only one of a question. Of a question within its first answer. */
  readonly items: Inner;
  /** Within each further answer of a question. */
  readonly more?: readonly Inner[];
  /** Of the form: what its expressions give. Undefined where they were not evaluated yet. */
  readonly solution?: FormSolution;
  /** Of the form, and of a row that was added: its items have no first values by expressions yet. */
  readonly isNew?: true;
}

const NOTHING: Filled = { answers: [], items: {} };

/** The form before anything is answered, or with what a response has. */
export function startOf(items: readonly FormItem[], response?: Pick<QuestionnaireResponse, 'item'>): Filled {
  const filled = { answers: [], items: childrenOf(items, response?.item) };
  return response === undefined ? { ...filled, isNew: true } : filled;
}

/** One more occurrence of a group. */
export function emptyOccurrence(item: FormItem): Filled {
  return { answers: firstAnswers(item), items: childrenOf(item.items ?? [], undefined) };
}

function childrenOf(items: readonly FormItem[], given: readonly QuestionnaireResponseItem[] | undefined): Inner {
  const entries = items.map((item): [string, Filled[]] => {
    const found = (given ?? []).filter(({ linkId }) => linkId === item.link_id);
    if (found.length === 0) return [item.link_id, [given === undefined ? emptyOccurrence(item) : bareOccurrence(item)]];
    const inner = item.items ?? [];
    if (item.type === 'group') {
      return [item.link_id, found.map((each) => ({ answers: [], items: childrenOf(inner, each.item ?? []) }))];
    }
    const answers = found.flatMap(({ answer = [] }) => answer);
    const plain = answers.map(({ item: _, ...answer }) => answer as Answer);
    const [first = {}, ...more] = answers.map(({ item: nested = [] }) => childrenOf(inner, nested));
    return [item.link_id, [{ answers: plain, items: first, ...(more.length === 0 ? {} : { more }) }]];
  });
  return Object.fromEntries(entries);
}

/** Of a response that leaves it out: without the first values, except where only they can be its answer. */
function bareOccurrence(item: FormItem): Filled {
  const isFixed = item.read_only || item.hidden === true;
  return { answers: isFixed ? firstAnswers(item) : [], items: childrenOf(item.items ?? [], []) };
}

function firstAnswers({ initial, options = [] }: FormItem): readonly Answer[] {
  return initial ?? options.filter(({ selected }) => selected === true).map(({ answer }) => answer);
}

/** The occurrences of an item within its parent. */
export function occurrencesOf(parent: Filled, item: Pick<FormItem, 'link_id'>): readonly Filled[] {
  return parent.items[item.link_id] ?? [NOTHING];
}

/** The path of an occurrence, unique in the form. */
export function pathOf(parent: string, linkId: string, index: number): string {
  return `${parent}/${linkId}.${index}`;
}

/** The parent with another list of occurrences. */
export function withOccurrences(parent: Filled, linkId: string, occurrences: readonly Filled[]): Filled {
  return { ...parent, items: { ...parent.items, [linkId]: occurrences } };
}

/** What is within one answer of a question. */
export function withinAnswer(item: FormItem, occurrence: Filled, index: number): Filled {
  if (index === 0) return occurrence;
  return { answers: [], items: occurrence.more?.[index - 1] ?? childrenOf(item.items ?? [], undefined) };
}

/** The question with something else within one of its answers. */
export function withWithinAnswer(item: FormItem, occurrence: Filled, index: number, inner: Filled): Filled {
  const all = occurrence.answers.map((_, at) => (at === index ? inner : withinAnswer(item, occurrence, at)).items);
  return inAnswers(occurrence, all, index === 0 ? inner.items : occurrence.items);
}

/** The question with other answers. What is within an answer goes with it. */
export function withAnswers(item: FormItem, occurrence: Filled, answers: readonly Answer[]): Filled {
  if ((item.items ?? []).length === 0) return { ...occurrence, answers };
  const before = occurrence.answers;
  const all = answers.map((answer, index) => {
    const found = before.findIndex((each) => isSameAnswer(each, answer));
    const isTyping = found === -1 && before.length === answers.length;
    const from = isTyping ? index : found;
    return from === -1 ? childrenOf(item.items ?? [], undefined) : withinAnswer(item, occurrence, from).items;
  });
  return inAnswers({ ...occurrence, answers }, before.length === 0 ? [occurrence.items, ...all.slice(1)] : all);
}

function inAnswers(occurrence: Filled, all: readonly Inner[], none: Inner = occurrence.items): Filled {
  const { more: _, ...rest } = occurrence;
  const [first = none, ...more] = all;
  return { ...rest, items: first, ...(more.length === 0 ? {} : { more }) };
}
