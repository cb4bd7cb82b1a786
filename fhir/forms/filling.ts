// A form that is being filled in: for each item its occurrences or answers, wherever they come from (a posted page, a
// QuestionnaireResponse).
import type { ConditionalItem, ConditionalOccurrence } from './enabling.ts';
import type { IssueMessage } from './issue-text.ts';
import type { RenderReadyItem } from './render-ready-form.ts';

/** An occurrence of a group, or an answer of a question. */
export interface Occurrence extends ConditionalOccurrence {
  /** Unique in the filling: the name of its field on a page, or its FHIRPath. */
  readonly path: string;
  /** Why the typed text cannot be read. */
  readonly issue?: IssueMessage | undefined;
  readonly items: readonly FilledItem[];
}

export interface FilledItem extends ConditionalItem {
  readonly item: RenderReadyItem;
  readonly path: string;
  readonly occurrences: readonly Occurrence[];
  /** Of a response that is checked: its items, as they were given. What is given counts, however little it says. */
  readonly given?: readonly Readonly<Record<string, unknown>>[];
}
