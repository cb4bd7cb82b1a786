// Names of roles, phases and groups in words. Phases are groups whose names the system has given.
import { useTranslation } from 'react-i18next';

const ROLES = ['doctor', 'nurse', 'other'] as const;
const PHASES = ['planning', 'execution', 'analysis', 'followup'] as const;

export function useWords() {
  const { t } = useTranslation();
  const phaseName = (name: string) => {
    const phase = PHASES.find((known) => known === name);
    return phase === undefined ? name : t(`account.phase.${phase}`);
  };
  return {
    roleName: (role: string | null) => t(`account.kind.${ROLES.find((known) => known === role) ?? 'other'}`),
    phaseNames: (names: readonly string[]) => names.map(phaseName).join(', '),
    groupName: (name: string, type: string | null) => (type === 'phase' ? phaseName(name) : name),
  };
}
