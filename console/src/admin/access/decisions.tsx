// What one service says: each act with yes or no, the rule that decided, and all rules on request.
import { useTranslation } from 'react-i18next';
import { ErrorCard } from '../../shell/error-card.tsx';
import { Loading } from '../../shell/loading.tsx';
import { Empty } from '../../shell/page.tsx';
import {
  type Act,
  type Check,
  type Question,
  type RecordService,
  type Rule,
  useAccessCheck,
  useRecordName,
} from './queries.ts';
import { useRuleText } from './rule-text.ts';

interface DecisionsProps {
  readonly service: RecordService;
  readonly question: Question;
}

export function Decisions({ service, question }: DecisionsProps) {
  const { t } = useTranslation();
  const { data, error, refetch } = useAccessCheck(service, question);
  return (
    <section aria-labelledby={`access-${service}`}>
      <h2 id={`access-${service}`}>{t(`access.service.${service}`)}</h2>
      {error !== null && <ErrorCard error={error} onRetry={() => void refetch()} />}
      {data === undefined && error === null && <Loading />}
      {data === null && <Empty>{t('access.absent')}</Empty>}
      {data !== undefined && data !== null && <Answer check={data} />}
    </section>
  );
}

function Answer({ check }: { readonly check: Check }) {
  const { t } = useTranslation();
  const { role, phaseNames, organisation } = useRuleText();
  const { caller, organisation_guid: owner, acts } = check;
  const isKnown = caller.roles.length > 0;
  return (
    <>
      <p className="quiet">
        {owner === null ? t('access.noOwner') : t('access.owner', { name: organisation(owner) })}{' '}
        {isKnown && t('access.roles', { roles: [...new Set(caller.roles.map(role))].join(', ') })}{' '}
        {caller.phases.length > 0 && t('access.phases', { phases: phaseNames(caller.phases) })}{' '}
        {caller.organisation_guids.length > 0 &&
          t('access.organisations', { names: caller.organisation_guids.map(organisation).join(', ') })}
      </p>
      {[...Map.groupBy(acts, ({ acting_for: patient }) => patient)].map(([patient, these], _index, all) => (
        <AsOne key={patient ?? ''} patient={patient} isAlone={all.length === 1} acts={these} record={check} />
      ))}
    </>
  );
}

interface AsOneProps {
  /** For whom the acts are done; undefined for oneself. */
  readonly patient: string | undefined;
  readonly isAlone: boolean;
  readonly acts: readonly Act[];
  readonly record: Check;
}

/** What is done as themself, or as somebody's proxy. Who is nobody's proxy is themself alone, which needs no words. */
function AsOne({ patient, isAlone, acts, record }: AsOneProps) {
  const { t } = useTranslation();
  const proxy = acts[0]?.rules.find(({ rule, permits }) => rule === 'proxy' && permits);
  return (
    <section>
      {patient === undefined ? !isAlone && <h3>{t('access.asThemself')}</h3> : <AsProxy patient={patient} />}
      {proxy !== undefined && <RuleLine rule={proxy} />}
      <ul className="cards">
        {[...Map.groupBy(acts, sameDecision)].map(([key, alike]) => (
          <Decision key={key} acts={alike} record={record} />
        ))}
      </ul>
    </section>
  );
}

function AsProxy({ patient }: { readonly patient: string }) {
  const { t } = useTranslation();
  const { data: name } = useRecordName('Patient', patient);
  return <h3>{t('access.asProxy', { name: name ?? patient })}</h3>;
}

/** Acts that the same rules decide in the same way are shown together. */
function sameDecision({ match, rules }: Act): string {
  return JSON.stringify([
    match?.match_guid,
    rules.map(({ rule, reason, needed, given }) => [rule, reason, needed, given]),
  ]);
}

function Decision({ acts, record }: { readonly acts: readonly Act[]; readonly record: Check }) {
  const { t } = useTranslation();
  const text = useRuleText();
  const [first] = acts;
  if (first === undefined) return null;
  const { allowed, match } = first;
  // That of the proxy is said once, above.
  const rules = first.rules.filter(({ rule, permits }) => rule !== 'proxy' || !permits);
  const last = rules.at(-1);
  return (
    <li className="card">
      <div className="row">
        <strong>
          {text.acts(acts, record.resource_type)}
          {match !== undefined && <span className="quiet"> {match.provider_name}</span>}
        </strong>
        <span className={allowed ? 'badge' : 'badge strong'}>{t(allowed ? 'access.yes' : 'access.no')}</span>
      </div>
      {last !== undefined && <RuleLine rule={last} />}
      {rules.length > 1 && (
        <details>
          <summary>{t('access.rules', { count: rules.length })}</summary>
          <ol>
            {rules.map((rule) => (
              <li key={`${rule.rule} ${rule.reason}`}>
                <RuleLine rule={rule} />
              </li>
            ))}
          </ol>
        </details>
      )}
    </li>
  );
}

function RuleLine({ rule }: { readonly rule: Rule }) {
  const text = useRuleText();
  const facts = text.facts(rule);
  return (
    <p>
      <span aria-hidden="true">{rule.permits ? '✓' : '✗'}</span> {text.sentence(rule)}
      {facts !== undefined && facts !== '' && <span className="quiet"> {facts}</span>}
    </p>
  );
}
