// The arguments of `kedja erase`.
import { parseArgs } from 'node:util';
import { FHIR_SERVICES, type FhirService } from './target.ts';

export const USAGE = `usage: kedja erase --patient ID|PERSONNUMMER [--shared erase|keep] [--json]
       kedja erase --resource SERVICE/TYPE/ID... [--shared erase|keep] [--json]
       kedja erase … --apply --ground REFERENCE --decided-by NAME [--open-requests] [--yes]
       kedja erase --resume
       kedja erase --again [FILE...] [--apply]
       kedja erase --verify FILE
       kedja erase --list

Erases a patient's data, or single resources, where a decision says so; works whether Kedja runs or not. Patient records are
kept for at least ten years and are erased by a decision of IVO: the operator decides, and names the decision.
Without --apply: shows all that would go, and changes nothing.
--patient: all Patients and accounts of one person. --resource: such as engine/Observation/ID; a CarePlan of dispatch goes with
its requests.
--shared: what becomes of records that are another person's, too. Must be said where there are such.
--open-requests: also while a provider has an open request. Otherwise revoke it first, so that the provider is told.
--yes: does not ask on the terminal.
--resume: completes what was interrupted. --apply with another target does so first, too.
--again: applies the certificates of KEDJA_DATA_DIR/erasures, or these files, that the database does not have: it is older.
--verify: whether the certificate is genuine, and nothing that it names is left in any table.
Exit code 0: done, or nothing is left; 1: nothing could be done, or something is left; 130: stopped by Ctrl-C.`;

export type Named =
  | { readonly kind: 'patient'; readonly name: string }
  | {
      readonly kind: 'resources';
      readonly resources: readonly { readonly service: FhirService; readonly type: string; readonly id: string }[];
    };

export interface EraseCommand {
  readonly kind: 'erase';
  readonly named: Named;
  readonly shared: 'erase' | 'keep' | undefined;
  readonly isJson: boolean;
  /** Undefined: only shown. */
  readonly apply: Decision | undefined;
}

export interface Decision {
  readonly ground: string;
  readonly decidedBy: string;
  readonly mayOpenRequests: boolean;
  readonly isConfirmed: boolean;
}

export type Command =
  | EraseCommand
  | { readonly kind: 'resume' }
  | { readonly kind: 'again'; readonly files: readonly string[]; readonly isApply: boolean }
  | { readonly kind: 'verify'; readonly file: string }
  | { readonly kind: 'list' };

const OPTIONS = {
  patient: { type: 'string' },
  resource: { type: 'string', multiple: true },
  shared: { type: 'string' },
  json: { type: 'boolean' },
  apply: { type: 'boolean' },
  ground: { type: 'string' },
  'decided-by': { type: 'string' },
  'open-requests': { type: 'boolean' },
  yes: { type: 'boolean' },
  resume: { type: 'boolean' },
  again: { type: 'boolean' },
  verify: { type: 'string' },
  list: { type: 'boolean' },
} as const;
const KINDS = ['patient', 'resource', 'resume', 'again', 'verify', 'list'] as const;
const MAX_TEXT = 500;
const RESOURCE = /^(engine|dispatch)\/([A-Z][A-Za-z]+)\/([A-Za-z0-9.-]{1,64})$/;

/** @throws Error that names every issue of the arguments */
export function parseCommand(args: readonly string[]): Command | undefined {
  const { values, positionals } = parseArgs({ args: [...args], options: OPTIONS, allowPositionals: true });
  const kinds = KINDS.filter((name) => values[name] !== undefined);
  const [kind] = kinds;
  if (kind === undefined || kinds.length > 1) return undefined;
  if (positionals.length > 0 && kind !== 'again') return undefined;
  if (kind === 'resume' || kind === 'list') return { kind };
  if (kind === 'verify') return { kind, file: values.verify ?? '' };
  if (kind === 'again') return { kind, files: positionals, isApply: values.apply ?? false };
  const issues: string[] = [];
  const command: EraseCommand = {
    kind: 'erase',
    named:
      kind === 'patient' ? { kind, name: (values.patient ?? '').trim() } : resourcesOf(values.resource ?? [], issues),
    shared: sharedOf(values.shared, issues),
    isJson: values.json ?? false,
    apply: values.apply === true ? decisionOf(values, issues) : undefined,
  };
  if (command.named.kind === 'patient' && command.named.name === '') issues.push('--patient is empty');
  if (values.apply !== true)
    for (const name of ['ground', 'decided-by', 'open-requests', 'yes'] as const)
      if (values[name] !== undefined) issues.push(`--${name} needs --apply`);
  if (issues.length > 0) throw new Error(issues.join('\n'));
  return command;
}

function resourcesOf(given: readonly string[], issues: string[]): Named {
  const resources = given.flatMap((text) => {
    const [, service, type = '', id = ''] = RESOURCE.exec(text) ?? [];
    const known = FHIR_SERVICES.find((name) => name === service);
    if (known !== undefined && type !== 'Patient' && type !== 'AuditEvent') return [{ service: known, type, id }];
    if (type === 'Patient') issues.push(`--resource ${text}: a Patient is erased with all its records, by --patient`);
    else if (type === 'AuditEvent') issues.push(`--resource ${text}: access records are kept, see kedja retention`);
    else issues.push(`--resource ${JSON.stringify(text)} is not of the form engine/Observation/ID`);
    return [];
  });
  return { kind: 'resources', resources };
}

function sharedOf(text: string | undefined, issues: string[]): 'erase' | 'keep' | undefined {
  if (text === undefined || text === 'erase' || text === 'keep') return text;
  issues.push('--shared is "erase" or "keep"');
  return undefined;
}

function decisionOf(values: Readonly<Record<string, unknown>>, issues: string[]): Decision {
  const textOf = (name: string, what: string) => {
    const text = typeof values[name] === 'string' ? values[name].trim() : '';
    if (text === '') issues.push(`--${name} must name ${what}`);
    else if (text.length > MAX_TEXT) issues.push(`--${name} is longer than ${MAX_TEXT} characters`);
    return text;
  };
  return {
    ground: textOf('ground', 'the decision, such as its reference number'),
    decidedBy: textOf('decided-by', 'who decided, such as "IVO"'),
    mayOpenRequests: values['open-requests'] === true,
    isConfirmed: values['yes'] === true,
  };
}
