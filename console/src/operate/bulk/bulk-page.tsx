// Import and export of many resources: begun here, with progress, and the files that came of it.
import { Button, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { type FormEvent, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useKeptForm } from '../../app/use-kept.ts';
import { PagedCards } from '../../shared/paged-list.tsx';
import { Refusal } from '../../shared/refusal.tsx';
import { pageIn, useAddress } from '../../shared/use-address.ts';
import { Page } from '../../shell/page.tsx';
import { bytesText } from '../units.ts';
import { actOf, JobCard } from './job-card.tsx';
import { type Job, startExport, startImport, useJobs } from './jobs.ts';
import '../operate.css';
import { useRefreshOperate } from '../use-refresh-operate.ts';

const PER_PAGE = 10;

export function BulkPage() {
  const { t } = useTranslation();
  const page = pageIn(useAddress()[0]);
  const [removed, setRemoved] = useState<Job>();
  return (
    <Page title={t('operate.bulk.title')}>
      <h2 id="export">{t('operate.bulk.export')}</h2>
      <ExportForm />
      <h2 id="import">{t('operate.bulk.import')}</h2>
      <ImportForm />
      <h2>{t('operate.bulk.jobs')}</h2>
      <p className="quiet">{t('operate.bulk.kept')}</p>
      <p role="status" className={removed === undefined ? undefined : 'note'}>
        {removed !== undefined && t(`operate.bulk.${actOf(removed) === 'end' ? 'ended' : 'removed'}.${removed.kind}`)}
      </p>
      <PagedCards query={useJobs(page, PER_PAGE)} perPage={PER_PAGE} none={t('operate.bulk.none')}>
        {(job) => <JobCard key={job.job_guid} job={job} onRemoved={() => setRemoved(job)} />}
      </PagedCards>
    </Page>
  );
}

const EMPTY_EXPORT = { typed: '', since: '' };

function ExportForm() {
  const { t } = useTranslation();
  const refresh = useRefreshOperate();
  const [{ typed, since }, change, drop] = useKeptForm('export', EMPTY_EXPORT);
  const begin = useMutation({
    mutationFn: () =>
      startExport(
        typed.split(/[\s,]+/).filter((type) => type !== ''),
        since,
      ),
    onSuccess: async () => {
      drop();
      await refresh();
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    begin.mutate();
  };
  return (
    <form onSubmit={submit}>
      <div className="filters">
        <TextInput
          label={t('form.optional', { label: t('operate.sync.types') })}
          description={t('operate.bulk.typesHint')}
          value={typed}
          spellCheck={false}
          autoComplete="off"
          onChange={({ currentTarget }) => change({ typed: currentTarget.value })}
        />
        <TextInput
          type="datetime-local"
          label={t('form.optional', { label: t('operate.bulk.since') })}
          description={t('operate.bulk.sinceHint')}
          value={since}
          onChange={({ currentTarget }) => change({ since: currentTarget.value })}
        />
      </div>
      {begin.error !== null && <Refusal error={begin.error} />}
      <p className="actions">
        <Button type="submit" loading={begin.isPending}>
          {t('operate.bulk.beginExport')}
        </Button>
      </p>
    </form>
  );
}

function ImportForm() {
  const { t } = useTranslation();
  const refresh = useRefreshOperate();
  const input = useRef<HTMLInputElement>(null);
  const [file, setFile] = useState<File>();
  const begin = useMutation({
    mutationFn: (chosen: File) => startImport(chosen),
    // Where the response was lost, the list says whether it has begun.
    onError: refresh,
    onSuccess: async () => {
      setFile(undefined);
      if (input.current !== null) input.current.value = '';
      await refresh();
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (file !== undefined) begin.mutate(file);
  };
  return (
    <form onSubmit={submit}>
      <p>{t('operate.bulk.importLead')}</p>
      <label>
        <span className="label">{t('operate.bulk.file')}</span>
        <input
          ref={input}
          type="file"
          accept=".ndjson,.gz,application/fhir+ndjson,application/x-ndjson"
          onChange={({ currentTarget: { files } }) => setFile(files?.[0])}
        />
      </label>
      {begin.error !== null && <Refusal error={begin.error} />}
      <p className="actions">
        <Button type="submit" disabled={file === undefined} loading={begin.isPending}>
          {t('operate.bulk.beginImport')}
        </Button>
        {file !== undefined && <span className="quiet">{bytesText(file.size)}</span>}
      </p>
      {begin.isPending && <p role="status">{t('operate.bulk.sending')}</p>}
    </form>
  );
}
