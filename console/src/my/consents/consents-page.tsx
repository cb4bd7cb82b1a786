// The patient's own decisions about sharing: what is in force, and a new decision, whose effect is shown before
// anything is saved.
import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { dispatch, read } from '../../api/clients.ts';
import type { DispatchShapes } from '../../api/shapes.ts';
import { useOpenWhereKept } from '../../app/use-kept.ts';
import { type ConsentPhase, phaseOf } from '../../clinical/consent-phase.ts';
import { Loaded } from '../../shell/loaded.tsx';
import { Page } from '../../shell/page.tsx';
import { TwoLists } from '../../shell/two-lists.tsx';
import { ConsentForm, KEPT_DECISION } from './consent-form.tsx';
import { ConsentPreview } from './consent-preview.tsx';
import { StaffConsents } from './staff-consents.tsx';
import { useNames } from './use-recipients.ts';

export function useConsents() {
  return useQuery({
    queryKey: ['consents'],
    queryFn: () => read(dispatch.GET('/api/v1/own-consents', { params: { query: { per_page: 200 } } })),
  });
}

type Consent = DispatchShapes['OwnConsent'];

export function ConsentsPage() {
  const { t } = useTranslation();
  const [isDeciding, setDeciding] = useOpenWhereKept(KEPT_DECISION);
  return (
    <Page title={t('consents.title')}>
      <p>{t('consents.lead')}</p>
      {isDeciding ? (
        <ConsentForm onDone={() => setDeciding(false)} />
      ) : (
        <p className="actions">
          <Button onClick={() => setDeciding(true)}>{t('consents.new')}</Button>
        </p>
      )}
      <Loaded query={useConsents()}>
        {({ data }) => (
          <TwoLists
            entries={data}
            isFirst={(consent) => phaseOfConsent(consent) === 'now'}
            first={{ title: t('consents.active'), empty: t('consents.none') }}
            later={{ title: t('consents.later'), isLater: (consent) => phaseOfConsent(consent) === 'later' }}
            othersTitle={t('consents.ended')}
          >
            {(consents) => <ConsentList consents={consents} />}
          </TwoLists>
        )}
      </Loaded>
      <StaffConsents />
    </Page>
  );
}

function phaseOfConsent({ status, starts_on: from, ends_on: to }: Consent): ConsentPhase {
  return phaseOf({ isActive: status === 'active', from, to }, new Date());
}

function ConsentList({ consents }: { readonly consents: readonly Consent[] }) {
  const names = useNames(consents.flatMap(({ organisation_guid: guid }) => guid ?? []));
  return (
    <ul className="cards">
      {consents.map((consent) => (
        <ConsentCard key={consent.consent_guid} consent={consent} names={names} />
      ))}
    </ul>
  );
}

interface ConsentCardProps {
  readonly consent: Consent;
  /** Of whom consents are about, by their guid. */
  readonly names: ReadonlyMap<string, string>;
}

function ConsentCard({ consent, names }: ConsentCardProps) {
  const { t } = useTranslation();
  const [isEnding, setEnding] = useState(false);
  const { decision, organisation_guid: guid, starts_on: from, ends_on: to, is_simple: isSimple } = consent;
  const who = guid === null ? t('consents.everybody') : (names.get(guid) ?? t('consents.unknown'));
  return (
    <li className="card">
      <strong>{decision === null ? t('consents.other') : t(`consents.${decision}`, { who })}</strong>
      {from !== null && <p>{t('consents.from', { day: from })}</p>}
      {to !== null && <p>{t('consents.to', { day: to })}</p>}
      {!isSimple && <p className="quiet">{t('consents.notSimple')}</p>}
      {phaseOfConsent(consent) !== 'over' && !isEnding && (
        <p className="actions">
          <Button variant="default" onClick={() => setEnding(true)}>
            {t('consents.end')}
          </Button>
        </p>
      )}
      {isEnding && <ConsentPreview change={{ ends: consent.consent_guid }} onDone={() => setEnding(false)} />}
    </li>
  );
}
