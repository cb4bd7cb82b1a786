// The forty concepts of the library, with their lookup tables and units, and the codes of activities.

/** A base for example addresses, which lead nowhere. */
const BASE = 'https://example.org/kedja';

export const LIBRARY = {
  name: 'Vårdbegrepp i Region Norrvik',
  url: `${BASE}/begrepp`,
  version: '2026',
  publisher: 'Region Norrvik (påhittad)',
  description: 'Begrepp för hjärtsvikt, diabetes, KOL och sårvård',
} as const;

export const CONCEPT_TYPES = {
  measurement: 'Mätvärde',
  laboratory: 'Laboratorieprov',
  assessment: 'Bedömning',
  activity: 'Aktivitet',
} as const;

export const RESPONSE_TYPES = {
  quantity: { name: 'Mängd med enhet', fhir_type: 'Quantity' },
  choice: { name: 'Val ur en lista', fhir_type: 'CodeableConcept' },
  count: { name: 'Heltal', fhir_type: 'integer' },
} as const;

/** Unit names with their UCUM codes. */
export const UNITS = {
  kg: { name: 'kg', ucum_code: 'kg' },
  cm: { name: 'cm', ucum_code: 'cm' },
  mm: { name: 'mm', ucum_code: 'mm' },
  cm2: { name: 'cm²', ucum_code: 'cm2' },
  mmHg: { name: 'mmHg', ucum_code: 'mm[Hg]' },
  perMinute: { name: 'per minut', ucum_code: '/min' },
  percent: { name: '%', ucum_code: '%' },
  celsius: { name: '°C', ucum_code: 'Cel' },
  ngPerLitre: { name: 'ng/L', ucum_code: 'ng/L' },
  mmolPerLitre: { name: 'mmol/L', ucum_code: 'mmol/L' },
  mmolPerMol: { name: 'mmol/mol', ucum_code: 'mmol/mol' },
  umolPerLitre: { name: 'µmol/L', ucum_code: 'umol/L' },
  filtration: { name: 'mL/min/1,73 m²', ucum_code: 'mL/min/{1.73_m2}' },
  internationalUnits: { name: 'E', ucum_code: '[IU]' },
  litrePerMinute: { name: 'L/min', ucum_code: 'L/min' },
  litre: { name: 'L', ucum_code: 'L' },
  stepsPerDay: { name: 'steg per dygn', ucum_code: '{steps}/d' },
  minutesPerWeek: { name: 'minuter per vecka', ucum_code: 'min/wk' },
} as const;
export type UnitKey = keyof typeof UNITS;

export interface DemoConcept {
  readonly code: string;
  readonly display: string;
  readonly type: keyof typeof CONCEPT_TYPES;
  /** The type of its value; an activity has none. */
  readonly response?: keyof typeof RESPONSE_TYPES;
  readonly unit?: UnitKey;
  readonly values?: readonly { readonly code: string; readonly display: string }[];
  /** Of adults at rest, in `unit`; either end may be open. Left out where none holds for everybody, as for weight. */
  readonly normal?: { readonly low?: number; readonly high?: number };
}

const measurements: readonly DemoConcept[] = [
  quantity('weight', 'Kroppsvikt', 'kg'),
  quantity('waist', 'Midjemått', 'cm'),
  { ...quantity('systolic', 'Systoliskt blodtryck', 'mmHg'), normal: { low: 90, high: 139 } },
  { ...quantity('diastolic', 'Diastoliskt blodtryck', 'mmHg'), normal: { low: 60, high: 89 } },
  { ...quantity('pulse', 'Puls', 'perMinute'), normal: { low: 50, high: 100 } },
  { ...quantity('respiration', 'Andningsfrekvens', 'perMinute'), normal: { low: 12, high: 20 } },
  { ...quantity('saturation', 'Syremättnad (SpO₂)', 'percent'), normal: { low: 95 } },
  { ...quantity('temperature', 'Kroppstemperatur', 'celsius'), normal: { low: 36, high: 37.5 } },
  { ...quantity('glucose-fasting', 'Fasteglukos, kapillärt', 'mmolPerLitre'), normal: { low: 4.2, high: 6.3 } },
  { ...quantity('glucose-meal', 'Glukos efter måltid, kapillärt', 'mmolPerLitre'), normal: { high: 8.7 } },
  quantity('insulin-dose', 'Insulindos per dygn', 'internationalUnits'),
  quantity('peak-flow', 'PEF, utandningens toppflöde', 'litrePerMinute'),
  quantity('fev1', 'FEV1 efter bronkdilatation', 'litre'),
  quantity('steps', 'Steg per dygn', 'stepsPerDay'),
  quantity('exercise', 'Fysisk aktivitet', 'minutesPerWeek'),
  quantity('wound-area', 'Sårets yta', 'cm2'),
  quantity('wound-depth', 'Sårets djup', 'mm'),
  { code: 'pain', display: 'Smärta (0–10)', type: 'measurement', response: 'count' },
  { code: 'copd-score', display: 'Symtompoäng vid KOL (0–40)', type: 'measurement', response: 'count' },
];

const laboratory: readonly DemoConcept[] = [
  { ...quantity('nt-probnp', 'NT-proBNP', 'ngPerLitre', 'laboratory'), normal: { high: 450 } },
  { ...quantity('potassium', 'Kalium', 'mmolPerLitre', 'laboratory'), normal: { low: 3.5, high: 5 } },
  quantity('creatinine', 'Kreatinin', 'umolPerLitre', 'laboratory'),
  quantity('egfr', 'eGFR', 'filtration', 'laboratory'),
  { ...quantity('hba1c', 'HbA1c', 'mmolPerMol', 'laboratory'), normal: { low: 27, high: 42 } },
];

const assessments: readonly DemoConcept[] = [
  choice('nyha', 'NYHA-klass', { I: 'Klass I', II: 'Klass II', III: 'Klass III', IV: 'Klass IV' }),
  choice('swelling', 'Svullna fotleder', {
    none: 'Ingen svullnad',
    slight: 'Lätt svullnad',
    marked: 'Tydlig svullnad',
  }),
  choice('breathlessness', 'Andfåddhet', {
    exertion: 'Bara vid stor ansträngning',
    hill: 'I uppförsbacke',
    level: 'Vid gång på plan mark',
    rest: 'I vila',
  }),
  choice('smoking', 'Rökvanor', { never: 'Aldrig rökt', former: 'Har slutat', daily: 'Röker dagligen' }),
  choice('foot-status', 'Fotstatus', {
    low: 'Låg risk',
    raised: 'Ökad risk: nedsatt känsel eller cirkulation',
    high: 'Hög risk: felställning eller tidigare sår',
    ulcer: 'Pågående fotsår',
  }),
  choice('exudate', 'Sårvätska', { none: 'Ingen', little: 'Lite', moderate: 'Måttlig', much: 'Riklig' }),
];

const activities: readonly DemoConcept[] = [
  activity('act-heart-home', 'Egenmonitorering vid hjärtsvikt'),
  activity('act-heart-laboratory', 'Provtagning vid hjärtsvikt'),
  activity('act-heart-visit', 'Besök hos hjärtsviktssjuksköterska'),
  activity('act-glucose', 'Egenmätning av glukos'),
  activity('act-diabetes-laboratory', 'Provtagning vid diabetes'),
  activity('act-foot', 'Fotundersökning'),
  activity('act-spirometry', 'Spirometri'),
  activity('act-copd-home', 'Egenmonitorering vid KOL'),
  activity('act-wound', 'Såromläggning med bedömning'),
  activity('act-habits', 'Samtal om levnadsvanor'),
];

export const CONCEPTS: readonly DemoConcept[] = [...measurements, ...laboratory, ...assessments, ...activities];

export function conceptOf(code: string): DemoConcept {
  const found = CONCEPTS.find((concept) => concept.code === code);
  if (found === undefined) throw new Error(`The demo has no concept ${code}`);
  return found;
}

function quantity(
  code: string,
  display: string,
  unit: UnitKey,
  type: DemoConcept['type'] = 'measurement',
): DemoConcept {
  return { code, display, type, response: 'quantity', unit };
}

function choice(code: string, display: string, values: Readonly<Record<string, string>>): DemoConcept {
  const list = Object.entries(values).map(([value, text]) => ({ code: value, display: text }));
  return { code, display, type: 'assessment', response: 'choice', values: list };
}

function activity(code: string, display: string): DemoConcept {
  return { code, display, type: 'activity' };
}
