// What has been filled in, as a tree beside the form's: at first, and from a QuestionnaireResponse.
import type { QuestionnaireResponse, QuestionnaireResponseItem } from 'fhir/r5';
import type { Answer, FormItem } from './form.ts';

/** A group, a question with its answers, or the form itself. */
export interface Filled {
  readonly answers: readonly Answer[];
  /** By `link_id`: the occurrences of a group, or the only one of a question. */
  readonly items: Readonly<Record<string, readonly Filled[]>>;
}

const NOTHING: Filled = { answers: [], items: {} };

/** The form before anything is answered, or with what a response has. */
export function startOf(items: readonly FormItem[], response?: Pick<QuestionnaireResponse, 'item'>): Filled {
  return { answers: [], items: childrenOf(items, response?.item) };
}

/** One more occurrence of a group. */
export function emptyOccurrence(item: FormItem): Filled {
  return { answers: firstAnswers(item), items: childrenOf(item.items ?? [], undefined) };
}

function childrenOf(
  items: readonly FormItem[],
  given: readonly QuestionnaireResponseItem[] | undefined,
): Filled['items'] {
  const entries = items.map((item): [string, Filled[]] => {
    const found = (given ?? []).filter(({ linkId }) => linkId === item.link_id);
    if (found.length === 0) return [item.link_id, [given === undefined ? emptyOccurrence(item) : bareOccurrence(item)]];
    if (item.type === 'group') {
      return [
        item.link_id,
        found.map((each) => ({ answers: [], items: childrenOf(item.items ?? [], each.item ?? []) })),
      ];
    }
    const answers = found.flatMap(({ answer = [] }) => answer);
    const nested = answers.flatMap(({ item: inner = [] }) => inner);
    const plain = answers.map(({ item: _, ...answer }) => answer as Answer);
    return [item.link_id, [{ answers: plain, items: childrenOf(item.items ?? [], nested) }]];
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
