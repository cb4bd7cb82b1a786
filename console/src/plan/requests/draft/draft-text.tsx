// What is said beside the plan: how urgent it is, and a note to who performs it. What is typed is kept in the tab until
// it is saved. Where somebody else has saved meanwhile, each field that differs is shown with both texts.
import { Button, NativeSelect, Textarea } from '@mantine/core';
import type { FormEvent } from 'react';
import { useTranslation } from 'react-i18next';
import { DiffView } from '../../../shared/difference/diff-view.tsx';
import { ErrorCard } from '../../../shell/error-card.tsx';
import type { SnapshotVersion } from '../request-queries.ts';
import {
  type DraftTexts,
  differencesOf,
  isRestChanged,
  mergedTexts,
  PRIORITIES,
  restOf,
  type TextDifference,
  textsOf,
  withTexts,
} from './draft-texts.ts';
import { Overtaken } from './overtaken.tsx';
import { textsName } from './unsaved.ts';
import { type SnapshotEdit, useSaveSnapshot, useSnapshotEdit } from './use-snapshot-edit.ts';

interface DraftTextProps {
  readonly id: string;
  readonly current: SnapshotVersion;
  readonly isOpen: boolean;
}

export function DraftText({ id, current, isOpen }: DraftTextProps) {
  const { t } = useTranslation();
  if (isOpen) return <Editor id={id} current={current} />;
  const { note, priority } = current.snapshot;
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

function Editor({ id, current }: Omit<DraftTextProps, 'isOpen'>) {
  const { t } = useTranslation();
  const edit = useSnapshotEdit(textsName(id), current, textsOf);
  const save = useSaveSnapshot(id, edit.drop);
  const { base, mine, isOvertaken } = edit;
  const isChanged = edit.isChanged && differencesOf(base.snapshot, mine, base.snapshot).length > 0;
  const change = (next: Partial<DraftTexts>) => edit.change({ ...mine, ...next });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    save.mutate({ base, next: withTexts(base.snapshot, mine) });
  };
  return (
    <form id="draft-texts" tabIndex={-1} onSubmit={submit}>
      <NativeSelect
        mt="md"
        label={t('planner.request.priority')}
        value={mine.priority}
        onChange={({ currentTarget }) =>
          change({ priority: PRIORITIES.find((each) => each === currentTarget.value) ?? 'routine' })
        }
        data={PRIORITIES.map((value) => ({ value, label: t(`planner.priority.${value}`) }))}
      />
      <Textarea
        mt="md"
        label={t('planner.request.note')}
        description={t('planner.request.noteHint')}
        value={mine.note}
        maxLength={10_000}
        rows={3}
        onChange={({ currentTarget }) => change({ note: currentTarget.value })}
      />
      {isOvertaken ? (
        <Overtaken
          saveLabel={t('planner.request.saveMine')}
          isSaving={save.isPending}
          onSaveMine={() => {
            const merged = mergedTexts(base.snapshot, mine, current.snapshot);
            edit.rebase(current, merged);
            save.mutate({ base: current, next: withTexts(current.snapshot, merged) });
          }}
          onTakeTheirs={() => {
            edit.drop();
            save.reset();
          }}
        >
          <Differences edit={edit} current={current} />
        </Overtaken>
      ) : (
        save.error !== null && <ErrorCard error={save.error} />
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

interface DifferencesProps {
  readonly edit: SnapshotEdit<DraftTexts>;
  readonly current: SnapshotVersion;
}

function Differences({ edit: { base, mine }, current }: DifferencesProps) {
  const { t } = useTranslation();
  const differences = differencesOf(base.snapshot, mine, current.snapshot);
  const isElsewhere = isRestChanged(base.snapshot, current.snapshot);
  return (
    <>
      {differences.map((difference) => (
        <FieldDifference key={difference.field} {...difference} />
      ))}
      {isElsewhere && (
        <>
          <h3>{t('planner.request.what')}</h3>
          <p>{t('planner.request.restChanged')}</p>
          <DiffView
            before={JSON.stringify(restOf(base.snapshot), null, 2)}
            after={JSON.stringify(restOf(current.snapshot), null, 2)}
            label={t('planner.request.restDifference')}
          />
        </>
      )}
      {differences.length === 0 && !isElsewhere && <p>{t('difference.none')}</p>}
    </>
  );
}

function FieldDifference({ field, theirs, mine, isMine }: TextDifference) {
  const { t } = useTranslation();
  const shown = (texts: DraftTexts) =>
    field === 'priority'
      ? t(`planner.priority.${texts.priority}`)
      : texts.note.trim() || t('planner.request.emptyField');
  return (
    <>
      <h3>{t(`planner.request.${field}`)}</h3>
      <dl className="facts">
        <dt>{t('planner.request.savedNow')}</dt>
        <dd>{shown(theirs)}</dd>
        <dt>{t('planner.request.yours')}</dt>
        <dd>
          {shown(mine)} {!isMine && <span className="quiet">{t('planner.request.notYours')}</span>}
        </dd>
      </dl>
    </>
  );
}
