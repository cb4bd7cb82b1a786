// What is said beside the plan: how urgent it is, and a note to who performs it. What is typed is kept in the tab until
// it is saved. Where somebody else has saved meanwhile, both texts are shown.
import { Button, NativeSelect, Textarea } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import type { FormEvent } from 'react';
import { useTranslation } from 'react-i18next';
import { putJson } from '../../../api/fhir.ts';
import { Problem } from '../../../api/problem.ts';
import { useKept } from '../../../app/use-kept.ts';
import { ErrorCard } from '../../../shell/error-card.tsx';
import { type Snapshot, useRefresh } from '../request-queries.ts';

interface DraftTextProps {
  readonly id: string;
  readonly snapshot: Snapshot;
  readonly etag: string | undefined;
  readonly isOpen: boolean;
}

const PRIORITIES = ['routine', 'urgent', 'asap', 'stat'] as const;

export function DraftText(props: DraftTextProps) {
  const { t } = useTranslation();
  const { note, priority } = props.snapshot;
  const { isOpen, ...rest } = props;
  if (isOpen) return <Editor {...rest} />;
  return (
    <dl className="facts">
      <dt>{t('planner.request.priority')}</dt>
      <dd>{t(`planner.priority.${priority ?? 'routine'}`)}</dd>
      {note !== undefined && (
        <>
          <dt>{t('planner.request.note')}</dt>
          <dd>{note}</dd>
        </>
      )}
    </dl>
  );
}

function Editor({ id, snapshot, etag }: Omit<DraftTextProps, 'isOpen'>) {
  const { t } = useTranslation();
  const refresh = useRefresh(id);
  const [note, setNote, dropNote] = useKept(`request-note-${id}`, snapshot.note ?? '');
  const [kept, setPriority, dropPriority] = useKept(`request-priority-${id}`, snapshot.priority ?? 'routine');
  const priority = PRIORITIES.find((each) => each === kept) ?? 'routine';
  const save = useMutation({
    mutationFn: () => {
      const { note: before, ...others } = snapshot;
      const text = note.trim();
      const next: Snapshot = { ...others, priority, ...(text === '' ? {} : { note: text }) };
      return putJson(`/dispatch/api/v1/ServiceRequest/${id}/snapshot`, next, /"(.+)"/.exec(etag ?? '')?.[1]);
    },
    onSuccess: async () => {
      dropNote();
      dropPriority();
      await refresh();
    },
  });
  const isOvertaken = save.error instanceof Problem && save.error.status === 412;
  const isChanged = note.trim() !== (snapshot.note ?? '') || priority !== (snapshot.priority ?? 'routine');
  const submit = (event: FormEvent) => {
    event.preventDefault();
    save.mutate();
  };
  return (
    <form onSubmit={submit}>
      <NativeSelect
        mt="md"
        label={t('planner.request.priority')}
        value={priority}
        onChange={({ currentTarget }) => setPriority(currentTarget.value)}
        data={PRIORITIES.map((value) => ({ value, label: t(`planner.priority.${value}`) }))}
      />
      <Textarea
        mt="md"
        label={t('planner.request.note')}
        description={t('planner.request.noteHint')}
        value={note}
        maxLength={10_000}
        rows={3}
        onChange={({ currentTarget }) => setNote(currentTarget.value)}
      />
      {isOvertaken ? (
        <div className="alert" role="alert">
          <h2>{t('planner.request.overtaken')}</h2>
          <p>{t('planner.request.overtakenText')}</p>
          <p className="actions">
            <Button variant="default" onClick={() => void refresh().then(() => save.reset())}>
              {t('planner.request.showTheirs')}
            </Button>
          </p>
        </div>
      ) : (
        save.error !== null && <ErrorCard error={save.error} />
      )}
      {isChanged && snapshot.note !== undefined && note.trim() !== snapshot.note && (
        <p className="quiet">
          {t('planner.request.savedNote')} {snapshot.note}
        </p>
      )}
      <p className="actions">
        <Button type="submit" variant="default" disabled={!isChanged} loading={save.isPending}>
          {t('planner.request.saveText')}
        </Button>
        {isChanged && <span className="quiet">{t('planner.request.notSaved')}</span>}
      </p>
    </form>
  );
}
