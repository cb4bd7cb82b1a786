// What keeps a form from being published, at the item and the field that it is about. The service checks again, and
// more.
import type { Questionnaire } from 'fhir/r5';
import { demandsOf } from './constraints.ts';
import { expressionsIn, questionsIn, sharedExpressionsIn } from './expressions.ts';
import { controlOf, extensionsOf, isHelp, translationOf } from './extensions.ts';
import { helpOf, isAddress, linkOf } from './help.ts';
import { initialInputOf, isRightInitial } from './initial.ts';
import { isQuestion } from './kinds.ts';
import { inputOf, type LimitName, limitsOf, limitText, numberFrom, patternOf, unitsOf } from './limits.ts';
import { codingsOf, isComplete, questionsFor } from './rules.ts';
import { everyItem, type Item, itemAt } from './tree.ts';
import { nameIssue, variablesOf } from './variables.ts';

export type IssueCode =
  | 'title'
  | 'empty'
  | 'tooLong'
  | 'text'
  | 'translation'
  | 'option'
  | 'options'
  | 'sameOption'
  | 'codeList'
  | 'emptyGroup'
  | 'unit'
  | 'number'
  | 'order'
  | 'pattern'
  | 'rule'
  | 'ruleGone'
  | 'initial'
  | 'address'
  | 'message'
  | 'slider'
  | 'expression'
  | 'unreadable'
  | 'expressionGone'
  | 'itself'
  | 'variableName'
  | 'sameVariable';

export interface BuilderIssue {
  /** The item; undefined for the form itself. */
  readonly linkId: string | undefined;
  /** Of the item: `text`, `translation`, `options`, `option.0`, `rule.0`, `unit`, `pattern`, or the name of a limit. */
  readonly field: string;
  readonly code: IssueCode;
  /** Of an expression that cannot be read: where, counted from 1. */
  readonly at?: number;
}

/** The most items of a form: more than anybody answers, and few enough to be shown at once. */
const MOST_ITEMS = 500;

/** In the order of the form. @param other the language into which everything is translated; undefined for none */
export function issuesOf(
  { title = '', item = [], extension = [] }: Pick<Questionnaire, 'title' | 'item' | 'extension'>,
  other?: string,
): BuilderIssue[] {
  const whole = (field: string, code: IssueCode) => ({ linkId: undefined, field, code });
  const all = everyItem(item).filter((each) => !isHelp(each));
  return [
    ...(title.trim() === '' ? [whole('title', 'title')] : []),
    ...(all.some(isQuestion) ? [] : [whole('items', 'empty')]),
    ...(all.length > MOST_ITEMS ? [whole('items', 'tooLong')] : []),
    ...issuesOfShared({ extension }, item).map((issue) => ({ linkId: undefined, ...issue })),
    ...all.flatMap((each) => issuesOfItem(each, item, other).map((issue) => ({ linkId: each.linkId, ...issue }))),
  ];
}

type ItemIssue = Omit<BuilderIssue, 'linkId'>;

function issuesOfItem(item: Item, items: readonly Item[], other: string | undefined): ItemIssue[] {
  const hasText = (item.text ?? '').trim() !== '';
  const isMissing = other !== undefined && hasText && (translationOf(item._text, other) ?? '').trim() === '';
  return [
    ...(hasText ? [] : [{ field: 'text', code: 'text' } as const]),
    ...(isMissing ? [{ field: 'translation', code: 'translation' } as const] : []),
    ...(item.type === 'group' && (item.item ?? []).length === 0
      ? [{ field: 'text', code: 'emptyGroup' } as const]
      : []),
    ...(item.type === 'coding' ? issuesOfOptions(item, other) : []),
    ...(item.type === 'quantity' &&
    unitsOf(item).length === 0 &&
    extensionsOf(item, 'questionnaire-unitValueSet').length === 0
      ? [{ field: 'unit', code: 'unit' } as const]
      : []),
    ...issuesOfLimits(item),
    ...issuesOfPattern(item),
    ...issuesOfRules(item, items),
    ...controlIssues(item, other),
    ...issuesOfInitials(item),
    ...issuesOfExpressions(item, items),
  ];
}

function issuesOfOptions(item: Item, other: string | undefined): ItemIssue[] {
  if (item.answerValueSet !== undefined)
    return item.answerValueSet === '' ? [{ field: 'options', code: 'codeList' }] : [];
  const codings = codingsOf(item);
  // Options of another kind, made elsewhere, stay as they are.
  if (codings.length === 0) return (item.answerOption ?? []).length > 0 ? [] : [{ field: 'options', code: 'options' }];
  const texts = codings.map(({ display, code }) => (display ?? code ?? '').trim().toLowerCase());
  return codings.flatMap((coding, index): ItemIssue[] => {
    const field = `option.${index}`;
    if (texts[index] === '') return [{ field, code: 'option' }];
    if (texts.indexOf(texts[index] ?? '') < index) return [{ field, code: 'sameOption' }];
    const isMissing = other !== undefined && (translationOf(coding._display, other) ?? '').trim() === '';
    return isMissing ? [{ field, code: 'translation' }] : [];
  });
}

function issuesOfLimits(item: Item): ItemIssue[] {
  const names = limitsOf(item);
  const unreadable = names.filter((name) => isUnreadable(item, name));
  const pairs: readonly [LimitName, LimitName][] = [
    ['min', 'max'],
    ['minLength', 'maxLength'],
    ['minAnswers', 'maxAnswers'],
  ];
  const crossed = pairs.filter(([low, high]) => {
    const [from, to] = [limitText(item, low), limitText(item, high)];
    if (!names.includes(low) || from === '' || to === '') return false;
    const [a, b] = [numberFrom(from), numberFrom(to)];
    return a !== undefined && b !== undefined ? a > b : from > to;
  });
  return [
    ...unreadable.map((field) => ({ field, code: 'number' }) as const),
    ...crossed.map(([, field]) => ({ field, code: 'order' }) as const),
  ];
}

/** What was typed in the place of a number is kept as text. */
function isUnreadable(item: Item, name: LimitName): boolean {
  if (name === 'maxLength') return item.maxLength !== undefined && item.maxLength < 1;
  const text = limitText(item, name);
  if (text === '') return false;
  const input = inputOf(item, name);
  if (input !== 'whole' && input !== 'number') return false;
  const number = numberFrom(text);
  if (number === undefined || (input === 'whole' && !Number.isInteger(number))) return true;
  return name !== 'min' && name !== 'max' && number < 0;
}

function issuesOfPattern(item: Item): ItemIssue[] {
  const pattern = patternOf(item);
  if (pattern === '') return [];
  try {
    new RegExp(pattern, 'u');
    return [];
  } catch {
    return [{ field: 'pattern', code: 'pattern' }];
  }
}

function issuesOfRules({ linkId, enableWhen = [] }: Item, items: readonly Item[]): ItemIssue[] {
  const questions = questionsFor(items, linkId);
  return enableWhen.flatMap((rule, index): ItemIssue[] => {
    const field = `rule.${index}`;
    if (itemAt(items, rule.question) === undefined && rule.question !== '') return [{ field, code: 'ruleGone' }];
    const question = questions.find((each) => each.linkId === rule.question);
    return question === undefined || !isComplete(rule, question) ? [{ field, code: 'rule' }] : [];
  });
}

function controlIssues(item: Item, other: string | undefined): ItemIssue[] {
  const [link, help] = [linkOf(item), helpOf(item)];
  const needsEnds = controlOf(item) === 'slider' && (limitText(item, 'min') === '' || limitText(item, 'max') === '');
  const isMissing = other !== undefined && help !== undefined && (translationOf(help._text, other) ?? '').trim() === '';
  return [
    ...(link === '' || isAddress(link) ? [] : [{ field: 'link', code: 'address' } as const]),
    ...(needsEnds ? [{ field: 'control', code: 'slider' } as const] : []),
    ...(isMissing ? [{ field: 'help', code: 'translation' } as const] : []),
  ];
}

function issuesOfInitials(item: Item): ItemIssue[] {
  if (initialInputOf(item) === undefined) return [];
  return (item.initial ?? []).flatMap((initial, index) =>
    isRightInitial(item, initial) ? [] : [{ field: `initial.${index}`, code: 'initial' } as const],
  );
}

function issuesOfExpressions(item: Item, items: readonly Item[]): ItemIssue[] {
  const own = expressionsIn(item).filter(({ field }) => !/^(?:variable|demand)\./.test(field));
  const itself = own.flatMap(({ field, expression }): ItemIssue[] =>
    field === 'calculated' && questionsIn(expression).includes(item.linkId) ? [{ field, code: 'itself' }] : [],
  );
  return [...issuesOfTexts(own, items), ...itself, ...issuesOfShared(item, items)];
}

/** Of demands and named values, of an item or of the form. */
function issuesOfShared(element: Pick<Item, 'extension'>, items: readonly Item[]): ItemIssue[] {
  const variables = variablesOf(element);
  const names = variables.flatMap((_variable, index): ItemIssue[] => {
    const code = nameIssue(variables, index);
    return code === undefined ? [] : [{ field: `variableName.${index}`, code }];
  });
  const unsaid = demandsOf(element).flatMap(({ message }, index) =>
    message.trim() === '' ? [{ field: `message.${index}`, code: 'message' } as const] : [],
  );
  return [...names, ...issuesOfTexts(sharedExpressionsIn(element), items), ...unsaid];
}

/** Whether they can be read is asked elsewhere: FHIRPath is too large for every form. */
function issuesOfTexts(
  expressions: readonly { readonly field: string; readonly expression: string }[],
  items: readonly Item[],
): ItemIssue[] {
  const known = new Set(everyItem(items).map(({ linkId }) => linkId));
  return expressions.flatMap(({ field, expression }): ItemIssue[] => {
    if (expression.trim() === '' || expression.includes('in ()')) return [{ field, code: 'expression' }];
    return questionsIn(expression).some((id) => !known.has(id)) ? [{ field, code: 'expressionGone' }] : [];
  });
}

/** The item that a message of the service speaks of: `Questionnaire.item[0].item[2]: …`. */
export function itemNamedBy(message: string, items: readonly Item[]): Item | undefined {
  const path = /Questionnaire((?:\.item\[\d+\])+)/.exec(message)?.[1];
  const indexes = [...(path ?? '').matchAll(/\d+/g)].map(([digits]) => Number(digits));
  let [found, inner]: [Item | undefined, readonly Item[]] = [undefined, items];
  for (const index of indexes) {
    found = inner[index];
    inner = found?.item ?? [];
  }
  return found;
}
