// The report as it will be sent: every answer to be read, what is left out, a note, and whether the work is done.
import { Button, Textarea } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import type { FormEvent } from 'react';
import { useTranslation } from 'react-i18next';
import { engine, read } from '../../api/clients.ts';
import { Problem } from '../../api/problem.ts';
import { UnreachableError } from '../../api/session.ts';
import { isRefusal } from '../../app/request-key.ts';
import { startOf } from '../../forms/filled.ts';
import { ErrorCard } from '../../shell/error-card.tsx';
import { atTask, useRefresh } from '../queries.ts';
import { titleOf } from '../task/care-view.tsx';
import { Answers } from './answers.tsx';
import type { ReportDraft, Sending } from './draft.ts';
import { isAnswered, issuesOfSection, refusedSections, reportOf, type Section } from './report.ts';

interface ReviewProps {
  readonly guid: string;
  readonly sections: readonly Section[];
  readonly report: ReportDraft;
  readonly onStep: (step: number) => void;
}

const LONGEST = 2000;

export function Review({ guid, sections, report, onStep }: ReviewProps) {
  const { t } = useTranslation();
  const { draft } = report;
  const send = useSend(guid, report);
  const isFaulty = (section: Section) => {
    const at = { future: t('values.report.future'), now: Date.now() };
    return issuesOfSection(section, draft.filled[section.key] ?? startOf([]), at).size > 0;
  };
  const incomplete = sections.filter((section) => isAnswered(section, draft) && isFaulty(section));
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (incomplete.length > 0 || send.isPending) return;
    // What is on its way already is sent again as it was.
    const body = reportOf(sections, draft, new Date().toISOString().replace(/\.\d+Z$/, 'Z'));
    send.mutate(report.sending ?? { key: crypto.randomUUID(), body });
  };
  return (
    <form onSubmit={submit} noValidate>
      <h2>{t('caregiver.report.review')}</h2>
      {sections.map((section, index) => (
        <section key={section.key} className="card" aria-label={titleOf(section.form)}>
          <div className="row">
            <h3>{titleOf(section.form)}</h3>
            <button type="button" className="plain-button" onClick={() => onStep(index)}>
              {t('caregiver.report.change', { form: titleOf(section.form) })}
            </button>
          </div>
          {isAnswered(section, draft) ? (
            <Answers items={section.form.items} filled={draft.filled[section.key] ?? startOf([])} />
          ) : (
            <p className="quiet">{t('caregiver.report.empty')}</p>
          )}
          {incomplete.includes(section) && <p className="bad">{t('caregiver.report.faulty')}</p>}
        </section>
      ))}
      <div className="field">
        <Textarea
          label={t('caregiver.report.note')}
          rows={3}
          maxLength={LONGEST}
          value={draft.note}
          onChange={({ currentTarget }) => report.change({ note: currentTarget.value })}
        />
      </div>
      <fieldset className="field">
        <legend>{t('caregiver.report.done')}</legend>
        {[false, true].map((isFinal) => (
          <label key={String(isFinal)} className="choice">
            <input
              type="radio"
              name="final"
              checked={draft.isFinal === isFinal}
              onChange={() => report.change({ isFinal })}
            />
            {t(isFinal ? 'caregiver.report.final' : 'caregiver.report.partial')}
          </label>
        ))}
      </fieldset>
      {draft.isFinal && <p className="note">{t('caregiver.report.finalNote')}</p>}
      {!send.isPending && <Failure error={send.error} sections={sections} report={report} onStep={onStep} />}
      <p className="actions">
        <Button type="submit" disabled={incomplete.length > 0} loading={send.isPending}>
          {t(report.sending === undefined ? 'caregiver.report.send' : 'caregiver.report.again')}
        </Button>
      </p>
    </form>
  );
}

function useSend(guid: string, report: ReportDraft) {
  const refresh = useRefresh(guid);
  const navigate = useNavigate();
  return useMutation({
    mutationFn: (sending: Sending) => {
      report.send(sending);
      const { path } = atTask(guid).params;
      const header = { 'Idempotency-Key': sending.key };
      // Its document describes resources by FHIR itself.
      const body = sending.body as unknown as { status: 'partial' | 'final' };
      return read(engine.POST('/api/v1/provider-tasks/{receipt_token}/report', { params: { path, header }, body }));
    },
    onSuccess: async () => {
      report.drop();
      await refresh();
      await navigate({ to: '/care/tasks/$guid', params: { guid } });
    },
    onError: async (error) => {
      // A refusal stored nothing: the next report is another one.
      if (isRefusal(error)) report.send(undefined);
      if (error instanceof Problem && error.status === 409) await refresh();
    },
  });
}

interface FailureProps extends Pick<ReviewProps, 'sections' | 'report' | 'onStep'> {
  readonly error: Error | null;
}

/** Why it was not sent, where the report is meanwhile, and which part of it was refused. */
function Failure({ error, sections, report, onStep }: FailureProps) {
  const { t } = useTranslation();
  if (error === null)
    return report.sending === undefined ? null : <p className="note">{t('caregiver.report.notArrived')}</p>;
  const refused = error instanceof Problem ? refusedSections(sections, report.draft, error.messages) : [];
  return (
    <>
      <ErrorCard error={error} />
      <p className="note">
        {t(error instanceof UnreachableError ? 'caregiver.report.notArrived' : 'caregiver.report.notSent')}
      </p>
      {refused.length > 0 && (
        <ul>
          {refused.map((section) => (
            <li key={section.key}>
              <button
                type="button"
                className="plain-button"
                onClick={() => onStep(sections.findIndex(({ key }) => key === section.key))}
              >
                {t('caregiver.report.refused', { form: titleOf(section.form) })}
              </button>
            </li>
          ))}
        </ul>
      )}
    </>
  );
}
