// Fills in a form by its pages at random, like a person with a browser without scripts. It reads nothing but the HTML
// and, to know what to type, the type of each item.
import { type Fields, MOST_ROWS } from '#fhir/forms/html/fields.ts';
import { type FormView, takeFormStep } from '#fhir/forms/html/form-steps.ts';
import type { RenderReadyForm, RenderReadyItem } from '#fhir/forms/render-ready-form.ts';
import { type Draw, pick } from './questionnaires.ts';

export interface Walk {
  readonly draw: Draw;
  readonly matching: (pattern: string) => string;
  readonly language: 'sv' | 'en';
}

const TEXTS: Readonly<Record<string, readonly string[]>> = {
  decimal: ['0,5', '0.75', '1.25', '2', '1.10'],
  integer: ['0', '1', '2'],
  date: ['2026-01-01', '20260102', '2026-1-2', '2026-03'],
  dateTime: ['2026-01-01', '2026-01-02'],
  time: ['08:00', '8.30', '12:30', '23:59:59'],
  string: ['a', 'ab', 'abc', '<b>"\'&'],
  text: ['ab', 'a\nb'],
  url: ['https://kedja.dev/a'],
  coding: ['In words', 'https://kedja.dev/libraries/other|other'],
  attachment: ['https://kedja.dev/picture.png'],
  reference: ['Organization/a'],
  quantity: ['1', '2', '2,5'],
};

/** Steps that any of the generated forms needs; more mean that the pages lead nowhere. */
const MOST_STEPS = 1000;

/** The page of answers that may be sent. */
export function walkForm(form: RenderReadyForm, walk: Walk): FormView {
  const shared = { form, language: walk.language, timeZone: 'Europe/Stockholm' } as const;
  let view = takeFormStep({ ...shared, kept: {}, sent: undefined, go: 'open', page: 0 });
  for (let left = MOST_STEPS; left > 0; left -= 1) {
    if (view.shows === 'review' && !view.hasErrors) return view;
    const step = view.shows === 'review' ? correction(view) : filledIn(view, form, walk);
    view = takeFormStep({ ...shared, kept: kept(view), page: view.page, ...step });
  }
  throw new Error(`The walk did not end: ${JSON.stringify(view.issues)}`);
}

/** As a store keeps them. */
const kept = ({ fields }: FormView): Fields => JSON.parse(JSON.stringify(fields));

/** The page of the first error. */
function correction({ content }: FormView): { go: string; sent: Fields } {
  const after = content.markup.slice(content.markup.search(/<dd class="error">/));
  return { go: /value="(page:\d+)"/.exec(after)?.[1] ?? 'page:0', sent: {} };
}

function filledIn({ content: { markup } }: FormView, form: RenderReadyForm, walk: Walk): { go: string; sent: Fields } {
  const { draw } = walk;
  const sent: Record<string, string[]> = {};
  for (const control of controlsIn(markup)) {
    const texts = typed(control, { form, walk, isWrong: isNamed(control.name, markup) });
    sent[control.name] = [...(sent[control.name] ?? []), ...texts];
  }
  const rows = [...markup.matchAll(/name="go" value="((?:add|remove):[^"]+)"/g)].map(([, value = '']) => value);
  const isBusy = Object.entries(sent).some(([name, [count]]) => name.endsWith('.n') && Number(count) > MOST_ROWS / 10);
  const isRow = rows.length > 0 && draw(6) === 0 && !isBusy;
  return { sent, go: isRow ? pick(draw, rows) : pick(draw, ['next', 'next', 'next', 'refresh', 'save']) };
}

interface Control {
  readonly name: string;
  readonly kind: 'hidden' | 'text' | 'one' | 'several';
  readonly values: readonly string[];
  /** What the page has in it. */
  readonly given: readonly string[];
}

/** The controls, radio buttons and check boxes of one name together. */
function controlsIn(markup: string): Control[] {
  const controls: Control[] = [];
  const read = /<(input|textarea|select) ([^>]*)>(?:\n?([\s\S]*?)<\/(?:textarea|select)>)?/g;
  // An input has no end tag of its own.
  const ended = markup.replaceAll(/(<input [^>]*>)/g, '$1</select>');
  for (const [, tag = '', attributes = '', inner = ''] of ended.matchAll(read)) {
    const get = (name: string) => unescaped(new RegExp(`\\b${name}="([^"]*)"`).exec(attributes)?.[1] ?? '');
    const name = get('name');
    const type = tag === 'input' ? get('type') : tag;
    if (type === 'select') {
      const options = [...inner.matchAll(/<option value="([^"]*)"( selected)?>/g)];
      const values = options.map(([, value = '']) => unescaped(value));
      controls.push({ name, kind: 'one', values, given: options.flatMap(([, value = '', on]) => (on ? [value] : [])) });
    } else if (type === 'radio' || type === 'checkbox') {
      const before = controls.find((each) => each.name === name && each.kind !== 'hidden');
      const given = attributes.endsWith(' checked') || attributes.includes(' checked ') ? [get('value')] : [];
      if (before === undefined) {
        controls.push({ name, kind: type === 'radio' ? 'one' : 'several', values: [get('value')], given });
      } else {
        controls[controls.indexOf(before)] = {
          ...before,
          values: [...before.values, get('value')],
          given: [...before.given, ...given],
        };
      }
    } else {
      const text = type === 'textarea' ? unescaped(inner) : get('value');
      controls.push({ name, kind: type === 'hidden' ? 'hidden' : 'text', values: [], given: [text] });
    }
  }
  return controls;
}

/** Whether the summary of errors leads to the field or to its question. */
function isNamed(name: string, markup: string): boolean {
  const [path = ''] = name.split('.');
  return [path, path.replace(/_\d+$/, '')].some((each) => markup.includes(`href="#${each}"`));
}

interface Typing {
  readonly form: RenderReadyForm;
  readonly walk: Walk;
  readonly isWrong: boolean;
}

function typed(control: Control, { form, walk, isWrong }: Typing): readonly string[] {
  const { draw } = walk;
  const { kind, values, given, name } = control;
  if (kind === 'hidden') return given;
  // Most of what is there and is not wrong stays, so that the walk ends.
  if (given.some((text) => text !== '') && !(isWrong ? draw(2) === 0 : draw(20) === 0)) return given;
  if (kind === 'one') return values.length === 0 ? [] : [pick(draw, values)];
  if (kind === 'several') {
    return draw(2) === 0 ? [pick(draw, values)] : values.filter(() => draw(2) === 0);
  }
  const [path = '', part] = name.split('.');
  if (part === 'time') return [pick(draw, ['', '08:00', '12.30'])];
  if (part === 'title') return [draw(2) === 0 ? '' : 'A picture'];
  if (part === 'find') return [draw(2) === 0 ? '' : 'a'];
  if (part === 'unit') return [''];
  const item = itemAt(form.items, path);
  if (!item.required && draw(3) === 0) return [''];
  return [textFor(item, part === 'other', walk)];
}

function textFor(item: RenderReadyItem, isOther: boolean, { draw, matching }: Walk): string {
  const { limits = {} } = item;
  if (isOther && item.other_answers === 'text') return 'In own words';
  if (limits.pattern !== undefined) return matching(limits.pattern);
  const bounds = [limits.min_value, limits.max_value].filter((limit) => typeof limit !== 'object').map(String);
  const known = item.type === 'dateTime' ? [] : bounds.filter((bound) => bound !== 'undefined');
  return pick(draw, [...(TEXTS[item.type] ?? ['']), ...known]);
}

/** The item of a field's name. */
function itemAt(items: readonly RenderReadyItem[], path: string): RenderReadyItem {
  const [, ...steps] = path.split('-').map((step) => Number(step.split('_')[0]));
  let item: RenderReadyItem | undefined;
  let within = items;
  for (const step of steps) {
    item = within[step];
    within = item?.items ?? [];
  }
  if (item === undefined) throw new Error(`No item has the field ${path}`);
  return item;
}

function unescaped(text: string): string {
  return text
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&amp;', '&');
}
