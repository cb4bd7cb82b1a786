// What was given up, by provider and cause; all of a cause, or what died since some time, is sent again, or one alone.
import { Button, TextInput } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { dispatch, read } from '../../api/clients.ts';
import type { DispatchShapes } from '../../api/shapes.ts';
import { WEBHOOK_KEYS } from '../../api/webhook-types.ts';
import { useKept } from '../../app/use-kept.ts';
import { momentText } from '../../i18n/format.ts';
import { useFailureText } from '../../shared/failures/failure-text.ts';
import { FilterSelect } from '../../shared/filter-select.tsx';
import { ListPager } from '../../shared/paged-list.tsx';
import { oneOf, pageIn, useAddress } from '../../shared/use-address.ts';
import { Loaded } from '../../shell/loaded.tsx';
import { Empty, Page } from '../../shell/page.tsx';
import { ActDialog } from '../act-dialog.tsx';
import { ProblemCard } from '../problem-card.tsx';
import { useAct } from '../use-act.ts';
import { type LetterFilter, PER_PAGE, useCauses, useLetters, useProviderNames, useUnderWay } from './queries.ts';

const HOURS = ['1', '24', '168'] as const;
const CHANGES = ['dead-letters', 'dead-letter-causes', 'deliveries-under-way'];

export function LettersPage() {
  const { t } = useTranslation();
  const [chosen, change] = useAddress();
  const [sent, setSent] = useState('');
  const [isAsking, setAsking] = useState(false);
  const hours = oneOf(HOURS, chosen['hours']);
  const since = useMemo(
    () => (hours === undefined ? undefined : new Date(Date.now() - Number(hours) * 3_600_000).toISOString()),
    [hours],
  );
  const { provider, cause } = chosen;
  const filter: LetterFilter = {
    ...(provider === undefined ? {} : { provider_guid: provider }),
    ...(cause === undefined ? {} : { cause }),
    ...(since === undefined ? {} : { since }),
  };
  const page = pageIn(chosen);
  const found = useLetters(filter, page);
  const total = found.data?.total ?? 0;
  return (
    <Page title={t('admin.letters.title')}>
      <p className="quiet">{t('admin.letters.lead')}</p>
      <Causes provider={provider} cause={cause} />
      <h2>{t('admin.letters.list')}</h2>
      <search className="filters">
        <FilterSelect
          label={t('admin.letters.since')}
          values={HOURS}
          all={t('admin.letters.always')}
          textOf={(each) => t(`admin.letters.hours.${each}`)}
          chosen={hours}
          onChoose={(hours) => change({ hours })}
        />
        {total > 0 && (
          <Button variant="default" onClick={() => setAsking(true)}>
            {t('admin.letters.resendAll', { count: total })}
          </Button>
        )}
      </search>
      <p role="status" className={sent === '' ? 'visually-hidden' : 'note'}>
        {sent}
      </p>
      <UnderWay provider={provider} />
      <Loaded query={found}>
        {({ data }) => (
          <>
            {data.length === 0 && (
              <Empty>{t(Object.keys(filter).length === 0 ? 'admin.letters.none' : 'admin.letters.noneChosen')}</Empty>
            )}
            <LetterList letters={data} onSent={() => setSent(t('admin.letters.sent', { count: 1 }))} />
            <ListPager perPage={PER_PAGE} total={total} />
          </>
        )}
      </Loaded>
      {isAsking && (
        <ResendDialog
          filter={filter}
          count={total}
          onClose={() => setAsking(false)}
          onSent={(count) => setSent(t('admin.letters.sent', { count }))}
        />
      )}
    </Page>
  );
}

/** What has not been given up, and has not arrived either. */
function UnderWay({ provider }: { readonly provider: string | undefined }) {
  const { t } = useTranslation();
  const { data: count = 0 } = useUnderWay(provider);
  return count > 0 && <p>{t('admin.letters.underWay', { count })}</p>;
}

function Causes({ provider, cause }: { readonly provider: string | undefined; readonly cause: string | undefined }) {
  const { t } = useTranslation();
  const failureText = useFailureText();
  const nameOf = useProviderNames();
  const isNarrowed = provider !== undefined || cause !== undefined;
  return (
    <Loaded query={useCauses()}>
      {({ data }) => (
        <ul className="cards">
          {data.map((each) => {
            const isChosen = each.provider_guid === provider && each.cause === cause;
            return (
              <li key={`${each.provider_guid} ${each.cause}`} className="card" data-chosen={isChosen ? '' : undefined}>
                <div className="row">
                  <Link
                    to="/admin/letters"
                    search={{ provider: each.provider_guid, cause: each.cause }}
                    aria-current={isChosen ? 'true' : undefined}
                  >
                    {nameOf(each.provider_guid)}: {failureText(each.cause)}
                  </Link>
                  <span className="badge strong">{t('admin.letters.count', { count: each.dead_letters })}</span>
                </div>
                <p className="quiet">
                  <GivenUp first={momentText(each.first_dead_at)} last={momentText(each.last_dead_at)} />
                </p>
              </li>
            );
          })}
          {isNarrowed && (
            <li>
              <Link to="/admin/letters">{t('admin.letters.showAll')}</Link>
            </li>
          )}
        </ul>
      )}
    </Loaded>
  );
}

type Letters = readonly DispatchShapes['AdministeredDelivery'][];

function LetterList({ letters, onSent }: { readonly letters: Letters; readonly onSent: () => void }) {
  const { t } = useTranslation();
  const [discarding, setDiscarding] = useState<string>();
  const failureText = useFailureText();
  const nameOf = useProviderNames();
  const resend = useAct(
    (guid: string) => read(dispatch.POST('/api/v1/dead-letters/{guid}/replay', { params: { path: { guid } } })),
    { changes: CHANGES, onDone: onSent },
  );
  const named = ({ provider_guid: provider, dead_at: at }: Letters[number]) => ({
    provider: nameOf(provider),
    moment: at === null ? '' : momentText(at),
  });
  return (
    <>
      {resend.error !== null && <ProblemCard error={resend.error} />}
      <ul className="cards">
        {letters.map((letter) => (
          <li key={letter.delivery_guid} className="card">
            <div className="row">
              <strong>{nameOf(letter.provider_guid)}</strong>
              <span className="quiet">{letter.dead_at === null ? '' : momentText(letter.dead_at)}</span>
            </div>
            <div className="row">
              <span>
                {t(`admin.letters.message.${WEBHOOK_KEYS[letter.type]}`)}. {failureText(letter.last_error)}{' '}
                <span className="quiet">{t('admin.letters.attempts', { count: letter.attempts_made })}</span>
              </span>
              <span>
                <button
                  type="button"
                  className="plain-button"
                  disabled={resend.isPending}
                  aria-label={t('admin.letters.resendOf', named(letter))}
                  onClick={() => resend.mutate(letter.delivery_guid)}
                >
                  {t('admin.letters.resend')}
                </button>{' '}
                <button
                  type="button"
                  className="plain-button"
                  aria-label={t('admin.letters.discardOf', named(letter))}
                  onClick={() => setDiscarding(letter.delivery_guid)}
                >
                  {t('admin.letters.discard')}
                </button>
              </span>
            </div>
          </li>
        ))}
      </ul>
      {discarding !== undefined && <DiscardDialog guid={discarding} onClose={() => setDiscarding(undefined)} />}
    </>
  );
}

/** The reason is kept while the dialog is open; who sends it again later reads it there. */
function DiscardDialog({ guid, onClose }: { readonly guid: string; readonly onClose: () => void }) {
  const { t } = useTranslation();
  const [reason, setReason, drop] = useKept(`discard-${guid}`, '');
  const discard = useAct<unknown>(
    () =>
      read(
        dispatch.POST('/api/v1/dead-letters/{guid}/discard', {
          params: { path: { guid } },
          body: { reason: reason.trim() },
        }),
      ),
    {
      changes: CHANGES,
      onDone: () => {
        drop();
        onClose();
      },
    },
  );
  return (
    <ActDialog
      title={t('admin.letters.discardTitle')}
      confirm={t('admin.letters.discardNow')}
      act={discard}
      onClose={onClose}
      isReady={reason.trim() !== ''}
    >
      <p>{t('admin.letters.discardEffect')}</p>
      <TextInput
        label={t('admin.letters.reason')}
        description={t('admin.letters.reasonHint')}
        value={reason}
        maxLength={500}
        autoComplete="off"
        onChange={({ currentTarget }) => setReason(currentTarget.value)}
      />
    </ActDialog>
  );
}

interface ResendDialogProps {
  readonly filter: LetterFilter;
  readonly count: number;
  readonly onClose: () => void;
  readonly onSent: (count: number) => void;
}

function ResendDialog({ filter, count, onClose, onSent }: ResendDialogProps) {
  const { t } = useTranslation();
  const resend = useAct(() => read(dispatch.POST('/api/v1/dead-letters/replay', { body: filter })), {
    changes: CHANGES,
    onDone: ({ replayed }) => {
      onSent(replayed);
      onClose();
    },
  });
  return (
    <ActDialog
      title={t('admin.letters.resendAll', { count })}
      confirm={t('admin.letters.now')}
      act={resend}
      onClose={onClose}
    >
      <p>{t('admin.letters.effect')}</p>
    </ActDialog>
  );
}

/** One moment where both are shown as the same. */
function GivenUp({ first, last }: { readonly first: string; readonly last: string }) {
  const { t } = useTranslation();
  return first === last ? t('admin.letters.at', { moment: last }) : t('admin.letters.between', { first, last });
}
