// What staff have recorded as the patient's word about sharing. The patient sees it, and decides otherwise by a
// decision of their own.
import { useQuery } from '@tanstack/react-query';
import type { Consent } from 'fhir/r5';
import { useTranslation } from 'react-i18next';
import { searchFhir } from '../../api/fhir.ts';
import { phaseOf } from '../../clinical/consent-phase.ts';
import { dayText } from '../../i18n/format.ts';
import { Loaded } from '../../shell/loaded.tsx';

/** The tag of the patient's own decisions (docs/reference/own-consents.md). */
const OWN = 'patient-decided';

export function StaffConsents() {
  const { t } = useTranslation();
  const recorded = useQuery({
    queryKey: ['consents', 'recorded'],
    queryFn: () =>
      searchFhir<Consent>('dispatch', 'Consent', { status: 'active', _sort: '-_lastUpdated', _count: '100' }),
  });
  return (
    <Loaded query={recorded}>
      {(consents) => {
        const now = new Date();
        const shown = consents.filter(
          ({ meta, period }) =>
            meta?.tag?.some(({ code }) => code === OWN) !== true &&
            phaseOf({ isActive: true, from: period?.start, to: period?.end }, now) !== 'over',
        );
        if (shown.length === 0) return null;
        return (
          <>
            <h2>{t('consents.recorded')}</h2>
            <p>{t('consents.recordedLead')}</p>
            <ul className="cards">
              {shown.map((consent) => (
                <RecordedCard key={consent.id} consent={consent} />
              ))}
            </ul>
          </>
        );
      }}
    </Loaded>
  );
}

function RecordedCard({ consent }: { readonly consent: Consent }) {
  const { t } = useTranslation();
  const { decision, period, provision = [], date } = consent;
  return (
    <li className="card">
      <strong>{t(decision === 'deny' ? 'consents.recordedDeny' : 'consents.recordedPermit')}</strong>
      {period?.start !== undefined && <p>{t('consents.from', { day: dayText(period.start) })}</p>}
      {period?.end !== undefined && <p>{t('consents.to', { day: dayText(period.end) })}</p>}
      {provision.length > 0 && <p className="quiet">{t('consents.notSimple')}</p>}
      {date !== undefined && <p className="quiet">{t('consents.recordedOn', { day: dayText(date) })}</p>}
    </li>
  );
}
