// One export or import: how far it is, what came of it, its files.
import { Button } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { saveFile } from '../../api/download.ts';
import { momentText, numberText } from '../../i18n/format.ts';
import { Dialog } from '../../shell/dialog.tsx';
import { ErrorCard } from '../../shell/error-card.tsx';
import { Loaded } from '../../shell/loaded.tsx';
import { useRefreshOperate } from '../use-refresh-operate.ts';
import { type Job, type JobFile, removeJob, useFiles } from './jobs.ts';

const COUNTS = ['resources', 'created', 'updated', 'unchanged', 'faults'] as const;

interface JobCardProps {
  readonly job: Job;
  /** Called when it has been ended, or removed from the list. */
  readonly onRemoved: () => void;
}

export function JobCard({ job, onRemoved }: JobCardProps) {
  const { t } = useTranslation();
  const { kind, state, percent, counts, fault, is_own: isOwn, created_at: began } = job;
  const shown = COUNTS.flatMap((name) => {
    const count = counts[name];
    return count === undefined ? [] : [t(`operate.count.${name}`, { count, number: numberText(count) })];
  });
  const title = t(`operate.job.${kind}`);
  return (
    <li className="card">
      <div className="row">
        <strong>{title}</strong>
        <span className={state === 'failed' ? 'badge strong' : 'badge'}>{t(`operate.jobState.${state}`)}</span>
      </div>
      <p className="quiet">
        {momentText(began)}
        {!isOwn && `, ${t('operate.bulk.others')}`}
      </p>
      {state === 'running' && percent !== null && (
        <p>
          <progress value={percent} max={100} aria-label={title} /> <span role="status">{percent} %</span>
        </p>
      )}
      {state !== 'receiving' && <p>{shown.join(', ')}</p>}
      {state === 'failed' && (
        <p className="bad">
          {t(`operate.bulk.failed.${kind}`)} {fault !== null && <span lang="en">({fault})</span>}
        </p>
      )}
      {state === 'cancelled' && <Cancelled job={job} />}
      {state === 'done' && <Files job={job} />}
      <Remove job={job} onRemoved={onRemoved} />
    </li>
  );
}

function Cancelled({ job: { kind, percent, cancelled_by: by, finished_at: at } }: { readonly job: Job }) {
  const { t } = useTranslation();
  const who =
    by?.is_caller === true ? t('operate.bulk.cancelled.you') : (by?.name ?? t('operate.bulk.cancelled.other'));
  return <p>{t(`operate.bulk.cancelled.${kind}`, { moment: at === null ? '' : momentText(at), who, percent })}</p>;
}

function Files({ job }: { readonly job: Job }) {
  const { t } = useTranslation();
  const [isOpen, setOpen] = useState(false);
  const files = useFiles(job, isOpen);
  return (
    <details onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>{t('operate.bulk.files')}</summary>
      {isOpen && (
        <Loaded query={files}>
          {(all) =>
            all.length === 0 ? (
              <p className="quiet">{t('operate.bulk.noFiles')}</p>
            ) : (
              <ul>
                {all.map((file) => (
                  <li key={file.path}>
                    <FileItem file={file} />
                  </li>
                ))}
              </ul>
            )
          }
        </Loaded>
      )}
    </details>
  );
}

function FileItem({ file: { type, count, path, isError } }: { readonly file: JobFile }) {
  const { t } = useTranslation();
  const name = `${type}-${path.split('/').at(-1)}`;
  const save = useMutation({ mutationFn: () => saveFile(path, name) });
  return (
    <>
      <button type="button" className="plain-button" onClick={() => save.mutate()}>
        {t(isError ? 'operate.bulk.saveErrors' : 'operate.bulk.save', { name })}
      </button>{' '}
      <span className={isError ? 'bad' : 'quiet'}>
        {t(isError ? 'operate.bulk.faulty' : 'operate.bulk.lines', { count, number: numberText(count) })}
      </span>
      {save.error !== null && <ErrorCard error={save.error} />}
    </>
  );
}

/** What can be done with it: what runs is ended, and what is done loses its files. */
export function actOf({ state }: Job): 'end' | 'remove' {
  return state === 'running' ? 'end' : 'remove';
}

/** Either is asked for. */
function Remove({ job, onRemoved }: JobCardProps) {
  const { t } = useTranslation();
  const refresh = useRefreshOperate();
  const [isAsking, setAsking] = useState(false);
  const remove = useMutation({
    mutationFn: () => removeJob(job),
    onSuccess: async () => {
      setAsking(false);
      onRemoved();
      await refresh();
    },
  });
  const act = `operate.bulk.${actOf(job)}` as const;
  const name = t(`${act}.${job.kind}`);
  if (job.state === 'receiving') return null;
  return (
    <p>
      <button type="button" className="plain-button" onClick={() => setAsking(true)}>
        {name} …
      </button>
      {isAsking && (
        <Dialog title={t(`${act}Sure.${job.kind}`)} onClose={() => setAsking(false)}>
          <p>{t(job.state === 'cancelled' ? 'operate.bulk.forgetEffect' : `${act}Effect.${job.kind}`)}</p>
          {remove.error !== null && <ErrorCard error={remove.error} />}
          <p className="actions">
            <Button loading={remove.isPending} onClick={() => remove.mutate()}>
              {name}
            </Button>
            <Button variant="default" onClick={() => setAsking(false)}>
              {t('operate.back')}
            </Button>
          </p>
        </Dialog>
      )}
    </p>
  );
}
