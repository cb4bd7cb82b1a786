// Evaluates the expressions of a form over what is filled in (hl7.org/fhir/uv/sdc/expressions.html): which items are
// enabled, what is calculated. Each may depend on the others, so they are evaluated until nothing changes. Services and
// the console share it.
import { type ConditionalItem, type ConditionalOccurrence, type Enabling, enablingOf } from '../enabling.ts';
import { type AnswerValue, isSameAnswer } from '../values.ts';
import type { Evaluate, Place, Variables } from './evaluator.ts';
import { type AnswerShape, answersFrom } from './results.ts';

export interface FormVariable {
  readonly name: string;
  readonly expression: string;
}

/** As in a render-ready form. */
interface Expressions {
  readonly variables?: readonly FormVariable[];
  readonly enable_expression?: string;
  readonly calculated?: string;
}

export interface ExpressionItem extends ConditionalItem {
  readonly item: ConditionalItem['item'] & Expressions & AnswerShape & { readonly label: string };
  readonly occurrences: readonly (ConditionalOccurrence & { readonly items: readonly ExpressionItem[] })[];
}

export interface Solution {
  readonly enabling: Enabling;
  /** What each calculated item that is enabled has as its answers; nothing for one that cannot be evaluated. */
  readonly calculated: ReadonlyMap<ConditionalItem, readonly AnswerValue[]>;
  /** Whether the expression that enables the item holds; true for an item without one. */
  isHeld(item: ConditionalItem): boolean;
  /** What of the item cannot be evaluated; undefined where everything can. */
  unknownOf(item: ConditionalItem): Unknown | undefined;
  /** The response of what is enabled and answered, and its items for each item of the form. */
  readonly response: object;
  partsOf(item: ConditionalItem): readonly object[];
}

/** Whether it is to be answered, or what it is calculated to be. */
export type Unknown = 'enabled' | 'calculated';

/** What expressions see besides the answers. */
export interface Surroundings {
  readonly variables?: readonly FormVariable[];
  /** The Questionnaire, for forms whose expressions use it. */
  readonly questionnaire?: object;
}

interface Asking {
  readonly evaluate: Evaluate;
  /** Resources that are known, by their names in the launch context. */
  readonly context?: Variables;
  /** Whether the item takes what is calculated for it; else what is filled in stays. */
  readonly takesCalculated: (item: ExpressionItem) => boolean;
}

/** More than a form that settles needs: each round settles at least what depends on the one before. */
const MOST_ROUNDS = 12;
/** Of one form: repeated groups multiply its expressions. */
const MOST_EVALUATIONS = 20_000;

/** The same with answers that may be replaced. */
interface Node extends ConditionalItem {
  readonly source: ExpressionItem;
  readonly item: ExpressionItem['item'];
  occurrences: { readonly answer: AnswerValue | undefined; readonly items: readonly Node[] }[];
}

interface Definition extends Expressions {
  readonly link_id: string;
  readonly initial?: readonly AnswerValue[];
  readonly initial_expression?: string;
  readonly items?: readonly Definition[];
}

type Definitions = readonly Definition[];

export function hasExpressions(items: Definitions): boolean {
  return items.some(
    ({ enable_expression: enabled, calculated, items: inner = [] }) =>
      enabled !== undefined || calculated !== undefined || hasExpressions(inner),
  );
}

/**
 * What the first values of items are by their expressions, before anything is answered; of an item with first values of
 * its own nothing.
 */
export function valuesAtStart<Item extends Definition>(
  form: Surroundings & { readonly items: readonly Item[] },
  evaluate: Evaluate,
  context: Variables = {},
): ValuesAtStart {
  const { variables, items } = form;
  const response = { resourceType: 'QuestionnaireResponse', status: 'completed', item: [] };
  const asker = askerOf(evaluate, form);
  const values = new Map<Definition, readonly unknown[]>();
  const unknown = new Set<Definition>();
  const visit = (level: Definitions, around: Place): void => {
    for (const item of level) {
      const own = {
        ...around,
        base: 'QuestionnaireResponse.item',
        value: { linkId: item.link_id },
        variables: { ...around.variables, ...asker.itemNamed(item.link_id) },
      } as const;
      const place = asker.withVariables(item.variables, own);
      const { initial_expression: expression } = item;
      if (expression !== undefined && item.initial === undefined) {
        const result = asker.ask(expression, place);
        if (result === undefined) unknown.add(item);
        else if (result.length > 0) values.set(item, result);
      }
      visit(item.items ?? [], place);
    }
  };
  if (hasInitialExpressions(items)) {
    const whole = placeOf(response, { ...context, ...asker.questionnaire });
    visit(items, asker.withVariables(variables, whole));
  }
  return { values, unknown };
}

export interface ValuesAtStart {
  readonly values: ReadonlyMap<Definition, readonly unknown[]>;
  /** The items whose expression cannot be evaluated. */
  readonly unknown: ReadonlySet<Definition>;
}

function placeOf(response: object, variables: Variables): Place {
  return { base: 'QuestionnaireResponse', value: response, resource: response, variables };
}

export function hasInitialExpressions(items: Definitions): boolean {
  return items.some(
    ({ initial_expression: expression, items: inner = [] }) => expression !== undefined || hasInitialExpressions(inner),
  );
}

interface Asker {
  /** Undefined for an expression that cannot be evaluated. */
  ask(expression: string, place: Place): readonly unknown[] | undefined;
  /** The place with the variables that are declared there; each sees those before it. */
  withVariables(own: readonly FormVariable[] | undefined, place: Place): Place;
  /** `%questionnaire` where the form has it. */
  readonly questionnaire: Variables;
  /** `%qitem`: the item of the Questionnaire with that name. */
  itemNamed(linkId: string): Variables;
}

function askerOf(evaluate: Evaluate, { questionnaire: given }: Surroundings): Asker {
  let left = MOST_EVALUATIONS;
  // Numbers that keep their digits are no numbers to an expression.
  const questionnaire = given === undefined ? {} : { questionnaire: JSON.parse(JSON.stringify(given)) };
  const named = new Map<string, Variables>();
  function ask(expression: string, place: Place): readonly unknown[] | undefined {
    left -= 1;
    if (left < 0) return undefined;
    try {
      return evaluate(expression, place);
    } catch {
      return undefined;
    }
  }
  return {
    ask,
    questionnaire,
    itemNamed(linkId) {
      if (given === undefined) return questionnaire;
      const before = named.get(linkId);
      if (before !== undefined) return before;
      const quoted = linkId.replace(/[\\']/g, '\\$&');
      const item = ask(`%questionnaire.repeat(item).where(linkId = '${quoted}')`, placeOf({}, questionnaire));
      const own = item === undefined ? {} : { qitem: item };
      named.set(linkId, own);
      return own;
    },
    withVariables(own = [], place) {
      const variables: Record<string, unknown> = { ...place.variables };
      for (const { name, expression } of own) {
        const value = ask(expression, { ...place, variables });
        if (value !== undefined) variables[name] = value;
      }
      return { ...place, variables };
    },
  };
}

/** An item whose expression cannot be evaluated is enabled, and is not calculated. */
export function solveExpressions(
  form: Surroundings,
  items: readonly ExpressionItem[],
  { evaluate, takesCalculated, context = {} }: Asking,
): Solution {
  const { variables = [] } = form;
  const nodes = items.map(nodeOf);
  const nodeBySource = new Map<ConditionalItem, Node>();
  index(nodes, nodeBySource);
  const asker = askerOf(evaluate, form);
  const given = { ...context, ...asker.questionnaire };
  let round = firstRound(nodes);
  for (let count = 0; count < MOST_ROUNDS; count += 1) {
    const next = evaluateRound(nodes, { variables, takesCalculated, given }, round, asker);
    const isSettled = next.key === round.key;
    round = next;
    if (isSettled) break;
  }
  const { enabling, held, calculated, unknown, made } = round;
  const nodeAt = (item: ConditionalItem) => nodeBySource.get(item) ?? item;
  return {
    enabling: {
      isEnabled: (item) => enabling.isEnabled(nodeAt(item)),
      isParentEnabled: (item) => enabling.isParentEnabled(nodeAt(item)),
      isExcused: (item) => enabling.isExcused(nodeAt(item)),
    },
    calculated: new Map([...calculated].map(([{ source }, answers]) => [source, answers])),
    isHeld: (item) => held.get(nodeAt(item)) ?? true,
    unknownOf: (item) => unknown.get(nodeAt(item)),
    response: made.response,
    partsOf: (item) => (made.parts.get(nodeAt(item)) ?? []).filter((part) => made.given.has(part)),
  };
}

function nodeOf(source: ExpressionItem): Node {
  const occurrences = source.occurrences.map(({ answer, items }) => ({
    answer: answer === undefined ? undefined : JSON.parse(JSON.stringify(answer)),
    items: items.map(nodeOf),
  }));
  return { source, item: source.item, occurrences };
}

function index(nodes: readonly Node[], found: Map<ConditionalItem, Node>): void {
  for (const node of nodes) {
    found.set(node.source, node);
    for (const { items } of node.occurrences) index(items, found);
  }
}

interface Round {
  readonly held: ReadonlyMap<ConditionalItem, boolean>;
  readonly calculated: ReadonlyMap<Node, readonly AnswerValue[]>;
  readonly unknown: ReadonlyMap<ConditionalItem, Unknown>;
  readonly enabling: Enabling;
  readonly made: Made;
  /** Two rounds with the same key have the same results. */
  readonly key: string;
}

function firstRound(nodes: readonly Node[]): Round {
  const enabling = enablingOf(nodes);
  return {
    held: new Map(),
    calculated: new Map(),
    unknown: new Map(),
    enabling,
    made: responseOf(nodes, enabling),
    key: '',
  };
}

interface Solving extends Pick<Asking, 'takesCalculated'> {
  readonly variables: readonly FormVariable[];
  /** What every expression sees. */
  readonly given: Variables;
}

function evaluateRound(
  nodes: readonly Node[],
  { variables, takesCalculated, given }: Solving,
  { made }: Round,
  { ask, withVariables, itemNamed }: Asker,
): Round {
  const held = new Map<ConditionalItem, boolean>();
  const calculated = new Map<Node, readonly AnswerValue[]>();
  const unknown = new Map<ConditionalItem, Unknown>();
  const { response } = made;

  function visit(level: readonly Node[], around: Variables): void {
    for (const node of level) {
      const { item, occurrences } = node;
      const parts = made.parts.get(node) ?? [];
      const placeAt = (value: object) =>
        withVariables(item.variables, {
          base: 'QuestionnaireResponse.item',
          value,
          resource: response,
          variables: { ...around, ...itemNamed(item.link_id) },
        });
      const places = parts.map(placeAt);
      const [first = placeAt({ linkId: item.link_id })] = places;
      if (item.enable_expression !== undefined) {
        const result = ask(item.enable_expression, first);
        if (result === undefined) unknown.set(node, 'enabled');
        held.set(node, result === undefined || JSON.stringify(result[0]) === 'true');
      }
      if (item.calculated !== undefined) {
        const result = ask(item.calculated, first);
        if (result !== undefined) calculated.set(node, answersFrom(item, result));
        else if (!unknown.has(node)) unknown.set(node, 'calculated');
      }
      for (const [at, { items }] of occurrences.entries()) visit(items, (places[at] ?? first).variables);
    }
  }

  visit(nodes, withVariables(variables, placeOf(response, given)).variables);
  for (const [node, answers] of calculated) if (takesCalculated(node.source)) replaceAnswers(node, answers);
  const enabling = enablingOf(
    nodes,
    (item) => held.get(item) ?? true,
    (item) => unknown.has(item),
  );
  const key = JSON.stringify([[...held.values()], [...calculated.values()]]);
  return { held, calculated, unknown, enabling, made: responseOf(nodes, enabling), key };
}

function replaceAnswers(node: Node, answers: readonly AnswerValue[]): void {
  const before = node.occurrences.flatMap(({ answer }) => (answer === undefined ? [] : [answer]));
  const isSame = before.length === answers.length && answers.every((each, at) => isSameAnswer(each, before[at] ?? {}));
  if (isSame) return;
  const inner = node.occurrences[0]?.items ?? [];
  const [first, ...more] = answers;
  node.occurrences = [{ answer: first, items: inner }, ...more.map((answer) => ({ answer, items: [] }))];
}

interface Made {
  readonly response: object;
  /** For each item: its items of the response; of a group one for each occurrence, also of those with nothing in it. */
  readonly parts: ReadonlyMap<ConditionalItem, readonly object[]>;
  /** Those that are in the response. */
  readonly given: ReadonlySet<object>;
}

function responseOf(nodes: readonly Node[], enabling: Enabling): Made {
  const parts = new Map<ConditionalItem, readonly object[]>();
  const given = new Set<object>();
  const itemsOf = (level: readonly Node[]): object[] => level.flatMap(partsIn);

  function partsIn(node: Node): object[] {
    const { item, occurrences } = node;
    if (item.type === 'display' || !enabling.isEnabled(node)) return [];
    const head = { linkId: item.link_id, ...(item.label === '' ? {} : { text: item.label }) };
    if (item.type === 'group') {
      const all = occurrences.map(({ items }) => ({ ...head, item: itemsOf(items) }));
      parts.set(node, all);
      const filled = all.filter((each) => each.item.length > 0);
      for (const each of filled) given.add(each);
      return filled;
    }
    const answer = occurrences.flatMap((occurrence) => {
      const inner = itemsOf(occurrence.items);
      if (occurrence.answer === undefined) return [];
      return [{ ...occurrence.answer, ...(inner.length === 0 ? {} : { item: inner }) }];
    });
    const own = { ...head, ...(answer.length === 0 ? {} : { answer }) };
    parts.set(node, [own]);
    if (answer.length === 0) return [];
    given.add(own);
    return [own];
  }

  const item = itemsOf(nodes);
  const response = { resourceType: 'QuestionnaireResponse', status: 'completed', item };
  return { response, parts, given };
}
