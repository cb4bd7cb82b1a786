// Users from a file, in steps: the file, which column is which, what will happen with each row, the run, the result.
// All of it is kept in the tab until another file is chosen or its person signs out, so that no reload loses a step.
import { Button, NativeSelect } from '@mantine/core';
import { type ChangeEvent, useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useKept, useKeptForm } from '../../app/use-kept.ts';
import { numberText } from '../../i18n/format.ts';
import { CheckBox } from '../../shared/fields/check-box.tsx';
import { ErrorCard } from '../../shell/error-card.tsx';
import { Page } from '../../shell/page.tsx';
import { ProblemCard } from '../problem-card.tsx';
import { COLUMNS, type Column, guessMapping, type Mapping, mapRows, type Source } from './mapping.ts';
import { PreviewGrid } from './preview-grid.tsx';
import { type FileError, MOST_ROWS, readFile, type UserFile } from './read-file.ts';
import { Result } from './result.tsx';
import { useImport } from './use-import.ts';

interface Choices {
  readonly mapping: Mapping | undefined;
  readonly mayCreate: boolean;
}

const NOTHING: Choices = { mapping: undefined, mayCreate: false };
const STEPS = ['file', 'columns', 'preview', 'result'] as const;

export function ImportPage() {
  const { t } = useTranslation();
  const [text, setText, dropFile] = useKept('import-file', '');
  // Written by this code alone.
  const file = useMemo(() => (text === '' ? undefined : (JSON.parse(text) as UserFile)), [text]);
  const [{ mapping, mayCreate }, change, dropChoices] = useKeptForm('import', NOTHING);
  const [fileError, setFileError] = useState<FileError>();
  const { preview, run, done, all, result, reset } = useImport();
  const choose = async ({ currentTarget }: ChangeEvent<HTMLInputElement>) => {
    const [chosen] = currentTarget.files ?? [];
    if (chosen === undefined) return;
    const read = await readFile(chosen);
    reset();
    setFileError(typeof read === 'string' ? read : undefined);
    if (typeof read === 'string') return dropFile();
    setText(JSON.stringify(read));
    change({ mapping: guessMapping(read.headings) });
  };
  const rows = file === undefined || mapping === undefined ? [] : mapRows(file.rows, mapping);
  const wanted = preview.data?.filter(({ outcome }) => outcome === 'create').length ?? 0;
  const isDone = result !== undefined;
  const step = isDone ? 3 : preview.isSuccess ? 2 : file === undefined ? 0 : 1;
  const choices = (next: Partial<Choices>) => {
    change(next);
    reset();
  };
  return (
    <Page title={t('admin.import.title')}>
      <ol className="steps">
        {STEPS.map((name, index) => (
          <li key={name} data-done={index < step ? '' : undefined} aria-current={index === step ? 'step' : undefined}>
            {t(`admin.import.step.${name}`)}
          </li>
        ))}
      </ol>
      {!isDone && (
        <p>
          <label className="label" htmlFor="users-file">
            {t('admin.import.file')}
          </label>
          <span className="quiet">{t('admin.import.hint', { count: MOST_ROWS, most: numberText(MOST_ROWS) })}</span>
          <br />
          <input
            id="users-file"
            type="file"
            accept=".csv,text/csv,text/plain"
            disabled={run.isPending}
            onChange={(event) => void choose(event)}
          />
          {file !== undefined && <span className="quiet">{t('admin.import.chosen', { name: file.name })}</span>}
        </p>
      )}
      {fileError !== undefined && (
        <p className="bad" role="alert">
          {t(`admin.import.fault.${fileError}`)}
        </p>
      )}
      {file !== undefined && mapping !== undefined && !isDone && !run.isPending && (
        <section aria-labelledby="columns">
          <h2 id="columns">{t('admin.import.columns')}</h2>
          {done > 0 && preview.isIdle && <p role="status">{t('admin.import.interrupted', { count: done })}</p>}
          <Columns file={file} mapping={mapping} onChange={(next) => choices({ mapping: next })} />
          <CheckBox
            label={t('admin.import.createMissing')}
            isChecked={mayCreate}
            onChange={(isChecked) => choices({ mayCreate: isChecked })}
          />
          {preview.error !== null && <ProblemCard error={preview.error} />}
          <p className="actions">
            <Button
              variant={preview.isSuccess ? 'default' : 'filled'}
              disabled={mapping.email === undefined}
              loading={preview.isPending}
              onClick={() => preview.mutate({ rows, mayCreate })}
            >
              {t('admin.import.preview')}
            </Button>
          </p>
        </section>
      )}
      {preview.isSuccess && !isDone && (
        <section aria-labelledby="preview">
          <h2 id="preview">{t('admin.import.step.preview')}</h2>
          <PreviewGrid rows={rows} outcomes={preview.data} />
          {run.isPending && (
            <progress value={done} max={all} aria-label={t('admin.import.progress')} className="progress" />
          )}
          {run.error !== null && (
            <>
              <ErrorCard error={run.error} />
              <p>{t('admin.import.stopped', { count: done, wanted: numberText(all) })}</p>
            </>
          )}
          <p className="actions">
            <Button disabled={wanted === 0} loading={run.isPending} onClick={() => run.mutate({ rows, mayCreate })}>
              {t(run.isError ? 'admin.import.goOn' : 'admin.import.run', { count: wanted })}
            </Button>
          </p>
        </section>
      )}
      {isDone && (
        <Result
          rows={rows}
          outcomes={result}
          onAgain={() => {
            reset();
            dropFile();
            dropChoices();
          }}
        />
      )}
    </Page>
  );
}

interface ColumnsProps {
  readonly file: UserFile;
  readonly mapping: Mapping;
  readonly onChange: (mapping: Mapping) => void;
}

function Columns({ file, mapping, onChange }: ColumnsProps) {
  const { t } = useTranslation();
  const [example] = file.rows;
  const fixed = (column: Column) =>
    column === 'user_type' ? (['professional', 'patient'] as const).map((value) => ({ value })) : [];
  const keyOf = (source: Source) =>
    source === undefined ? '' : 'at' in source ? String(source.at) : `=${source.value}`;
  const sourceOf = (key: string): Source => {
    if (key === '') return undefined;
    return key.startsWith('=') ? { value: key.slice(1) } : { at: Number(key) };
  };
  return (
    <div className="filters">
      {COLUMNS.map((column) => {
        const source = mapping[column];
        const shown = source !== undefined && 'at' in source ? (example?.[source.at] ?? '') : '';
        return (
          <NativeSelect
            key={column}
            label={t(`admin.import.column.${column}`)}
            description={shown === '' ? undefined : t('admin.import.example', { text: shown.slice(0, 60) })}
            inputWrapperOrder={['label', 'input', 'description']}
            value={keyOf(source)}
            onChange={({ currentTarget }) => onChange({ ...mapping, [column]: sourceOf(currentTarget.value) })}
            data={[
              { value: '', label: t('admin.import.noColumn') },
              ...fixed(column).map(({ value }) => ({ value: `=${value}`, label: t(`admin.import.all.${value}`) })),
              ...file.headings.map((heading, index) => ({
                value: String(index),
                label: heading.trim() === '' ? t('admin.import.unnamed', { place: index + 1 }) : heading,
              })),
            ]}
          />
        );
      })}
    </div>
  );
}
