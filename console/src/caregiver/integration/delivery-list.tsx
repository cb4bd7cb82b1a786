// What was sent to the provider, the newest first. The state that is chosen is in the address.
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { WEBHOOK_KEYS } from '../../api/webhook-types.ts';
import { Pager } from '../../app/pager.tsx';
import { momentText } from '../../i18n/format.ts';
import { FilterSelect } from '../../shared/filter-select.tsx';
import { Loaded } from '../../shell/loaded.tsx';
import { Empty } from '../../shell/page.tsx';
import { DELIVERY_STATES, type DeliveryState, useDeliveries } from './queries.ts';

const PER_PAGE = 50;

export function DeliveryList({ guid }: { readonly guid: string }) {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const search = useSearch({ strict: false }) as Readonly<Record<string, unknown>>;
  const status = DELIVERY_STATES.find((each) => each === search['state']);
  const page = Math.max(1, Math.trunc(Number(search['page'])) || 1);
  const change = (next: { state?: DeliveryState | undefined; page?: number | undefined }) =>
    void navigate({ to: '.', search: { provider: guid, state: status, page: undefined, ...next } as never });
  return (
    <section aria-labelledby="deliveries">
      <h2 id="deliveries">{t('caregiver.deliveries.title')}</h2>
      <search className="filters">
        <FilterSelect
          label={t('caregiver.deliveries.state')}
          values={DELIVERY_STATES}
          all={t('caregiver.deliveries.all')}
          textOf={(each) => t(`caregiver.delivery.${each}`)}
          chosen={status}
          onChoose={(state) => change({ state })}
        />
      </search>
      <Loaded query={useDeliveries(guid, { status, page, per_page: PER_PAGE })}>
        {({ data, total }) => (
          <>
            {data.length === 0 && <Empty>{t('caregiver.deliveries.none')}</Empty>}
            <ul className="cards">
              {data.map((delivery) => (
                <li key={delivery.delivery_guid} className="card">
                  <div className="row">
                    <Link to="/care/system/$guid" params={{ guid: delivery.delivery_guid }} search={{ provider: guid }}>
                      {t(`caregiver.message.${WEBHOOK_KEYS[delivery.type]}`)}
                    </Link>
                    <span className={delivery.status === 'dead' ? 'badge strong' : 'badge'}>
                      {t(`caregiver.delivery.${delivery.status}`)}
                    </span>
                  </div>
                  <p className="quiet">
                    {momentText(delivery.created_at)} ·{' '}
                    {t('caregiver.deliveries.attempts', { count: delivery.attempts_made })}
                  </p>
                </li>
              ))}
            </ul>
            <Pager page={page} perPage={PER_PAGE} total={total} onPage={(next) => change({ page: next })} />
          </>
        )}
      </Loaded>
    </section>
  );
}
