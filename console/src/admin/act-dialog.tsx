// Asks before something is done: what it does, what it needs to know, and for what cannot be taken back a typed word.
import { Button, TextInput } from '@mantine/core';
import { type FormEvent, type ReactNode, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Dialog } from '../shell/dialog.tsx';
import { ProblemCard } from './problem-card.tsx';

interface ActDialogProps {
  readonly title: string;
  /** The words of the button that does it. */
  readonly confirm: string;
  readonly act: { readonly isPending: boolean; readonly error: Error | null; mutate(): void };
  readonly onClose: () => void;
  /** What has to be typed before it is done, and the label of that field. */
  readonly word?: { readonly text: string; readonly label: string };
  readonly isReady?: boolean;
  readonly children?: ReactNode;
}

export function ActDialog({ title, confirm, act, onClose, word, isReady = true, children }: ActDialogProps) {
  const { t } = useTranslation();
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
        {act.error !== null && <ProblemCard error={act.error} />}
        <p className="actions">
          <Button type="submit" disabled={!isTyped || !isReady} loading={act.isPending}>
            {confirm}
          </Button>
          <Button variant="default" onClick={onClose}>
            {t('admin.cancel')}
          </Button>
        </p>
      </form>
    </Dialog>
  );
}
