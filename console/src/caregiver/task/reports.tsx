// What the provider has reported of a task: when, by whom, the message, the values with their units, and the answers
// to each form, the newest first.
import type { Observation, QuestionnaireResponse } from 'fhir/r5';
import { useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { MoreButton } from '../../app/more-button.tsx';
import { remarksByName, remarksOf, seriesOf } from '../../clinical/values.ts';
import { AnswerFacts } from '../../forms/answer-facts.tsx';
import { knownItems } from '../../forms/answered.ts';
import { useAmountText } from '../../i18n/band-text.ts';
import { momentText } from '../../i18n/format.ts';
import { ErrorCard } from '../../shell/error-card.tsx';
import { Loaded } from '../../shell/loaded.tsx';
import { type Details, useDetails } from '../details.ts';
import { type Task, type TaskReport, useReports } from '../queries.ts';
import { formOf } from '../report/report.ts';
import { titleOf } from './care-view.tsx';

export function Reports({ task }: { readonly task: Task }) {
  const { t } = useTranslation();
  const { request_guid: guid, updated_at: updatedAt } = task;
  const reports = useReports({ guid, updatedAt });
  const list = useRef<HTMLDivElement>(null);
  return (
    <Loaded query={reports}>
      {({ pages }) => {
        const shown = pages.flatMap(({ data }) => data);
        return shown.length === 0 ? null : (
          <section className="card" aria-labelledby="reports">
            <h2 id="reports">{t('caregiver.reports.title')}</h2>
            <div ref={list}>
              {shown.map((report) => (
                <Report key={report.report_guid} guid={guid} report={report} />
              ))}
            </div>
            {reports.isFetchNextPageError && (
              <ErrorCard error={reports.error} onRetry={() => void reports.fetchNextPage()} />
            )}
            <p className="actions">
              <MoreButton label={t('caregiver.reports.more')} query={reports} list={list} />
            </p>
          </section>
        );
      }}
    </Loaded>
  );
}

interface ReportProps {
  readonly guid: string;
  readonly report: TaskReport;
}

function Report({ guid, report }: ReportProps) {
  const { t } = useTranslation();
  const { data: details } = useDetails(guid, true);
  const { status, note, reported_by: reporter, observations, questionnaire_responses: responses } = report;
  const at = momentText(report.reported_at);
  const who = reporter === undefined ? undefined : (reporter.name ?? t('caregiver.colleague'));
  return (
    <article aria-label={t('caregiver.reports.of', { at })}>
      <h3>{at}</h3>
      <p className="quiet">
        {[who, t(`caregiver.reports.${status}`)].filter((words) => words !== undefined).join('. ')}
      </p>
      {note !== null && (
        <p>
          <strong>{t('caregiver.reports.note')}</strong> {note}
        </p>
      )}
      <Values observations={observations} />
      {responses.map((response) => (
        <Response key={response.id} response={response} details={details} />
      ))}
    </article>
  );
}

function Values({ observations }: { readonly observations: readonly Observation[] }) {
  const { t } = useTranslation();
  const amount = useAmountText();
  const series = seriesOf(observations, []);
  const remarks = remarksByName(remarksOf(observations));
  const withdrawn = observations.filter(({ status }) => status === 'entered-in-error').length;
  return (
    <>
      {series.length + remarks.length > 0 && (
        <dl className="facts">
          {series.map(({ key, name, unit, readings }) => (
            <div key={key}>
              <dt>{name}</dt>
              {readings.map((reading) => (
                <dd key={reading.id}>
                  {amount(reading, unit)} <span className="quiet">{momentText(reading.at)}</span>
                </dd>
              ))}
            </div>
          ))}
          {remarks.map(([name, those]) => (
            <div key={name}>
              <dt>{name}</dt>
              {those.map(({ id, at, text }) => (
                <dd key={id}>
                  {typeof text === 'boolean' ? t(text ? 'form.yes' : 'form.no') : text}{' '}
                  <span className="quiet">{momentText(at)}</span>
                </dd>
              ))}
            </div>
          ))}
        </dl>
      )}
      {withdrawn > 0 && <p className="note">{t('caregiver.reports.withdrawnValues', { count: withdrawn })}</p>}
    </>
  );
}

interface ResponseProps {
  readonly response: QuestionnaireResponse;
  /** With the words of the questions, which responses need not have. */
  readonly details: Details | undefined;
}

function Response({ response, details }: ResponseProps) {
  const { t } = useTranslation();
  const form = details === undefined ? undefined : formOf(details.forms, response);
  return (
    <>
      <h4>{form === undefined ? t('caregiver.reports.form') : titleOf(form)}</h4>
      {response.status === 'entered-in-error' ? (
        <p className="note">{t('caregiver.reports.withdrawn')}</p>
      ) : (
        <AnswerFacts response={response} known={form && knownItems(form.items)} />
      )}
    </>
  );
}
