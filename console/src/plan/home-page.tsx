// The planner's first screen: how many requests are where, what is new, and who has waited longest for an answer. Who
// only follows up sees what is being done, and what is done.
import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { numberText } from '../i18n/format.ts';
import type { Access } from '../shell/face.ts';
import { Loaded } from '../shell/loaded.tsx';
import { useMe } from '../shell/me.ts';
import { Empty, Page } from '../shell/page.tsx';
import { News } from './news.tsx';
import { useWorklist } from './queries.ts';
import { RequestList } from './requests/request-list.tsx';
import { mayPlan } from './rights.ts';

const MOST = 5;

export function HomePage() {
  return <Loaded query={useMe()}>{(me: Access) => (mayPlan(me) ? <PlannerHome /> : <FollowerHome />)}</Loaded>;
}

/** For who reads what others plan: what is being done, and what is done. */
function FollowerHome() {
  const { t } = useTranslation();
  const running = useWorklist({ stage: 'in_work', per_page: MOST });
  const done = useWorklist({ stage: 'completed', per_page: MOST });
  const lists = [
    { name: 'running', stage: 'in_work', query: running },
    { name: 'done', stage: 'completed', query: done },
  ] as const;
  return (
    <Page title={t('planner.follow.title')}>
      <p className="quiet">{t('planner.follow.lead')}</p>
      <Loaded query={running}>{({ counts }) => <Tiles tiles={FOLLOWED} counts={counts} />}</Loaded>
      {lists.map(({ name, stage, query }) => (
        <section key={name} aria-labelledby={`follow-${name}`}>
          <h2 id={`follow-${name}`}>{t(`planner.follow.${name}`)}</h2>
          <Loaded query={query}>
            {({ data, total }) => (
              <>
                {data.length === 0 ? <Empty>{t(`planner.follow.none.${name}`)}</Empty> : <RequestList items={data} />}
                {total > data.length && (
                  <Link to="/plan/requests" search={{ stage }}>
                    {t('planner.follow.all', { count: total })}
                  </Link>
                )}
              </>
            )}
          </Loaded>
        </section>
      ))}
    </Page>
  );
}

function PlannerHome() {
  const { t } = useTranslation();
  const waiting = useWorklist({ stage: 'unanswered', order: 'oldest', per_page: MOST });
  const drafts = useWorklist({ stage: 'draft', mine: true, per_page: MOST });
  return (
    <Page title={t('planner.home.title')}>
      <Loaded query={waiting}>{({ counts }) => <Tiles tiles={TILES} counts={counts} />}</Loaded>
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

const FOLLOWED = [
  { name: 'unanswered', search: { stage: 'unanswered', order: 'oldest' } },
  { name: 'in_work', search: { stage: 'in_work' } },
  { name: 'completed', search: { stage: 'completed' } },
] as const;

type Tile = (typeof TILES)[number] | (typeof FOLLOWED)[number];

interface TilesProps {
  readonly tiles: readonly Tile[];
  readonly counts: Readonly<Record<Tile['name'], number>>;
}

function Tiles({ tiles, counts }: TilesProps) {
  const { t } = useTranslation();
  return (
    <ul className="tiles">
      {tiles.map(({ name, search }) => (
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
