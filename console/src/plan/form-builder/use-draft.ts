// The form that is being made: kept in the tab until it is saved, with the way back.
import type { Questionnaire } from 'fhir/r5';
import { useState } from 'react';
import { dropKept, keep, keptNames, readKept } from '../../app/kept.ts';
import { type Item, withChanged } from './model/tree.ts';

/** A form, and which version of it at the service it was made from; undefined for one that is not there yet. */
export interface Kept {
  readonly form: Questionnaire;
  readonly version: string | undefined;
}

export interface Draft extends Kept {
  /** Whether something is not saved. */
  readonly isChanged: boolean;
  /** False where the form was too large for the tab. */
  readonly isKept: boolean;
  readonly canUndo: boolean;
  /** Grows with each step back, so that fields show what is there again. */
  readonly revision: number;
  /** @param typing the field that is typed in: one step back undoes all that is typed in it */
  change(next: Questionnaire, typing?: string): void;
  changeItem(id: string, change: (item: Item) => Item, typing?: string): void;
  undo(): void;
  /** The same form, as one that was made from that version. */
  rebase(version: string | undefined): void;
  /** What is at the service now; nothing is kept in the tab any more. */
  settle(saved: Kept): void;
}

const MOST_STEPS = 100;

interface State extends Kept {
  readonly past: readonly Questionnaire[];
  readonly typing: string | undefined;
  readonly isChanged: boolean;
  readonly isKept: boolean;
  readonly revision: number;
}

const KEPT = 'form-';
const NEW = 'new-';

/** The name of a form that is not stored yet, by what its address calls it. */
export function newDraftName(draft: string): string {
  return `${NEW}${draft}`;
}

/** A form of this tab that is not stored yet: what its address calls it, and its title. */
export interface NewDraft {
  readonly draft: string;
  readonly title: string;
}

export function newDrafts(): NewDraft[] {
  const prefix = `${KEPT}${NEW}`;
  return keptNames(prefix)
    .map((name) => {
      const { form }: Kept = JSON.parse(readKept(name) ?? '{"form":{}}');
      return { draft: name.slice(prefix.length), title: form.title?.trim() ?? '' };
    })
    .toSorted((left, right) => left.title.localeCompare(right.title) || left.draft.localeCompare(right.draft));
}

export function dropNewDraft(draft: string): void {
  dropKept(`${KEPT}${NEW}${draft}`);
}

/** @param name under which it is kept: the id of the form, or `newDraftName` */
export function useDraft(name: string, start: () => Kept): Draft {
  const key = `${KEPT}${name}`;
  const [state, setState] = useState<State>(() => {
    const kept = readKept(key);
    const from: Kept = kept === undefined ? start() : JSON.parse(kept);
    return { ...from, past: [], typing: undefined, isChanged: kept !== undefined, isKept: true, revision: 0 };
  });
  const put = (form: Questionnaire, more: Pick<State, 'past' | 'typing' | 'revision'>) =>
    setState({
      version: state.version,
      ...more,
      form,
      isChanged: true,
      isKept: keep(key, JSON.stringify({ form, version: state.version })),
    });
  const change = (form: Questionnaire, typing?: string) => {
    const isSameField = typing !== undefined && typing === state.typing;
    const past = isSameField ? state.past : [...state.past, state.form].slice(-MOST_STEPS);
    put(form, { past, typing, revision: state.revision });
  };
  return {
    ...state,
    canUndo: state.past.length > 0,
    change,
    changeItem(id, changed, typing) {
      change({ ...state.form, item: withChanged(state.form.item ?? [], id, changed) }, typing);
    },
    undo() {
      const form = state.past.at(-1);
      if (form !== undefined)
        put(form, { past: state.past.slice(0, -1), typing: undefined, revision: state.revision + 1 });
    },
    rebase(version) {
      setState({ ...state, version, isKept: keep(key, JSON.stringify({ form: state.form, version })) });
    },
    settle(saved) {
      dropKept(key);
      setState({ ...saved, past: [], typing: undefined, isChanged: false, isKept: true, revision: state.revision + 1 });
    },
  };
}
