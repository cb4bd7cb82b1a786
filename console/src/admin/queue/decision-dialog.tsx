// Decides about one entry or many: what an approval brings about before it is made, or the reason of a rejection. What
// somebody else has decided meanwhile is said, and the rest is done. After a lost connection the rest is sent again.
import { Button, Textarea } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { createRequestKey, isRefusal, type RequestKey } from '../../app/request-key.ts';
import { useKept } from '../../app/use-kept.ts';
import { Dialog } from '../../shell/dialog.tsx';
import { ErrorCard } from '../../shell/error-card.tsx';
import { nameOf } from '../person.ts';
import { EFFECTS, effectsOf } from './effects.ts';
import { type Decision, decide, type Entry } from './queries.ts';

interface DecisionDialogProps {
  readonly decision: Decision;
  readonly entries: readonly Entry[];
  /** Called with how many were decided. */
  readonly onDone: (count: number) => void;
  readonly onClose: () => void;
}

const LONGEST = 500;
const MOST_NAMES = 8;

export function DecisionDialog({ decision, entries, onDone, onClose }: DecisionDialogProps) {
  const { t } = useTranslation();
  const [reason, setReason, dropReason] = useKept('decision-reason', '');
  const { run, decided, refused } = useDecisions(entries, decision, () =>
    reason.trim() === '' ? undefined : reason.trim(),
  );
  const close = () => {
    if (decided > 0) onDone(decided);
    onClose();
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    run.mutate(undefined, {
      onSuccess: (failed) => {
        dropReason();
        if (failed.length > 0) return;
        onDone(entries.length);
        onClose();
      },
    });
  };
  if (run.isSuccess && refused.length > 0) {
    return (
      <Dialog title={t('admin.decide.partly', { count: decided })} onClose={close}>
        <p>{t('admin.decide.refused')}</p>
        <ul>
          {refused.map((entry) => (
            <li key={entry.guid}>{nameOf(entry)}</li>
          ))}
        </ul>
        <p className="actions">
          <Button onClick={close}>{t('admin.close')}</Button>
        </p>
      </Dialog>
    );
  }
  return (
    <Dialog title={t(`admin.decide.title.${decision}`, { count: entries.length })} onClose={close}>
      <form onSubmit={submit}>
        <Names entries={entries} />
        {decision === 'approved' ? (
          <EffectList entries={entries} />
        ) : (
          <Textarea
            label={t('admin.decide.reason')}
            description={t('admin.decide.reasonHint')}
            rows={3}
            maxLength={LONGEST}
            value={reason}
            onChange={({ currentTarget }) => setReason(currentTarget.value)}
          />
        )}
        {run.error !== null && <ErrorCard error={run.error} />}
        {entries.length > 1 && run.isPending && (
          <progress value={decided + refused.length} max={entries.length} aria-label={t('admin.decide.progress')} />
        )}
        <p className="actions">
          <Button type="submit" loading={run.isPending}>
            {t(`admin.decide.now.${decision}`, { count: entries.length - decided - refused.length })}
          </Button>
          <Button variant="default" onClick={close}>
            {t('admin.cancel')}
          </Button>
        </p>
      </form>
    </Dialog>
  );
}

/** One decision after the other; a failure that may pass stops, and the next run goes on where it stopped. */
function useDecisions(entries: readonly Entry[], decision: Decision, reasonOf: () => string | undefined) {
  const queries = useQueryClient();
  const keys = useRef(new Map<string, RequestKey>());
  const [settled, setSettled] = useState<ReadonlyMap<string, 'decided' | 'refused'>>(new Map());
  const run = useMutation({
    async mutationFn() {
      const known = new Map(settled);
      for (const entry of entries.filter(({ guid }) => !known.has(guid))) {
        known.set(entry.guid, await decideOne(entry));
        setSettled(new Map(known));
      }
      return entries.filter(({ guid }) => known.get(guid) === 'refused');
    },
    onSettled: () => queries.invalidateQueries({ queryKey: ['decision-queue'] }),
  });

  async function decideOne(entry: Entry): Promise<'decided' | 'refused'> {
    const key = keys.current.get(entry.guid) ?? createRequestKey();
    keys.current.set(entry.guid, key);
    const reason = decision === 'rejected' ? reasonOf() : undefined;
    try {
      await decide(entry, decision, reason, key.of({ decision, reason }));
      return 'decided';
    } catch (error) {
      if (error instanceof Error) key.settled(error);
      if (error instanceof Error && isRefusal(error)) return 'refused';
      throw error;
    }
  }

  return {
    run,
    decided: [...settled.values()].filter((outcome) => outcome === 'decided').length,
    refused: entries.filter(({ guid }) => settled.get(guid) === 'refused'),
  };
}

function Names({ entries }: { readonly entries: readonly Entry[] }) {
  const { t } = useTranslation();
  const shown = entries.slice(0, MOST_NAMES);
  const rest = entries.length - shown.length;
  return (
    <ul>
      {shown.map((entry) => (
        <li key={entry.guid}>
          {nameOf(entry)} <span className="quiet">({t(`admin.kind.${entry.kind}`)})</span>
        </li>
      ))}
      {rest > 0 && <li className="quiet">{t('admin.decide.more', { count: rest })}</li>}
    </ul>
  );
}

function EffectList({ entries }: { readonly entries: readonly Entry[] }) {
  const { t } = useTranslation();
  const effects = effectsOf(entries);
  return (
    <div className="note">
      <p>{t('admin.decide.effects')}</p>
      <ul>
        {EFFECTS.filter((name) => effects[name] > 0).map((name) => (
          <li key={name}>{t(`admin.effect.${name}`, { count: effects[name] })}</li>
        ))}
      </ul>
    </div>
  );
}
