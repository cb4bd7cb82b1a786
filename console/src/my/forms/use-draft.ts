// What is being typed into a form. It is kept in the tab at once, so that neither a reload nor a sign-in loses it. The
// service gets it a moment after the last change.
import { useMutation } from '@tanstack/react-query';
import { useCallback, useEffect, useRef, useState } from 'react';
import { dispatch, read } from '../../api/clients.ts';
import { dropKept, keep, readKept } from '../../app/kept.ts';
import type { Filled } from '../../forms/filled.ts';

const PAUSE_MS = 1_500;

interface DraftOptions {
  readonly guid: string;
  /** Whether the service keeps it; an answer that is being corrected is kept in the tab alone. */
  readonly isKept: boolean;
  readonly start: () => Filled;
}

export interface Draft {
  readonly filled: Filled;
  readonly savedAt: Date | undefined;
  readonly error: Error | null;
  change(next: Filled, items: readonly unknown[]): void;
  /** Forgets it, as it has been sent. */
  drop(): void;
}

export function useDraft({ guid, isKept, start }: DraftOptions): Draft {
  const name = `form-${guid}`;
  const [filled, setFilled] = useState(() => readFilled(name) ?? start());
  const [savedAt, setSavedAt] = useState<Date>();
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const { mutate, error } = useMutation({
    mutationFn: (items: readonly unknown[]) => {
      const body = { resourceType: 'QuestionnaireResponse' as const, item: [...items] };
      return read(dispatch.PUT('/api/v1/patient-forms/{guid}/draft', { params: { path: { guid } }, body }));
    },
    onSuccess: () => setSavedAt(new Date()),
  });
  useEffect(() => () => clearTimeout(timer.current), []);
  const drop = useCallback(() => {
    clearTimeout(timer.current);
    dropKept(name);
  }, [name]);
  return {
    filled,
    savedAt,
    error,
    drop,
    change(next, items) {
      setFilled(next);
      keep(name, JSON.stringify(next));
      clearTimeout(timer.current);
      if (isKept) timer.current = setTimeout(() => mutate(items), PAUSE_MS);
    },
  };
}

/** Written by this code alone. */
function readFilled(name: string): Filled | undefined {
  const kept = readKept(name);
  return kept === undefined ? undefined : (JSON.parse(kept) as Filled);
}
