// The rules that an access check has in common, each computed by the function that decides requests (docs/adr/0105).
import { explain, type Permission } from '#lib/auth/permissions.ts';
import type { Principal } from '#lib/auth/principal.ts';
import { isServiceRole } from '#lib/auth/principal.ts';
import { REASONS, type Reason } from './reasons.ts';
import type { DecidedAct, DecidingRule } from './schema.ts';

interface Facts {
  readonly needed?: readonly string[];
  readonly given?: readonly string[];
  /** In place of the reason's sentence: what a request would be answered. */
  readonly message?: string;
}

/** A rule that permits or refuses for a reason. */
export function ruleOf(
  rule: DecidingRule['rule'],
  permits: boolean,
  reason: Reason,
  { needed = [], given = [], message = REASONS[reason] }: Facts = {},
): DecidingRule {
  return { rule, permits, reason, message, needed: [...needed], given: [...given] };
}

/** Whether the caller has the permission, by role and phases. */
export function roleRule(permission: Permission, principal: Principal | undefined): DecidingRule {
  const { decision, reason, roles, phases } = explain(permission, principal);
  const held = roles.filter((role) => principal?.roles.has(role) === true);
  const permits = decision === 'allowed';
  if (reason === 'phase_missing')
    return ruleOf('role', permits, reason, { needed: phases, given: [...(principal?.phases ?? [])] });
  const needed = permits ? held : roles.filter((role) => !isServiceRole(role));
  return ruleOf('role', permits, reason, { needed, given: [...(principal?.roles ?? [])] });
}

/** A step of an act's decision; undefined for a rule that does not concern the caller. */
export type Step = () => DecidingRule | undefined | Promise<DecidingRule | undefined>;

/** Carries out the steps in order, up to the first that refuses. */
export async function decideAct(
  about: Omit<DecidedAct, 'allowed' | 'rules'>,
  steps: readonly Step[],
): Promise<DecidedAct> {
  const rules: DecidingRule[] = [];
  for (const step of steps) {
    const rule = await step();
    if (rule === undefined) continue;
    rules.push(rule);
    if (!rule.permits) break;
  }
  return { ...about, allowed: rules.every(({ permits }) => permits), rules };
}
