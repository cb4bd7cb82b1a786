// What has happened with one's requests and plans, until it is marked as read.
import { Button } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { dispatch, read } from '../api/clients.ts';
import { momentText } from '../i18n/format.ts';
import { ErrorCard } from '../shell/error-card.tsx';
import { Loaded } from '../shell/loaded.tsx';
import { Empty } from '../shell/page.tsx';
import { type Notification, useNotifications, usePatientNames } from './queries.ts';

/** What planners are notified of, the most pressing first. */
const KINDS = [
  'question_asked',
  'request_rejected',
  'request_given_up',
  'request_expired',
  'delivery_dead',
  'delivery_blocked',
  'report_received',
  'patient_reported',
  'values_reported',
  'answer_withdrawn',
  'values_withdrawn',
  'request_completed',
  'request_accepted',
  'question_answered',
] as const;
/** Shown until more is asked for. */
const FIRST = 8;

export function News() {
  const { t } = useTranslation();
  const queries = useQueryClient();
  const news = useNotifications();
  const [isWhole, setWhole] = useState(false);
  const onSuccess = () => queries.invalidateQueries({ queryKey: ['notifications'] });
  const readOne = useMutation({
    mutationFn: (guid: string) =>
      read(dispatch.POST('/api/v1/notifications/{guid}/read', { params: { path: { guid } } })),
    onSuccess,
  });
  const readAll = useMutation({ mutationFn: () => read(dispatch.POST('/api/v1/notifications/read-all')), onSuccess });
  const error = readOne.error ?? readAll.error;
  return (
    <section aria-labelledby="news">
      <h2 id="news">{t('planner.news.title')}</h2>
      {error !== null && <ErrorCard error={error} />}
      <Loaded query={news}>
        {({ data, total }) => {
          const all = inOrder(data);
          const shown = isWhole ? all : all.slice(0, FIRST);
          if (shown.length === 0) return <Empty>{t('planner.news.none')}</Empty>;
          return (
            <>
              <NewsList shown={shown} onRead={(guid) => readOne.mutate(guid)} />
              {isWhole && total > data.length && (
                <p className="quiet">{t('planner.news.beyond', { count: total - data.length })}</p>
              )}
              <p className="actions">
                {all.length > FIRST && (
                  <Button variant="default" aria-expanded={isWhole} onClick={() => setWhole(!isWhole)}>
                    {isWhole ? t('planner.news.fewer') : t('planner.news.more', { count: all.length - FIRST })}
                  </Button>
                )}
                <Button variant="default" loading={readAll.isPending} onClick={() => readAll.mutate()}>
                  {t('planner.news.readAll')}
                </Button>
              </p>
            </>
          );
        }}
      </Loaded>
    </section>
  );
}

function inOrder(all: readonly Notification[]): Notification[] {
  const rank = ({ kind }: Notification) => (KINDS as readonly string[]).indexOf(kind);
  return all.filter((each) => rank(each) >= 0).toSorted((a, b) => rank(a) - rank(b));
}

/** The values are on a page of their own; what else a patient has done is seen on the first. */
function patientPlace({ kind, patient }: Notification): string {
  const place = `/plan/patients/${patient.reference.replace('Patient/', '')}`;
  return isOfValues(kind) ? `${place}/values` : place;
}

function isOfValues(kind: Notification['kind']): boolean {
  return kind === 'values_reported' || kind === 'values_withdrawn';
}

interface NewsListProps {
  readonly shown: readonly Notification[];
  readonly onRead: (guid: string) => void;
}

function NewsList({ shown, onRead }: NewsListProps) {
  const { t } = useTranslation();
  const nameBy = usePatientNames(shown.map(({ patient }) => patient.reference));
  return (
    <ul className="cards">
      {shown.map((each) => {
        const kind = KINDS.find((known) => known === each.kind) ?? 'report_received';
        const words = t(`planner.news.${kind}`, { provider: each.provider_name ?? t('planner.someProvider') });
        const name = nameBy(each.patient.reference);
        const id = each.service_request_id;
        return (
          <li key={each.notification_guid} className="card">
            <div className="row">
              {id === null || isOfValues(kind) ? (
                <Link to={patientPlace(each)}>{name}</Link>
              ) : (
                <Link to={`/plan/requests/${id}`}>{name}</Link>
              )}
              <span className="quiet">{momentText(each.created_at)}</span>
            </div>
            <div className="row">
              <span>{words}</span>
              <button
                type="button"
                className="plain-button"
                aria-label={t('planner.news.readOf', { words, name })}
                onClick={() => onRead(each.notification_guid)}
              >
                {t('planner.news.read')}
              </button>
            </div>
          </li>
        );
      })}
    </ul>
  );
}
