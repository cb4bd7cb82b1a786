// The content of a draft as JSON, for who knows it. What is wrong is said at its line, and the service checks all of it
// when it is saved. What is typed is kept in the tab until then. Where somebody else has saved meanwhile, the
// difference is shown.
import { Button, Textarea } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Problem } from '../../../api/problem.ts';
import { DiffView } from '../../../shared/difference/diff-view.tsx';
import { ErrorCard } from '../../../shell/error-card.tsx';
import type { Snapshot, SnapshotVersion } from '../request-queries.ts';
import { Overtaken } from './overtaken.tsx';
import { readJson } from './read-json.ts';
import { contentName } from './unsaved.ts';
import { type SnapshotEdit, useSaveSnapshot, useSnapshotEdit } from './use-snapshot-edit.ts';

interface SnapshotJsonProps {
  readonly id: string;
  readonly current: SnapshotVersion;
}

export function SnapshotJson({ id, current }: SnapshotJsonProps) {
  const { t } = useTranslation();
  const edit = useSnapshotEdit(contentName(id), current, textOf);
  // What was typed before a reload is seen.
  const [isOpen, setOpen] = useState(edit.isChanged);
  return (
    <details open={isOpen} onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>{t('planner.request.editJson')}</summary>
      {isOpen && <Editor id={id} current={current} edit={edit} />}
    </details>
  );
}

function textOf(snapshot: Snapshot): string {
  return JSON.stringify(snapshot, null, 2);
}

interface EditorProps extends SnapshotJsonProps {
  readonly edit: SnapshotEdit<string>;
}

function Editor({ id, current, edit }: EditorProps) {
  const { t } = useTranslation();
  const { base, mine: text, isChanged, isOvertaken } = edit;
  const save = useSaveSnapshot(id, edit.drop);
  const read = readJson(text);
  const messages = save.error instanceof Problem && save.error.status !== 412 ? save.error.messages : [];
  const wrong = 'issue' in read ? t(`planner.request.json.${read.issue}`, { line: read.line ?? '' }) : undefined;
  const saveOver = (version: SnapshotVersion) => 'value' in read && save.mutate({ base: version, next: read.value });
  return (
    <>
      <Textarea
        label={t('planner.request.jsonField')}
        description={t('planner.request.jsonHint')}
        error={wrong}
        rows={16}
        spellCheck={false}
        className="json-field"
        value={text}
        onChange={({ currentTarget }) => {
          save.reset();
          edit.change(currentTarget.value);
        }}
      />
      {isOvertaken ? (
        <Overtaken
          saveLabel={t('planner.request.replaceTheirs')}
          isSaving={save.isPending}
          onSaveMine={
            'value' in read
              ? () => {
                  edit.rebase(current, text);
                  saveOver(current);
                }
              : undefined
          }
          onTakeTheirs={() => {
            edit.drop();
            save.reset();
          }}
        >
          <DiffView before={textOf(current.snapshot)} after={text} label={t('planner.request.jsonDifference')} />
          <p className="quiet">{t('planner.request.jsonSigns')}</p>
        </Overtaken>
      ) : (
        save.error !== null && <ErrorCard error={save.error} />
      )}
      {messages.length > 0 && (
        <ul lang="en">
          {messages.map((message) => (
            <li key={message}>{message}</li>
          ))}
        </ul>
      )}
      <p className="actions">
        <Button
          variant="default"
          disabled={!('value' in read) || !isChanged}
          loading={save.isPending}
          onClick={() => saveOver(base)}
        >
          {t('planner.request.saveJson')}
        </Button>
        {isChanged && (
          <button type="button" className="plain-button" onClick={edit.drop}>
            {t('planner.request.dropJson')}
          </button>
        )}
      </p>
    </>
  );
}
