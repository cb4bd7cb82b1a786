// Asks before something is done: what it does, what it needs to know, and for what cannot be taken back a typed word.
import { Button, TextInput } from '@mantine/core';
import { type FormEvent, type ReactNode, useState } from 'react';
import { Dialog } from '../shell/dialog.tsx';

export interface ActDialogProps {
  readonly title: string;
  /** The words of the button that does it, and of the one that does not. */
  readonly confirm: string;
  readonly cancel: string;
  readonly act: { readonly isPending: boolean; mutate(): void };
  readonly onClose: () => void;
  /** What has to be typed before it is done, and the label of that field. */
  readonly word?: { readonly text: string; readonly label: string } | undefined;
  readonly isReady?: boolean;
  /** Why it failed. */
  readonly failure?: ReactNode;
  readonly children?: ReactNode;
}

export function ActDialog(props: ActDialogProps) {
  const { title, confirm, cancel, act, onClose, word, isReady = true, failure, children } = props;
  const [typed, setTyped] = useState('');
  const isTyped = word === undefined || typed.trim().toLocaleLowerCase() === word.text.toLocaleLowerCase();
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (isTyped && isReady) act.mutate();
  };
  return (
    <Dialog title={title} onClose={onClose}>
      <form onSubmit={submit}>
        {children}
        {word !== undefined && (
          <TextInput
            mt="md"
            label={word.label}
            autoComplete="off"
            value={typed}
            onChange={({ currentTarget }) => setTyped(currentTarget.value)}
          />
        )}
        {failure}
        <p className="actions">
          <Button type="submit" disabled={!isTyped || !isReady} loading={act.isPending}>
            {confirm}
          </Button>
          <Button variant="default" onClick={onClose}>
            {cancel}
          </Button>
        </p>
      </form>
    </Dialog>
  );
}
