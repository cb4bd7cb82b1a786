// Reads a QuestionnaireResponse as a form that was filled in (hl7.org/fhir/R5/questionnaireresponse.html#7.5.5.1), with
// what its items have wrong in place, order and shape. check-form.ts checks the rest. Pure.
import { objectsIn } from '../json/members.ts';
import type { FormIssue } from './check-form.ts';
import type { Enabling } from './enabling.ts';
import type { FilledItem, Occurrence } from './filling.ts';
import type { IssueCode } from './issue-text.ts';
import type { RenderReadyItem } from './render-ready-form.ts';
import { type AnswerValue, elementOf, isSameAnswer } from './values.ts';

type Json = Readonly<Record<string, unknown>>;

export interface ReadResponse {
  readonly items: readonly FilledItem[];
  /** Of what is enabled; an item that is not is one issue. */
  readonly issuesOf: (enabling: Enabling) => ResponseIssueAt[];
}

/** An issue with the linkId that the response gave, which the form may not have. */
export interface ResponseIssueAt extends FormIssue {
  readonly linkId: string;
}

/** An issue of the shape, and the items that must be enabled for it to count. */
interface Found {
  readonly issue: ResponseIssueAt;
  readonly within: FilledItem | undefined;
}

interface Level {
  readonly definitions: readonly RenderReadyItem[];
  readonly given: readonly Json[];
  /** The FHIRPath of the parent. */
  readonly path: string;
  readonly parent: () => FilledItem | undefined;
}

export function readResponse(definitions: readonly RenderReadyItem[], response: Json): ReadResponse {
  const found: Found[] = [];
  const all: FilledItem[] = [];

  function add(code: IssueCode, place: { path: string; item: RenderReadyItem | undefined; linkId: string }, at: Level) {
    const { path, item, linkId } = place;
    const issue = { code, severity: 'error', path, label: item?.label ?? '', item, linkId } as const;
    found.push({ issue, within: at.parent() });
  }

  function readLevel(level: Level): readonly FilledItem[] {
    const orders = new Map(level.definitions.map(({ link_id: id }, place) => [id, place]));
    const byId = new Map<string, GivenItem[]>();
    let last = -1;
    for (const [index, value] of level.given.entries()) {
      const linkId = String(value['linkId']);
      const place = orders.get(linkId);
      const path = `${level.path}.item[${index}]`;
      const item = place === undefined ? undefined : level.definitions[place];
      if (place === undefined) {
        found.push({ issue: unknownAt(path, linkId), within: level.parent() });
        continue;
      }
      if (place < last) add('order', { path, item, linkId }, level);
      last = Math.max(last, place);
      const known = byId.get(linkId) ?? [];
      known.push({ value, path });
      byId.set(linkId, known);
    }
    return level.definitions.map((item) => readItem(item, byId.get(item.link_id) ?? [], level.path));
  }

  function readItem(item: RenderReadyItem, given: readonly GivenItem[], around: string): FilledItem {
    const occurrences: Occurrence[] = [];
    const filled: FilledItem = {
      item,
      path: given[0]?.path ?? around,
      occurrences,
      given: given.map(({ value }) => value),
    };
    all.push(filled);
    const own = { definitions: item.items ?? [], parent: () => filled };
    const report = (code: IssueCode, path: string) =>
      add(code, { path, item, linkId: item.link_id }, { ...own, given: [], path });
    for (const [index, { value, path }] of given.entries()) {
      const answers = objectsIn(value['answer']);
      if (item.type === 'group') {
        if (value['answer'] !== undefined) report('shape', path);
        const items = readLevel({ ...own, given: objectsIn(value['item']), path });
        occurrences.push({ path, answer: undefined, items });
        continue;
      }
      const isDisplay = item.type === 'display';
      if (value['item'] !== undefined || isDisplay === answers.length > 0) report('shape', path);
      if (index > 0) report('twice', path);
      for (const [place, answer] of isDisplay ? [] : answers.entries()) {
        const at = `${path}.answer[${place}]`;
        const bare = bareValue(answer);
        if (bare === undefined) report('shape', at);
        occurrences.push({
          path: at,
          answer: bare,
          items: readLevel({ ...own, given: objectsIn(answer['item']), path: at }),
        });
      }
    }
    if (isAsAtStart(item) && given.length > 0 && !isInitial(item, occurrences)) report('fixed', filled.path);
    return filled;
  }

  const items = readLevel({
    definitions,
    given: objectsIn(response['item']),
    path: 'QuestionnaireResponse',
    parent: () => undefined,
  });
  return {
    items,
    issuesOf: (enabling) => [
      ...found.filter(({ within }) => within === undefined || enabling.isEnabled(within)).map(({ issue }) => issue),
      ...all.flatMap((each) => disabledIssue(each, enabling)),
    ],
  };
}

interface GivenItem {
  readonly value: Json;
  readonly path: string;
}

function unknownAt(path: string, linkId: string): ResponseIssueAt {
  return { code: 'unknown_item', severity: 'error', path, label: '', item: undefined, linkId };
}

/** One issue for the outermost item that is given and not enabled. */
function disabledIssue(each: FilledItem, enabling: Enabling): ResponseIssueAt[] {
  const { item, path, given = [] } = each;
  if (given.length === 0 || enabling.isEnabled(each) || !enabling.isParentEnabled(each)) return [];
  return [{ code: 'not_enabled', severity: 'error', path, label: item.label, item, linkId: item.link_id }];
}

/** The value of an answer, without the items within it. */
function bareValue(answer: Json): AnswerValue | undefined {
  const element = elementOf(answer);
  return element === undefined ? undefined : { [element]: answer[element] };
}

/** What is calculated is another value each time, and is checked when the form is solved. */
function isAsAtStart(item: RenderReadyItem): boolean {
  return item.read_only && item.calculated === undefined && item.initial_expression === undefined;
}

function isInitial({ initial = [] }: RenderReadyItem, occurrences: readonly Occurrence[]): boolean {
  return (
    initial.length === occurrences.length &&
    initial.every((value, index) => {
      const answer = occurrences[index]?.answer;
      return answer !== undefined && isSameAnswer(value, answer);
    })
  );
}
