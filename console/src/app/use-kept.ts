// Text that is being typed, kept in the tab until it has been sent, so that neither a reload nor a sign-in loses it.
import { useMemo, useState } from 'react';
import { dropKept, keep, readKept } from './kept.ts';

/** The text, how it changes, and how it is forgotten. `start` is what is there before anything is typed. */
export function useKept(name: string, start: string): [string, (text: string) => void, () => void] {
  const [held, hold] = useState(() => ({ name, text: readKept(name) }));
  // The same field of another record has a text of its own.
  const typed = held.name === name ? held.text : readKept(name);
  const change = (text: string) => {
    hold({ name, text });
    if (text === start) dropKept(name);
    else keep(name, text);
  };
  const drop = () => {
    hold({ name, text: undefined });
    dropKept(name);
  };
  return [typed ?? start, change, drop];
}

/** The same for the fields of a form, which change one or several at a time. `start` stays the same. */
export function useKeptForm<Form extends object>(
  name: string,
  start: Form,
): [Form, (next: Partial<Form>) => void, () => void] {
  const [text, setText, drop] = useKept(name, '');
  const form = useMemo(() => formIn(text, start), [text, start]);
  const change = (next: Partial<Form>) => {
    // What has been kept since this was shown, by a field that was changed in the same moment.
    const fields = { ...formIn(readKept(name) ?? text, start), ...next };
    setText(JSON.stringify(fields) === JSON.stringify(start) ? '' : JSON.stringify(fields));
  };
  return [form, change, drop];
}

/**
 * Whether a form is open, and how that changes. A form in which something was typed before a reload is open again.
 * @param name under which it is kept
 */
export function useOpenWhereKept(name: string): [boolean, (isOpen: boolean) => void] {
  return useState(() => readKept(name) !== undefined);
}

/** What was kept was written by this code alone. */
function formIn<Form extends object>(text: string, start: Form): Form {
  return text === '' ? start : { ...start, ...(JSON.parse(text) as Partial<Form>) };
}
