// The planner's first screen: how many requests are where, what is new, and who has waited longest for an answer.
import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { numberText } from '../i18n/format.ts';
import { Loaded, Together } from '../shell/loaded.tsx';
import { Empty, Page } from '../shell/page.tsx';
import { News } from './news.tsx';
import { useNotifications, useWorklist } from './queries.ts';
import { RequestList } from './requests/request-list.tsx';

const MOST = 5;

export function HomePage() {
  const { t } = useTranslation();
  const waiting = useWorklist({ stage: 'unanswered', order: 'oldest', per_page: MOST });
  const drafts = useWorklist({ stage: 'draft', mine: true, per_page: MOST });
  const news = useNotifications();
  return (
    <Page title={t('planner.home.title')}>
      <Together queries={[waiting, drafts, news]}>
        <Loaded query={waiting}>{({ counts }) => <Tiles counts={counts} />}</Loaded>
        <News />
        <h2>{t('planner.home.waiting')}</h2>
        <Loaded query={waiting}>
          {({ data, total }) => (
            <>
              {data.length === 0 ? <Empty>{t('planner.home.noneWaiting')}</Empty> : <RequestList items={data} />}
              {total > data.length && (
                <Link to="/plan/requests" search={{ stage: 'unanswered', order: 'oldest' }}>
                  {t('planner.home.allWaiting', { count: total })}
                </Link>
              )}
            </>
          )}
        </Loaded>
        <h2>{t('planner.home.drafts')}</h2>
        <Loaded query={drafts}>
          {({ data }) =>
            data.length === 0 ? (
              <Empty>
                {t('planner.home.noDrafts')} <Link to="/plan/patients">{t('planner.home.toPatients')}</Link>
              </Empty>
            ) : (
              <RequestList items={data} />
            )
          }
        </Loaded>
      </Together>
    </Page>
  );
}

const TILES = [
  { name: 'draft', search: { stage: 'draft' } },
  { name: 'to_send', search: { stage: 'to_send' } },
  { name: 'unanswered', search: { stage: 'unanswered', order: 'oldest' } },
  { name: 'refused', search: { stage: 'refused' } },
  { name: 'undelivered', search: { undelivered: true } },
  { name: 'in_work', search: { stage: 'in_work' } },
] as const;

function Tiles({ counts }: { readonly counts: Readonly<Record<(typeof TILES)[number]['name'], number>> }) {
  const { t } = useTranslation();
  return (
    <ul className="tiles">
      {TILES.map(({ name, search }) => (
        <li key={name}>
          <Link to="/plan/requests" search={search} className="tile">
            <span className="tile-number">{numberText(counts[name])}</span>
            {name === 'undelivered' ? t('planner.request.undelivered') : t(`planner.stage.${name}`)}
          </Link>
        </li>
      ))}
    </ul>
  );
}
