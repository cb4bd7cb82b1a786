// Carries out a batch or a transaction that is typed or read from a file, and shows what became of each entry. Sent
// again after a lost connection it has its effect once.
import { NativeSelect } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { Bundle } from 'fhir/r5';
import { useTranslation } from 'react-i18next';
import { sendText } from '../../api/raw.ts';
import { useRequestKey } from '../../app/request-key.ts';
import { useKept } from '../../app/use-kept.ts';
import { AsJson } from '../../shared/as-json.tsx';
import { Page } from '../../shell/page.tsx';
import { baseOf, resourcePath, type ServiceName, targetOf, validateAddress } from '../fhir/services.ts';
import { Editor } from '../resource/editor.tsx';
import { useTextDraft } from '../resource/use-draft.ts';
import { type EntryOutcome, outcomesOf } from './batch.ts';
import '../fhir/fhir.css';
import { KeptDraft } from '../resource/kept-draft.tsx';

/** Those that take Bundles. */
const TAKING = ['engine', 'dispatch'] as const;

const SAMPLE = `{
  "resourceType": "Bundle",
  "type": "batch",
  "entry": [
    { "request": { "method": "GET", "url": "Patient?_count=2" } },
    { "request": { "method": "GET", "url": "Observation?_summary=count" } }
  ]
}`;

export function BatchPage() {
  const { t } = useTranslation();
  const [kept, setService] = useKept('batch-service', 'engine');
  const service = TAKING.find((each) => each === kept) ?? 'engine';
  const queries = useQueryClient();
  const key = useRequestKey('batch');
  const draft = useTextDraft('batch', SAMPLE, '');
  const run = useMutation({
    mutationFn: async () => {
      const sent = draft.text;
      const headers = { 'idempotency-key': key.of([service, sent]) };
      const { text } = await sendText(baseOf(service), { method: 'POST', body: sent, headers });
      const response = JSON.parse(text) as Bundle;
      return { service, response, outcomes: outcomesOf(JSON.parse(sent) as Bundle, response) };
    },
    onSettled: (_data, error) => key.settled(error),
    onSuccess: () =>
      queries.invalidateQueries({ predicate: ({ queryKey: [name] }) => String(name).startsWith('fhir-') }),
  });
  return (
    <Page title={t('developer.batch.title')}>
      <p>{t('developer.batch.lead')}</p>
      <div className="filters">
        <NativeSelect
          label={t('developer.batch.service')}
          value={service}
          data={TAKING.map((each) => ({ value: each, label: each }))}
          onChange={({ currentTarget }) => setService(currentTarget.value)}
        />
        <FileInput label={t('developer.batch.file')} onText={draft.change} />
      </div>
      <Editor
        label={t('developer.batch.label')}
        text={draft.text}
        onChange={draft.change}
        validateAt={validateAddress('Bundle')}
        save={run}
        saveLabel={t('developer.batch.run')}
        canSave
      >
        <KeptDraft draft={draft} text={t('developer.batch.kept')} dropLabel={t('developer.batch.sample')} />
      </Editor>
      {run.data !== undefined && (
        <section aria-labelledby="outcomes">
          <h2 id="outcomes">{t('developer.batch.outcomes')}</h2>
          <Outcomes service={run.data.service} outcomes={run.data.outcomes} />
          <AsJson label={t('developer.search.asJson')} value={run.data.response} />
        </section>
      )}
    </Page>
  );
}

function FileInput({ label, onText }: { readonly label: string; readonly onText: (text: string) => void }) {
  return (
    <label>
      <span className="label">{label}</span>
      <input
        type="file"
        accept=".json,application/json,application/fhir+json"
        onChange={({ currentTarget: { files } }) => void files?.[0]?.text().then(onText)}
      />
    </label>
  );
}

interface OutcomesProps {
  readonly service: ServiceName;
  readonly outcomes: readonly EntryOutcome[];
}

function Outcomes({ service, outcomes }: OutcomesProps) {
  const { t } = useTranslation();
  const done = outcomes.filter(({ isDone }) => isDone).length;
  return (
    <>
      <p role="status">{t('developer.batch.done', { done, count: outcomes.length })}</p>
      <ul className="cards dense">
        {outcomes.map(({ number, request, status, isDone, reference, text }) => {
          const target = reference === undefined ? undefined : targetOf(service, reference);
          return (
            <li key={number} className="card">
              <div className="row">
                <span>
                  {number}. <code>{request}</code>
                </span>
                <span className={isDone ? 'badge' : 'badge strong bad'}>{status}</span>
              </div>
              {target !== undefined && (
                <p>
                  <Link to={resourcePath(service, target.type, target.id)}>{reference}</Link>
                </p>
              )}
              {text !== undefined && <p lang="en">{text}</p>}
            </li>
          );
        })}
      </ul>
    </>
  );
}
