// The rules of an access check in words: what decided, and what was compared.
import { useTranslation } from 'react-i18next';
import { lastDayText, momentText } from '../../i18n/format.ts';
import { useWords } from '../words.ts';
import { type Act, type Rule, useOrganisationNames } from './queries.ts';

const ROLES = [
  ...(['admin', 'clinician', 'reader', 'patient', 'professional'] as const),
  ...(['privacy_officer', 'provider', 'api_key'] as const),
] as const;
const STATES = [
  ...(['draft', 'active', 'on-hold', 'revoked', 'completed'] as const),
  ...(['pending', 'pushed', 'accepted', 'rejected', 'withdrawn', 'expired'] as const),
] as const;
const ACTS = [
  ...(['read', 'history-instance', 'update', 'delete', 'edit-snapshot', 'edit-forms'] as const),
  ...(['finalize', 'match', 'push', 'hold', 'resume', 'revoke', 'archive', 'feed', 'accept', 'report'] as const),
] as const;
const TYPES = [
  ...(['Patient', 'CarePlan', 'ServiceRequest', 'Observation', 'QuestionnaireResponse'] as const),
  ...(['DiagnosticReport', 'Consent'] as const),
] as const;

export function useRuleText() {
  const { t } = useTranslation();
  const { phaseNames } = useWords();
  const organisation = useOrganisationNames();
  const role = (name: string) => {
    const known = ROLES.find((each) => each === name);
    return known === undefined ? name : t(`access.role.${known}`);
  };
  const state = (name: string) => {
    const known = STATES.find((each) => each === name);
    if (known === undefined) return name;
    return known === 'on-hold' ? t('access.state.onHold') : t(`access.state.${known}`);
  };
  const roles = (names: readonly string[]) => unique(names.map(role)).join(', ');
  const organisations = (guids: readonly string[]) => guids.map(organisation).join(', ');

  /** What was compared, after the reason. */
  const facts = ({ reason, needed, given }: Rule): string | undefined => {
    switch (reason) {
      case 'role_held':
        return roles(needed);
      case 'role_missing':
        return t('access.compared', { needed: roles(needed), given: roles(given) || t('access.nothing') });
      case 'phase_missing':
        return t('access.compared', { needed: phaseNames(needed), given: phaseNames(given) || t('access.nothing') });
      case 'scope_missing':
        return t('access.compared', { needed: needed.join(' '), given: given.join(' ') || t('access.nothing') });
      case 'is_proxy':
      case 'is_guardian':
        return proxyFacts(given);
      case 'proxy_withdrawn':
      case 'proxy_declined':
      case 'guardian_ended':
        return given[0] && momentText(given[0]);
      case 'proxy_over':
      case 'guardian_over':
        return given[0] && lastDayText(given[0]);
      case 'own_organisation':
        return organisations(needed);
      case 'other_organisation':
      case 'owner_only':
        return t('access.belongs', {
          owner: organisations(needed) || t('access.nobody'),
          given: organisations(given) || t('access.nothing'),
        });
      case 'organisations_only':
        return organisations(given) || t('access.nothing');
      case 'state_permits':
      case 'state_refuses':
        return given.map(state).join(', ');
      default:
        return undefined;
    }
  };

  /** How far a proxy's right goes, and its last day. */
  const proxyFacts = ([may, until]: readonly string[]): string => {
    const right = t(may === 'act' ? 'access.mayAct' : 'access.mayRead');
    return until === undefined ? right : t('access.until', { right, day: lastDayText(until) });
  };

  return {
    role,
    phaseNames,
    organisation,
    facts,
    sentence: ({ reason }: Rule) => t(`access.reason.${reason}`),
    /** Several acts; what is searched for is named once. */
    acts: (acts: readonly Act[], record: string) => {
      const isSearch = ({ act }: Act) => act === 'search-type';
      const sought = acts.filter(isSearch).map(({ resource_type: type }) => typeText(type));
      const others = acts.filter((each) => !isSearch(each)).map((each) => actText(each, record));
      return [...others, ...(sought.length === 0 ? [] : [t('access.act.search', { what: sought.join(', ') })])].join(
        ', ',
      );
    },
  };

  function actText({ act, resource_type: type }: Act, record: string): string {
    const known = ACTS.find((each) => each === act);
    if (known === undefined) return act;
    if (known === 'history-instance') return t('access.act.history');
    if (known === 'edit-snapshot') return t('access.act.editSnapshot');
    if (known === 'edit-forms') return t('access.act.editForms');
    return type === record ? t(`access.act.${known}`) : act;
  }

  function typeText(type: string): string {
    const known = TYPES.find((each) => each === type);
    return known === undefined ? type : t(`access.types.${known}`);
  }
}

function unique(texts: readonly string[]): string[] {
  return [...new Set(texts)];
}
